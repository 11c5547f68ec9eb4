"""Objects of a user's own code, named as `package.module:NAME`."""

import importlib
import sys
from pathlib import Path
from typing import Any

from bot.errors import BadInput


def import_object(import_string: str) -> Any:
    """The object, looked for in the current folder first; runs the module's code.

    Raises BadInput when there is none.
    """
    module_name, _, name = import_string.partition(":")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(importlib.import_module(module_name), name)
    except Exception as error:
        raise BadInput(
            f"cannot be imported: {type(error).__name__}: {error}",
            where=import_string,
            next_step="name it as package.module:NAME, importable from the repository's root",
        ) from error
