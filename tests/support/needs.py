"""Programs that some tests need and pip cannot install."""

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip, and say so; in CI nothing is skipped."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is not installed")
    pytest.skip(f"{what} is not installed; CI runs this test")
