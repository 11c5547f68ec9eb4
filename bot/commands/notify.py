"""`notify`: send the dispatch that asks for a run to be published."""

from bot.commands.verify_dispatch import EVENT_TYPE
from bot.console import Console
from bot.github.interface import GitHub
from bot.policy.dispatch import DispatchClaims


def run_notify(claims: DispatchClaims, github: GitHub, console: Console) -> int:
    """0 when GitHub took it; its receiver trusts none of it."""
    github.dispatch(
        EVENT_TYPE,
        {
            "run_id": claims.run_id,
            "head_sha": claims.head_sha,
            "run_number": claims.run_number,
        },
    )
    console.say(f"dispatched {EVENT_TYPE} for run {claims.run_number} ({str(claims.head_sha)[:7]})")
    return 0
