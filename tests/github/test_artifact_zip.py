"""An artifact's zip is hostile input: only files of the expected names, bounded, in memory."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.errors import BadInput
from bot.github.artifact_zip import read_artifact

NAME = "data.json"


def zip_with(*entries: tuple[zipfile.ZipInfo | str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def symlink(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o120777 << 16
    return info


def read(tmp_path: Path, data: bytes) -> dict[str, bytes]:
    path = tmp_path / "artifact.zip"
    path.write_bytes(data)
    return dict(read_artifact(path, {NAME, "latest.json"}))


def test_files_of_the_expected_names_are_read(tmp_path: Path) -> None:
    data = zip_with((NAME, b"{}"), ("latest.json", b"[]"))
    assert read(tmp_path, data) == {NAME: b"{}", "latest.json": b"[]"}


def bomb() -> bytes:
    """A gigabyte of zeros."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(zipfile.ZipInfo(NAME), "w", force_zip64=True) as file,
    ):
        for _ in range(1_024):
            file.write(b"\0" * 1_048_576)
    return buffer.getvalue()


def lying_bomb() -> bytes:
    """Its headers say that it unpacks to two bytes."""
    data = bytearray(zip_with((NAME, b"\0" * 40_000_000)))
    central = data.rindex(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 2)
    data[22:26] = struct.pack("<I", 2)
    return bytes(data)


def encrypted() -> bytes:
    data = bytearray(zip_with((NAME, b"{}")))
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def twice() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return zip_with((NAME, b"1"), (NAME, b"2"))


HOSTILE: dict[str, Callable[[], bytes]] = {
    "a path out of the folder": lambda: zip_with((f"../{NAME}", b"x")),
    "a path out of the folder, deep": lambda: zip_with((f"a/../../{NAME}", b"x")),
    "a path out by backslashes": lambda: zip_with((f"..\\{NAME}", b"x")),
    "an absolute path": lambda: zip_with((f"/etc/{NAME}", b"x")),
    "a drive": lambda: zip_with((f"C:{NAME}", b"x")),
    "a symbolic link": lambda: zip_with((symlink(NAME), b"/etc/passwd")),
    "two files of one name": twice,
    "a gigabyte of zeros": bomb,
    "a bomb that lies": lying_bomb,
    "a nested zip": lambda: zip_with(("inner.zip", zip_with((NAME, b"{}")))),
    "an unexpected name": lambda: zip_with(("other.json", b"{}")),
    "the name in another case": lambda: zip_with((NAME.upper(), b"{}")),
    "a folder": lambda: zip_with((f"{NAME}/", b"")),
    "many entries": lambda: zip_with(*[(f"{n}.json", b"") for n in range(1_000)]),
    "an encrypted file": encrypted,
    "no zip": lambda: b"not a zip at all",
    "nothing": lambda: b"",
    "a truncated zip": lambda: zip_with((NAME, b"{}" * 1_000))[:60],
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_zip_is_refused_and_nothing_is_written(tmp_path: Path, kind: str) -> None:
    data = HOSTILE[kind]()
    with pytest.raises(BadInput) as caught:
        read(tmp_path, data)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["artifact.zip"]
