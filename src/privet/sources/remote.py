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
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

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
    if _may_be_changed(parts):
        raise DataError("A table is not fetched over http, where anybody may change it.", "Use https.")
    named = PurePosixPath(parts.path)
    folder = _folder()
    for ending in (named.suffix, *_BESIDE.get(named.suffix.lower(), ())):
        path = parts.path.removesuffix(named.suffix) + ending
        _copy(urlunsplit(parts._replace(path=path)), folder / (Path(unquote(path)).name or "table"))
    return folder / (Path(unquote(parts.path)).name or "table")


def _may_be_changed(parts: SplitResult) -> bool:
    """Whether somebody on the way could exchange the table: http, but to this machine itself."""
    if parts.scheme == "s3":  # its address may name another endpoint
        options = dict(parse_qsl(parts.query))
        parts = urlsplit(f"{options.get('scheme', 'https')}://{options.get('endpoint_override', '')}")
    return parts.scheme == "http" and not _is_local(parts.hostname)


def _copy(place: str, target: Path) -> None:
    name = without_password(place)
    try:
        with _opened(place) as stream, target.open("wb") as file:
            shutil.copyfileobj(stream, file, _BLOCK)
            whole = _length(stream)
        if whole is not None and target.stat().st_size != whole:
            raise EOFError
    except Exception as error:
        target.unlink(missing_ok=True)
        raise _explained(name, error) from None


def _length(stream: Any) -> int | None:
    """How many bytes a web server said that would come; None if the end shows by itself (s3, chunks).

    Who reads an answer in pieces is not warned when the connection is closed before its end.
    """
    headers = getattr(stream, "headers", None)
    if headers is None or stream.chunked:
        return None
    return int(headers.get("Content-Length", -1))


def _explained(name: str, error: Exception) -> DataError:
    status = getattr(error, "code", None)
    if isinstance(error, DataError):
        return error
    if isinstance(error, FileNotFoundError) or status in (404, 410):
        return DataError(f"There is nothing at {name}.", "Check the address.")
    if status in (401, 403):
        return DataError(f"You may not read {name}.", "Ask its owner for permission.")
    return DataError(
        f"{name} could not be fetched, or not all of it.", "Check the address, and that you may read it."
    )


def _opened(place: str) -> Any:
    if place.startswith("s3://"):
        from pyarrow import fs

        system, path = fs.FileSystem.from_uri(place)
        return system.open_input_stream(path, compression=None)  # the same bytes, as elsewhere
    return _safe_opener().open(place, timeout=_PATIENCE)


def _safe_opener() -> Any:
    from urllib.request import HTTPRedirectHandler, build_opener

    class SafeRedirects(HTTPRedirectHandler):
        """Goes where the server says only by https: any other step could lead anywhere."""

        def redirect_request(self, request: Any, answer: Any, *more: Any) -> Any:
            if not more[-1].startswith("https:"):
                raise DataError(
                    "The server sent the request on to an address without https.", "Use another address."
                )
            return super().redirect_request(request, answer, *more)

    return build_opener(SafeRedirects)


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
