"""The turns of a conversation, and how they are framed for a prompt (CONTRACTS section 1)."""

import html
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from bot.errors import BadInput
from bot.extraction.schema import TurnIndex

MAX_BATCH_TURNS: Final = 50
MAX_BATCH_BYTES: Final = 500_000  # of the text as it is sent, after escaping
MAX_TURN_CHARS: Final = 100_000
MAX_ROLE_CHARS: Final = 32


class Turn(BaseModel):
    """One turn of a conversation."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    turn_index: TurnIndex
    role: Annotated[str, Field(min_length=1, max_length=MAX_ROLE_CHARS)]
    content: Annotated[str, Field(min_length=1, max_length=MAX_TURN_CHARS)]


def frame_turns(turns: Sequence[Turn]) -> str:
    """The turns as a prompt's user message: framed by `turn` tags, their text HTML-escaped.

    Raises BadInput over 50 turns or 500,000 bytes as sent.
    """
    if len(turns) > MAX_BATCH_TURNS:
        raise BadInput(
            f"a batch of {len(turns)} turns, at most {MAX_BATCH_TURNS}",
            next_step="split the conversation",
        )
    text = "\n".join(
        f'<turn index="{turn.turn_index}" role="{html.escape(turn.role)}">'
        f"{html.escape(turn.content)}</turn>"
        for turn in turns
    )
    size = len(text.encode("utf-8"))
    if size > MAX_BATCH_BYTES:
        raise BadInput(
            f"a batch of {size} bytes as sent, at most {MAX_BATCH_BYTES}",
            next_step="split the conversation",
        )
    return text
