"""A bound on what calls cost that is never passed."""

import asyncio
import math

from bot.errors import BadInput, Unreachable
from bot.evaluation.outcome import Usage
from bot.providers.prices import Price


class Budget:
    """Lets a call begin only when the most it can cost still fits under the limit.

    When it does not fit now, it waits for calls under way to turn out cheaper. `limit_usd` None is
    no limit.
    """

    def __init__(self, limit_usd: float | None, price: Price | None, model: str) -> None:
        if limit_usd is not None and not math.isfinite(limit_usd):
            raise BadInput(f"is {limit_usd}, no sum of money", where="--max-cost")
        if limit_usd is not None and price is None:
            raise BadInput(
                f"the price of model {model!r} is unknown, so --max-cost cannot be kept",
                next_step=f'add [prices."{model}"] with input and output, in USD a million tokens',
            )
        self.price = price
        self.spent_usd = 0.0
        self._limit_usd = limit_usd
        self._held_usd = 0.0
        self._calls_under_way = 0
        self._settled = asyncio.Condition()

    async def hold(self, most: Usage) -> float:
        """Wait until a call of at most `most` tokens fits; returns the dollars held for it.

        Raises Unreachable when it cannot fit any more.
        """
        if self._limit_usd is None or self.price is None:
            return 0.0
        usd = self.price.cost_usd(most)
        async with self._settled:
            while self.spent_usd + self._held_usd + usd > self._limit_usd:
                if not self._calls_under_way:
                    raise Unreachable(
                        f"the next call could pass --max-cost {self._limit_usd:g} USD "
                        f"({self.spent_usd:.4f} USD spent)",
                        next_step="go on with --resume and a higher --max-cost",
                    )
                await self._settled.wait()
            self._held_usd += usd
            self._calls_under_way += 1
        return usd

    async def settle(self, held_usd: float, usage: Usage | None, *, may_be_charged: bool) -> None:
        """The call is over. Without a count of tokens all that was held counts as spent."""
        if self._limit_usd is None or self.price is None:
            return
        async with self._settled:
            self._held_usd -= held_usd
            self._calls_under_way -= 1
            if usage is not None:
                self.spent_usd += self.price.cost_usd(usage)
            elif may_be_charged:
                self.spent_usd += held_usd
            self._settled.notify_all()
