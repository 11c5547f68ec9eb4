"""Reads an artifact's zip: hostile input, read into memory and bounded, never unpacked to disk."""

import stat
import zipfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from bot.errors import BadInput

MAX_ZIP_BYTES: Final = 16 * 1024 * 1024
MAX_FILE_BYTES: Final = 16 * 1024 * 1024
MAX_ENTRIES: Final = 20
_ENCRYPTED: Final = 0x1
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How upload-artifact packs; each further one has errors of its own."""


def _fault(info: zipfile.ZipInfo, expected: Collection[str]) -> str | None:
    """Why an entry is refused, in words."""
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in info.filename:
        return "leads out of the folder"
    mode = info.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        return "is no regular file"
    if info.flag_bits & _ENCRYPTED or info.compress_type not in _METHODS:
        return "is encrypted, or packed as GitHub packs nothing"
    if info.is_dir() or info.filename not in expected:
        return "is not expected"
    if info.file_size > MAX_FILE_BYTES:
        return f"is over {MAX_FILE_BYTES:,} bytes unpacked"
    return None


def read_artifact(path: Path, expected: Collection[str]) -> Mapping[str, bytes]:
    """The contents by name of a zip that holds just files of the expected names.

    Raises BadInput for anything else: another name, a path out of the folder, a link, two files of
    one name, an encrypted or an over-long file, a zip that is none.
    """
    where = "artifact"
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_ENTRIES:
                raise BadInput(f"holds {len(entries)} entries", where=where)
            found: dict[str, bytes] = {}
            for info in entries:
                if (fault := _fault(info, expected)) is not None:
                    raise BadInput(f"entry {info.filename!r} {fault}", where=where)
                if info.filename in found:
                    raise BadInput(f"entry {info.filename!r} is there twice", where=where)
                # zipfile gives out no more than the size in the header, which was checked
                found[info.filename] = archive.read(info)
            return found
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        OSError,
        EOFError,
        ValueError,
    ) as error:
        raise BadInput(f"is no zip that can be read ({error})", where=where) from error
