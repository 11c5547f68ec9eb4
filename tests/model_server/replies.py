"""What the server may send back: good answers, and every fault a real server has shown."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    conversation_id: str
    body: dict[str, Any]
    headers: dict[str, str]
    path: str

    @property
    def turns(self) -> list[int]:
        import re

        user = self.body["messages"][1]["content"]
        return [int(index) for index in re.findall(r'<turn index="(\d+)"', user)]


@dataclass(frozen=True)
class Reply:
    """Bytes on the wire. `drip_seconds` passes between two bytes of the body; `cut_after` closes
    the connection after so many bytes of it."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0
    drip_seconds: float = 0
    cut_after: int | None = None


Behaviour = Callable[[Asked], Reply]


def completion(
    text: str | None,
    finish_reason: str = "stop",
    refusal: str | None = None,
    usage: dict[str, int] | None = {"prompt_tokens": 100, "completion_tokens": 20},  # noqa: B006
    model: str = "served-model-2026",
) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if refusal is not None:
        message["refusal"] = refusal
    payload: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
    }
    if usage is not None:
        payload["usage"] = usage
    return json.dumps(payload).encode()


def says(text: str | None, **more: Any) -> Behaviour:
    """The model answers `text`."""
    return lambda asked: Reply(body=completion(text, **more))


def nothing(asked: Asked) -> Reply:
    """A right answer that remembers nothing."""
    return Reply(body=completion(empty_answer(asked)))


def empty_answer(asked: Asked) -> str:
    return json.dumps({"turns": [{"turn_index": i, "memories": []} for i in asked.turns]})


def fails(status: int, message: str = "no", headers: dict[str, str] | None = None) -> Behaviour:
    body = json.dumps({"error": {"message": message, "type": "error", "param": None}}).encode()
    return lambda asked: Reply(status, body, headers or {})


def rate_limited(retry_after: str | None = None) -> Behaviour:
    return fails(429, "slow down", {} if retry_after is None else {"Retry-After": retry_after})


def cut(asked: Asked) -> Reply:
    return Reply(body=completion(empty_answer(asked)), cut_after=20)


def drips(seconds: float) -> Behaviour:
    """A body that comes a byte at a time: every single read is quick, the whole is not."""
    return lambda asked: Reply(body=completion(empty_answer(asked)), drip_seconds=seconds)


def late(seconds: float) -> Behaviour:
    return lambda asked: Reply(body=completion(empty_answer(asked)), delay_seconds=seconds)


def html_page(asked: Asked) -> Reply:
    return Reply(body=b"<html>502 Bad Gateway</html>", headers={"Content-Type": "text/html"})


def memory(content: str = "User likes tea", **more: Any) -> dict[str, Any]:
    value = {
        "content": content,
        "categories": [{"label": "preference", "confidence": 0.9}],
        "confidence": 0.9,
    }
    return value | more


def remembers(*memories: dict[str, Any]) -> Behaviour:
    """`memories` of the first turn, nothing of the others."""

    def behave(asked: Asked) -> Reply:
        turns = [
            {"turn_index": i, "memories": list(memories) if n == 0 else []}
            for n, i in enumerate(asked.turns)
        ]
        return Reply(body=completion(json.dumps({"turns": turns})))

    return behave


fenced: Behaviour = lambda asked: Reply(  # noqa: E731
    body=completion(f"```json\n{empty_answer(asked)}\n```")
)
eleven_memories = remembers(*(memory(f"User owns boat number {n}") for n in range(11)))
wrong_turn = says('{"turns": [{"turn_index": 99, "memories": []}]}')
no_json = says("I found nothing worth keeping.")
refusal = says(None, refusal="I cannot help with that.")
truncated = says('{"turns": [{"turn_in', finish_reason="length")
