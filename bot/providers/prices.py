"""What tokens cost, as the configuration says; a model that is not in it has an unknown price."""

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from bot.evaluation.outcome import Usage

TOKENS_A_PRICE: Final = 1_000_000


class Price(BaseModel):
    """US dollars a million tokens, as price lists say it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)

    def cost_usd(self, usage: Usage) -> float:
        tokens_price = usage.prompt_tokens * self.input + usage.completion_tokens * self.output
        return tokens_price / TOKENS_A_PRICE


PriceTable = Mapping[str, Price]
