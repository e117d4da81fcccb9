"""Opening files to read, and replacing files in one step when they are written."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

import pyarrow as pa

from privet.errors import DataError

__all__ = ["FilePath", "open_input", "reading", "replacing"]

FilePath = str | PathLike[str]


@contextmanager
def reading(path: FilePath) -> Iterator[None]:
    """Turn the errors of reading a file into ones that say what to do, and that hold nothing of the file."""
    name = Path(path).name
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"There is no file {name}.", "Check its path.") from None
    except PermissionError:
        raise DataError(f"The file {name} may not be read.", "Ask its owner for permission.") from None
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    except (EOFError, OSError, zlib.error):
        damaged = "is cut off or damaged" if name.endswith(".gz") else "cannot be read"
        raise DataError(f"The file {name} {damaged}.", "Copy or download it again.") from None


def _not_utf8(path: FilePath) -> DataError:
    return DataError(f"The file {Path(path).name} is not UTF-8 text.", "Save it again as UTF-8.")


def open_input(path: FilePath) -> pa.NativeFile:
    """The file's bytes as a stream; what ends in ``.gz`` is decompressed on the way."""
    with reading(path):
        if Path(path).is_dir():
            raise DataError(f"{Path(path).name} is a folder, not a file.", "Name one file in it.")
        return pa.input_stream(str(path), compression="gzip" if str(path).endswith(".gz") else None)


@contextmanager
def replacing(path: FilePath) -> Iterator[pa.NativeFile]:
    """A stream to write a whole file to, which takes its place only when all of it has been written.

    A reader thus sees the old file or the new one, never half of one; a failed write leaves nothing behind.
    """
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    try:
        with pa.output_stream(str(partial), compression="gzip" if path.suffix == ".gz" else None) as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
