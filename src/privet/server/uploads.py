"""Uploads: streamed to disk with a limit, and looked at before they count. None is run or unpickled."""

from __future__ import annotations

import gzip
import tempfile
import zipfile
import zlib
from pathlib import Path

from fastapi import Request

from privet.errors import PrivetError
from privet.server.genotypes import PARTS
from privet.server.problems import Refusal
from privet.server.settings import Limits
from privet.server.state import Server
from privet.service.tables import columns_of_file

__all__ = ["ENDINGS", "check_upload", "ending_of", "receive", "spooled"]

#: What can be stored here: tables in one file.
_TEXTS = (".csv", ".tsv", ".arff", ".basket")
ENDINGS = (*_TEXTS, *(f"{ending}.gz" for ending in _TEXTS), ".xlsx", ".parquet", ".pq")
#: How much larger than itself an honest spreadsheet comes to.
_RATIO = 200


def ending_of(filename: str) -> str:
    """What kind of table a file says it is; the rest of its name is not used for anything.

    >>> ending_of("../../etc/People.CSV.gz")
    '.csv.gz'
    """
    name = filename.lower()
    found = [ending for ending in (*ENDINGS, *PARTS) if name.endswith(ending)]
    if not found:
        raise Refusal(
            415,
            "This kind of file is not known",
            "The server stores tables in one file, and studies of genotypes.",
            f"Name it by what it holds: {', '.join((*ENDINGS, *PARTS))}.",
            "filename",
        )
    return max(found, key=len)


async def receive(server: Server, ending: str, request: Request) -> Path:
    """The table in a file of its own, which counts for nothing yet."""
    limit = server.settings.limits.upload_bytes
    too_large = Refusal(
        413,
        "The file is too large",
        f"At most {limit:,} bytes are taken.",
        "Store it as Parquet, or ask the operator.",
    )
    place = await spooled(server, request, limit, too_large, ending)
    if place.stat().st_size == 0:
        place.unlink()
        raise Refusal(422, "The file is empty", "No bytes came.", "Check the file.", "filename")
    return place


async def spooled(server: Server, request: Request, limit: int, too_large: Refusal, ending: str) -> Path:
    """The body in a file, so that it takes no memory; nothing is left of one that is cut off."""
    folder = server.settings.home / "incoming"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    declared = request.headers.get("content-length")
    if declared is not None and declared.isdecimal() and int(declared) > limit:
        raise too_large
    handle = tempfile.NamedTemporaryFile(dir=folder, suffix=ending, delete=False)  # noqa: SIM115
    place, size = Path(handle.name), 0
    try:
        with handle:
            async for chunk in request.stream():
                size += len(chunk)
                if size > limit:
                    raise too_large
                handle.write(chunk)
        if declared is not None and declared.isdecimal() and size != int(declared):
            raise Refusal(
                400, "The upload was cut off", "Fewer bytes came than were announced.", "Try again."
            )
    except OSError as error:
        place.unlink(missing_ok=True)
        raise Refusal(
            507, "The server has no room", "The upload could not be stored.", "Ask the operator to free some."
        ) from error
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return place


def check_upload(place: Path, ending: str, limits: Limits) -> None:
    """Refuse, and remove, a file that is not what it says or would unpack without end."""
    try:
        if ending in (".xlsx", ".zip"):
            check_zip(place, limits)
        elif ending.endswith(".gz"):
            _check_gzip(place, limits)
        if ending in PARTS:  # looked at as a whole, once all of its files are there
            return
        columns_of_file(place, most_cells=limits.unpacked_bytes // 4)
    except PrivetError as error:
        place.unlink(missing_ok=True)
        error.message = error.message.replace(place.name, "the file")  # a name that only the server gave it
        raise
    except BaseException:
        place.unlink(missing_ok=True)
        raise


def _bomb() -> Refusal:
    return Refusal(
        413, "The file unpacks to too much", "It is far larger inside than outside.", "Store it as plain CSV."
    )


def check_zip(place: Path, limits: Limits) -> None:
    """The sizes that a zip file states may be lies, so its parts are unpacked once, into nothing."""
    allowed = min(limits.unpacked_bytes, max(place.stat().st_size * _RATIO, 50_000_000))
    try:
        with zipfile.ZipFile(place) as archive:
            if len(archive.infolist()) > 10_000:
                raise _bomb()
            total = 0
            for part in archive.infolist():
                with archive.open(part) as file:
                    while chunk := file.read(1 << 20):
                        total += len(chunk)
                        if total > allowed:
                            raise _bomb()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
        raise Refusal(
            422,
            "This is no Excel or zip file",
            "It is damaged, locked, or something else.",
            "Save it again.",
            "filename",
        ) from None


def _check_gzip(place: Path, limits: Limits) -> None:
    total = 0
    try:
        with gzip.open(place) as file:
            while chunk := file.read(1 << 20):
                total += len(chunk)
                if total > limits.unpacked_bytes:
                    raise _bomb()
    except (EOFError, OSError, zlib.error):
        raise Refusal(
            422,
            "The file is cut off or damaged",
            "It is no whole gzip file.",
            "Compress it again.",
            "filename",
        ) from None
