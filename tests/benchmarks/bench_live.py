"""Live runs: time against the ideal, and memory from 1,000 to 20,000 conversations.

    python -m tests.benchmarks.bench_live

The server is a process of its own that answers 50 ms after a request has arrived. The ideal is
conversations x 50 ms / concurrency; what the bot takes is given as a multiple of it. A bare client
that does nothing but send as many bytes is measured in the same run, for scale.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.evaluation.expected_memories import GoldTurn
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.scoring import MemoryScorer
from bot.evaluation.tasks.memories import MEMORIES
from bot.extraction.fingerprint import Contract
from bot.extraction.prompt_v2 import EXTRACTION_SYSTEM_PROMPT_BATCH
from bot.extraction.request import RequestPlan
from bot.extraction.schema import BatchExtractionResult
from bot.extraction.turns import Turn
from bot.providers.chat_client import Server
from bot.providers.journal import Journal
from bot.providers.limits import LiveLimits
from bot.providers.live import LiveProvider

LATENCY_SECONDS = 0.05
CONCURRENCY = 32
ROUNDS = 5
ANSWER = json.dumps({"turns": [{"turn_index": 0, "memories": []}]})
PAYLOAD = json.dumps(
    {
        "model": "m",
        "choices": [{"message": {"content": ANSWER}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 20},
    }
).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(PAYLOAD),
    PAYLOAD,
)


async def serve(latency: float) -> None:
    """Answers every request the same; speaks as little HTTP as is needed."""

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                if latency:
                    await asyncio.sleep(latency)
                writer.write(RESPONSE)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(client, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def server(latency: float) -> Iterator[int]:
    command = [sys.executable, "-m", "tests.benchmarks.bench_live", "serve", str(latency)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


def conversations(count: int) -> Iterator[GoldConversation]:
    for number in range(count):
        turn = Turn(turn_index=0, role="user", content=f"Thanks for number {number}, that helped.")
        yield GoldConversation(f"c{number}", (turn,), {0: GoldTurn((), ())})


PLAN = RequestPlan(
    "m", Contract(EXTRACTION_SYSTEM_PROMPT_BATCH, BatchExtractionResult.model_json_schema())
)


def run(port: int, count: int, journal: Path) -> float:
    """Seconds for `count` conversations, scoring and journal included."""
    provider = LiveProvider(
        name="bench",
        enforcement="manual",
        server=Server(f"http://127.0.0.1:{port}/v1"),
        task=MEMORIES,
        plan=PLAN,
        journal=Journal(journal),
        limits=LiveLimits(concurrency=CONCURRENCY),
    )
    scorer = MemoryScorer()
    started = time.perf_counter()
    facts = provider.answer(conversations(count), scorer.add)
    seconds = time.perf_counter() - started
    assert facts.asked == scorer.result().conversation_count == count
    assert not facts.failures
    provider.journal.finish()
    return seconds


async def plain(port: int, count: int) -> float:
    """The same bytes over 32 bare connections."""
    body = b"x" * 4_000
    request = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    left = iter(range(count))

    async def worker() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            writer.write(request)
            await reader.readexactly(len(RESPONSE))
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(CONCURRENCY)))
    return time.perf_counter() - started


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    count = 1_000
    ideal = count * LATENCY_SECONDS / CONCURRENCY
    with server(LATENCY_SECONDS) as port:
        run(port, 64, folder / "warm.jsonl")
        ratios = sorted(run(port, count, folder / "time.jsonl") / ideal for _ in range(ROUNDS))
        bare = asyncio.run(plain(port, count)) / ideal
    print(
        f"{count} conversations at concurrency {CONCURRENCY}, {LATENCY_SECONDS * 1000:.0f} ms each"
    )
    print(
        f"  bot:   {ratios[len(ratios) // 2]:.2f} x the ideal (of {ROUNDS}: "
        f"{ratios[0]:.2f} to {ratios[-1]:.2f}; at most 1.3)"
    )
    print(f"  bytes: {bare:.2f} x the ideal, a bare client")
    peaks = {}
    with server(0) as port:
        run(port, 200, folder / "warm.jsonl")
        for size in (1_000, 20_000):
            tracemalloc.start()
            run(port, size, folder / "memory.jsonl")
            peaks[size] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            print(f"  peak memory, {size:,} conversations: {peaks[size] / 1e6:.2f} MB")
    print(f"  20,000 takes {peaks[20_000] / peaks[1_000]:.2f} x the memory of 1,000")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(float(sys.argv[2])))
    else:
        main()
