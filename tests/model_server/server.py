"""The server: HTTP/1.1 over asyncio, in a thread of its own, on a port that the system chooses."""

import asyncio
import html
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.model_server.replies import Asked, Behaviour, Reply, completion, nothing

UNKNOWN = "?"


class ModelServer:
    """Answers each conversation with what its gold memories say, unless scripted otherwise.

    `script(id, …)` gives the behaviours of the next calls for a conversation, one a call;
    `check` may refuse any request first. `calls` counts requests by conversation.
    """

    def __init__(self, gold_set: Path | None = None) -> None:
        self._by_text: dict[str, str] = {}
        self._right: dict[str, str] = {}
        if gold_set is not None:
            self._learn(gold_set)
        self._scripts: dict[str, list[Behaviour]] = {}
        self._lock = threading.Lock()
        self.default: Behaviour | None = None
        self.check: Callable[[Asked], Reply | None] | None = None
        self.asked: list[Asked] = []
        self.times: list[float] = []
        self.under_way = 0
        self.most_under_way = 0
        self.port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def calls(self) -> Counter[str]:
        return Counter(asked.conversation_id for asked in self.asked)

    def script(self, conversation_id: str, *behaviours: Behaviour) -> None:
        self._scripts.setdefault(conversation_id, []).extend(behaviours)

    def _learn(self, gold_set: Path) -> None:
        rows = [
            json.loads(line)
            for line in (gold_set / "conversations.jsonl").read_text("utf-8").splitlines()
        ]
        expected: dict[str, dict[int, Any]] = {}
        for line in (gold_set / "expected_memories.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            expected.setdefault(row["conversation_id"], {})[row["turn_index"]] = row["expected"]
        for row in rows:
            name, turns = row["conversation_id"], row["turns"]
            self._by_text[html.escape(turns[0]["content"])] = name
            answer = [
                {
                    "turn_index": turn["turn_index"],
                    "memories": expected[name].get(turn["turn_index"], []),
                }
                for turn in turns
            ]
            self._right[name] = json.dumps({"turns": answer}, ensure_ascii=False)

    def _who(self, body: dict[str, Any]) -> str:
        first = body["messages"][1]["content"].split(">", 1)[1].split("</turn>", 1)[0]
        return self._by_text.get(first, UNKNOWN)

    def _reply(self, asked: Asked) -> Reply:
        with self._lock:
            self.asked.append(asked)
            self.times.append(time.monotonic())
            if self.check is not None and (refused := self.check(asked)) is not None:
                return refused
            script = self._scripts.get(asked.conversation_id)
            if script:
                return script.pop(0)(asked)
        if self.default is not None:
            return self.default(asked)
        right = self._right.get(asked.conversation_id)
        return Reply(body=completion(right)) if right is not None else nothing(asked)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").rstrip().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        payload = await reader.readexactly(int(headers.get("content-length", "0")))
        body = json.loads(payload)
        asked = Asked(self._who(body), body, headers, first.split(" ")[1])
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            return await self._send(self._reply(asked), writer)
        finally:
            self.under_way -= 1

    async def _send(self, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        if reply.delay_seconds:
            await asyncio.sleep(reply.delay_seconds)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(reply.body))}
        head = "".join(f"{k}: {v}\r\n" for k, v in (headers | reply.headers).items())
        writer.write(f"HTTP/1.1 {reply.status} X\r\n{head}\r\n".encode("latin-1"))
        if reply.cut_after is not None:
            writer.write(reply.body[: reply.cut_after])
            await writer.drain()
            return False
        if reply.drip_seconds:
            for byte in reply.body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(reply.drip_seconds)
        else:
            writer.write(reply.body)
            await writer.drain()
        return True

    @contextmanager
    def running(self) -> Iterator["ModelServer"]:
        loop = asyncio.new_event_loop()
        ready = threading.Event()
        stop = asyncio.Event()

        async def main() -> None:
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**22)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()
            await stop.wait()
            server.close()
            tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        thread = threading.Thread(target=loop.run_until_complete, args=(main(),), daemon=True)
        thread.start()
        ready.wait(10)
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join(10)
            loop.close()
