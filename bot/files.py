"""Reading and writing files at the edge: bounded, strict, atomic.

What comes from a pull request may be hostile: too large, no UTF-8, no JSON, nested without
end, or with a key given twice so that two readers see two values.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from bot.errors import BadInput

MAX_JSON_BYTES: Final = 16 * 1024 * 1024  # a history of 50 runs is about 0.4 MB
MAX_LINES_BYTES: Final = 128 * 1024 * 1024  # a gold set of 100,000 conversations
LOCK_TIMEOUT_SECONDS: Final = 60.0


def read_bytes(path: Path, max_bytes: int = MAX_JSON_BYTES) -> bytes:
    """The whole file; raises BadInput when it is absent, no file, unreadable or over the bound."""
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise BadInput("file not found", where=path, next_step="check the path") from error
    except IsADirectoryError as error:
        raise BadInput("is a directory, not a file", where=path) from error
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=path) from error
    if len(data) > max_bytes:
        raise BadInput(f"is larger than {max_bytes:,} bytes, the bound for such a file", where=path)
    return data


def decode(data: bytes, where: str | Path) -> str:
    """UTF-8 text, a leading byte order mark dropped; raises BadInput."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"is not UTF-8 text (byte {error.start})", where=where, next_step="save it as UTF-8"
        ) from error


def read_text(path: Path, max_bytes: int = MAX_JSON_BYTES) -> str:
    return decode(read_bytes(path, max_bytes), path)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} is given twice in one object")
    return result


def parse_json(text: str, where: str | Path, *, allow_nan: bool = False) -> Any:
    """Strict JSON; `allow_nan` lets NaN and Infinity through for a caller that judges them.

    Raises BadInput with the place of the fault.
    """
    try:
        return json.loads(
            text,
            parse_constant=None if allow_nan else _refuse_constant,
            object_pairs_hook=_no_key_twice,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        state = "is empty" if not text.strip() else f"is not JSON ({error.msg} at {place})"
        raise BadInput(state, where=where, next_step="restore it or fix the producer") from error
    except RecursionError as error:
        raise BadInput("is nested too deeply", where=where) from error
    except ValueError as error:
        raise BadInput(f"is not JSON ({error})", where=where) from error


def read_json(path: Path, *, max_bytes: int = MAX_JSON_BYTES, allow_nan: bool = False) -> Any:
    return parse_json(read_text(path, max_bytes), path, allow_nan=allow_nan)


def json_lines(data: bytes, where: str | Path) -> Iterator[tuple[int, Any]]:
    """(line number from 1, value) of each line; blank lines are skipped. Raises BadInput."""
    for number, line in enumerate(decode(data, where).split("\n"), start=1):
        if line.strip():
            yield number, parse_json(line, f"{where}:{number}")


def to_json(value: object) -> str:
    """Strict JSON as the project's files hold it: indented, readable, a line break at the end."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def check_writable(paths: Iterable[Path]) -> None:
    """Raises BadInput for a path that no file can be written to.

    For a command that writes at its end what took long, or that writes several files.
    """
    for path in paths:
        target = path.resolve()
        if not path.name or target.is_dir():
            raise BadInput("is a directory, not a file", where=path)
        _check_kind(target)
        if not os.access(_folder_of(target, path), os.W_OK | os.X_OK):
            raise BadInput("cannot be written: Permission denied", where=path)


def check_folders(path: Path) -> None:
    """Raises BadInput when a file stands where a folder of `path` belongs: not just absent."""
    _folder_of(path.resolve(), path)


def _folder_of(target: Path, path: Path) -> Path:
    """The nearest folder of `target` that exists; raises BadInput when it is none."""
    for parent in target.parents:
        if parent.is_dir():
            return parent
        if os.path.lexists(parent):
            raise BadInput(f"{parent.name} is no folder", where=path)
    return target.parent


def _check_kind(target: Path) -> None:
    """A device or a pipe is not replaced by a file."""
    if target.exists() and not target.is_file() and not target.is_dir():
        raise BadInput("is no regular file", where=target, next_step="name a file")


def write_atomic(path: Path, data: str | bytes) -> None:
    """A reader sees the old file or the new one, whole, also after a kill or a power cut.

    The permissions of an existing file are kept, and a symbolic link stays one.
    """
    write_all_atomic({path: data})


def write_all_atomic(files: Mapping[Path, str | bytes]) -> None:
    """Write files that belong together: all are complete on disk before the first takes its place.

    Raises BadInput, with every file as it was, when one cannot be written.
    """
    written: list[tuple[Path, Path]] = []
    before: list[tuple[Path, bytes | None]] = []
    path = Path()
    try:
        for path, data in files.items():
            payload = data.encode("utf-8") if isinstance(data, str) else data
            target = path.resolve()
            written.append((_write_beside(target, payload), target))
        for temporary, path in written:
            old = path.read_bytes() if len(files) > 1 and path.exists() else None
            temporary.replace(path)
            before.append((path, old))
    except BaseException as error:
        if len(before) < len(files):
            for target, old in before:
                _put_back(target, old)
        for temporary, _ in written:
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise BadInput(f"cannot be written: {error.strerror}", where=path) from error
        raise


def write_stream_atomic(path: Path, stream: IO[bytes]) -> None:
    """As `write_atomic`, for what may be larger than memory should hold; reads from the start."""
    target = path.resolve()
    try:
        stream.seek(0)
        _write_beside(target, stream).replace(target)
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror}", where=path) from error


def _write_beside(target: Path, payload: bytes | IO[bytes]) -> Path:
    """`payload` in a temporary file of the same folder, on disk, with the target's permissions."""
    _check_kind(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            if isinstance(payload, bytes):
                file.write(payload)
            else:
                shutil.copyfileobj(payload, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _put_back(target: Path, old: bytes | None) -> None:
    if old is None:
        target.unlink(missing_ok=True)
    else:
        _write_beside(target, old).replace(target)


def write_new(path: Path, data: bytes) -> None:
    """A reader sees no file or the whole one; raises BadInput when the name is taken.

    Of two writers at once one wins: a hard link, unlike a rename, never replaces what is there.
    """
    try:
        temporary = _write_beside(path, data)
        try:
            path.hardlink_to(temporary)
        except FileExistsError as error:
            raise BadInput("exists already and is never overwritten", where=path) from error
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror}", where=path) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock beside `path`, so that two local writers go one after the other."""
    from filelock import FileLock, Timeout

    target = path.resolve()
    lock = target.with_name(f"{target.name}.lock")
    holder = FileLock(lock, timeout=LOCK_TIMEOUT_SECONDS)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        holder.acquire()
    except Timeout as error:
        raise BadInput(
            f"another writer holds the lock for over {LOCK_TIMEOUT_SECONDS:.0f} seconds",
            where=lock,
            next_step="wait for it, or delete the lock file when no writer is running",
        ) from error
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror}", where=path) from error
    try:
        yield
    finally:
        holder.release()
