"""From an older version of the published file to the current one: named steps, each taken once."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from bot.errors import BadInput
from bot.history.model import CURRENT_VERSION

Raw = Mapping[str, Any]


def raise_1_to_2(raw: Raw) -> Raw:
    """Version 2 only adds optional fields: what a version 1 file holds stays as it is."""
    return {**raw, "schema_version": 2}


STEPS: Final[Mapping[int, Callable[[Raw], Raw]]] = {1: raise_1_to_2}
"""Version → the step that leads to the next one."""


def version_of(raw: object, where: str | Path) -> int:
    """The version of a published file's JSON; raises BadInput for none, or for a newer one."""
    if not isinstance(raw, dict):
        raise BadInput("is no JSON object", where=where)
    version = raw.get("schema_version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BadInput(f"schema_version {version!r} is unknown", where=where)
    if version > CURRENT_VERSION:
        raise BadInput(
            f"schema_version {version} is newer than {CURRENT_VERSION}, the newest this program "
            "knows; the file is left untouched",
            where=where,
            next_step="update the bot",
        )
    return version


def upgrade(raw: Raw, version: int) -> Raw:
    for step in range(version, CURRENT_VERSION):
        raw = STEPS[step](raw)
    return raw
