"""The locked requirements install with `--require-hashes`, today and when newer releases exist."""

from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REQUIREMENTS = Path(__file__).parents[1] / "requirements"


def _locked(path: Path) -> dict[str, Requirement]:
    lines = [line for line in path.read_text().splitlines() if "==" in line]
    found = [Requirement(line.rstrip(" \\")) for line in lines if not line.startswith(("#", " "))]
    return {canonicalize_name(one.name): one for one in found}


@pytest.mark.parametrize("name", ["run.txt", "dev.txt"])
def test_an_extra_that_a_package_asks_for_is_locked_with_the_extra(name: str) -> None:
    """Else pip looks for a newer version of it, which has no hash, as soon as there is one."""
    locked = _locked(REQUIREMENTS / name)
    asked = {
        (package, canonicalize_name(wanted.name), extra)
        for package in locked
        for wanted in map(Requirement, _requires(package))
        for extra in wanted.extras
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""})
    }
    missing = [ask for ask in sorted(asked) if ask[2] not in locked[ask[1]].extras]
    assert ("pygithub", "pyjwt", "crypto") in asked  # there is something to look at
    assert missing == []


def _requires(package: str) -> list[str]:
    try:
        return metadata.requires(package) or []
    except metadata.PackageNotFoundError:  # locked for another platform
        return []
