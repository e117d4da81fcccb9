"""Opening files to read, and replacing files in one step when they are written."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

import pyarrow as pa

from privet.errors import DataError

__all__ = ["COMPRESSED", "FilePath", "not_text", "open_input", "open_text", "reading", "replacing"]

FilePath = str | PathLike[str]

_CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
#: Endings of compressed files; a text's own ending stands before.
COMPRESSED = (*_CODECS, ".zip")


@contextmanager
def reading(path: FilePath, encoding: str = "utf-8") -> Iterator[None]:
    """Turn the errors of reading a file into ones that say what to do, and that hold nothing of the file."""
    name = Path(path).name
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"There is no file {name}.", "Check its path.") from None
    except PermissionError:
        raise DataError(f"The file {name} may not be read.", "Ask its owner for permission.") from None
    except UnicodeError:
        raise not_text(path, encoding) from None
    except (EOFError, OSError, zlib.error, zipfile.BadZipFile):
        damaged = "is cut off or damaged" if name.endswith(COMPRESSED) else "cannot be read"
        raise DataError(f"The file {name} {damaged}.", "Copy or download it again.") from None


def not_text(path: FilePath, encoding: str = "utf-8") -> DataError:
    """What to say of a file whose bytes are not text in this encoding."""
    shown = "UTF-8" if encoding == "utf-8" else encoding
    return DataError(
        f"The file {Path(path).name} is not {shown} text.", "Save it again as UTF-8, or name its encoding."
    )


def open_input(path: FilePath) -> pa.NativeFile:
    """The file's bytes as a stream; what is compressed is decompressed on the way."""
    with reading(path):
        if Path(path).is_dir():
            raise DataError(f"{Path(path).name} is a folder, not a file.", "Name one file in it.")
        if Path(path).suffix == ".zip":
            return pa.PythonFile(_only_member(Path(path)), mode="r")
        return pa.input_stream(str(path), compression=_CODECS.get(Path(path).suffix))


def _only_member(path: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(path)
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise DataError(f"The archive {path.name} holds {len(members)} files.", "Keep one table in it.")
    return archive.open(members[0])


@contextmanager
def open_text(path: FilePath) -> Iterator[IO[str]]:
    """The lines of a UTF-8 text; what is compressed is decompressed on the way."""
    with (
        open_input(path) as stream,
        reading(path),
        io.TextIOWrapper(io.BufferedReader(stream), encoding="utf-8-sig") as file,
    ):
        yield file


@contextmanager
def replacing(path: FilePath) -> Iterator[pa.NativeFile]:
    """A stream to write a whole file to, which takes its place only when all of it has been written.

    A reader thus sees the old file or the new one, never half of one; a failed write leaves nothing behind.
    """
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    try:
        with pa.output_stream(str(partial), compression=_CODECS.get(path.suffix)) as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
