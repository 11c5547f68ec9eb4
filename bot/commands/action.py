"""`action`: the composite action's inputs → a command line. Nothing passes through a shell."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

import typer

from bot.errors import BadInput

COMMAND: Final = "INPUT_COMMAND"
OWN_NAME: Final = "action"
"""It would call itself without end."""
INPUT_FLAGS: Final = {
    "INPUT_GOLD_SET": ("--gold-set",),
    "INPUT_BASELINE": ("--baseline",),
    "INPUT_PUBLISHED": ("--data", "--published", "--extraction-benchmark-data"),
}
"""Each input's flags; a command takes the first that it has."""


def flags_by_command(app: typer.Typer) -> dict[str, frozenset[str]]:
    """Command, or "group command" → the flags that it has; without the one that asks."""
    flags = dict(_flags(typer.main.get_command(app), ""))
    return {name: flags[name] for name in flags if name != OWN_NAME}


def _flags(command: Any, name: str) -> Iterator[tuple[str, frozenset[str]]]:
    for child, found in getattr(command, "commands", {}).items():
        yield from _flags(found, f"{name} {child}".strip())
    if not hasattr(command, "commands"):
        yield name, frozenset(flag for one in command.params for flag in one.opts)


def action_arguments(env: Mapping[str, str], flags: Mapping[str, frozenset[str]]) -> list[str]:
    """The command line; an input that is empty is not given.

    Raises BadInput for a command that is none, and for an input that the command does not take.
    """
    try:
        words = shlex.split(env.get(COMMAND, ""))
    except ValueError as error:
        raise BadInput(f"is no command line: {error}", where="input command") from error
    name = next((" ".join(words[:n]) for n in (2, 1) if " ".join(words[:n]) in flags), None)
    if name is None:
        shown = words[0] if words else ""
        raise BadInput(
            f"unknown command {shown!r}",
            where="input command",
            next_step=f"say one of {_list(flags)}",
        )
    for variable, names in INPUT_FLAGS.items():
        value = env.get(variable, "")
        if not value:
            continue
        flag = next((one for one in names if one in flags[name]), None)
        if flag is None:
            given = variable.removeprefix("INPUT_").lower().replace("_", "-")
            raise BadInput(f"the command {name} takes none", where=f"input {given}")
        words.append(f"{flag}={value}")
    return words


def _list(flags: Mapping[str, frozenset[str]]) -> str:
    return ", ".join(sorted(flags))
