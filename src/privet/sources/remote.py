"""Tables behind an address, and on standard input: copied to a file of their own first, in constant memory.

Not every server lets parts of a file be read, and a run reads a table more than once: so it is fetched once,
and the same bytes are read each time. The copy is removed when this process ends.
"""

from __future__ import annotations

import atexit
import ipaddress
import shutil
import sys
import tempfile
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from privet.errors import DataError
from privet.sources.address import address_of, without_password
from privet.sources.files import FilePath

__all__ = ["fetched", "from_standard_input"]

_BLOCK = 1 << 20
_PATIENCE = 60  # seconds without a byte
#: Tables in several files: what lies beside the one that is named.
_BESIDE = {".names": (".data",), ".data": (".names",), ".bed": (".bim", ".fam")}


def fetched(address: FilePath) -> Path:
    """The file at an address (https, s3), as a local copy with the same name."""
    return _fetched(str(address_of(address)))


@lru_cache(maxsize=64)
def _fetched(place: str) -> Path:
    parts = urlsplit(place)
    if parts.scheme == "http" and not _is_local(parts.hostname):
        raise DataError("A table is not fetched over http, where anybody may change it.", "Use https.")
    named = PurePosixPath(parts.path)
    folder = _folder()
    for ending in (named.suffix, *_BESIDE.get(named.suffix.lower(), ())):
        path = parts.path.removesuffix(named.suffix) + ending
        _copy(urlunsplit(parts._replace(path=path)), folder / (Path(unquote(path)).name or "table"))
    return folder / (Path(unquote(parts.path)).name or "table")


def _copy(place: str, target: Path) -> None:
    try:
        with _opened(place) as stream, target.open("wb") as file:
            shutil.copyfileobj(stream, file, _BLOCK)
    except Exception:
        target.unlink(missing_ok=True)
        raise DataError(
            f"{without_password(place)} could not be fetched, or not all of it.",
            "Check the address, and that you may read it.",
        ) from None


def _opened(place: str) -> Any:
    if place.startswith("s3://"):
        from pyarrow import fs

        system, path = fs.FileSystem.from_uri(place)
        return system.open_input_stream(path)
    from urllib.request import urlopen

    answer = urlopen(place, timeout=_PATIENCE)
    if place.startswith("https:") and not answer.url.startswith("https:"):  # sent on to where it is not safe
        answer.close()
        raise DataError("The server sent the request on to an address without https.")
    return answer


def _is_local(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


@lru_cache(maxsize=1)
def from_standard_input(stream: IO[bytes] | None = None) -> Path:
    """What comes on standard input, as a file; it can be read once only, so it is kept."""
    target = _folder() / "standard-input.csv"
    with target.open("wb") as file:
        shutil.copyfileobj(stream or sys.stdin.buffer, file, _BLOCK)
    return target


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="privet-"))  # for this user's eyes only
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
