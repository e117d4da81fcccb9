"""Backup and restore of a server: one folder, with the head of the ledger written beside it.

A ledger that is put back to an earlier state gives spent budget back, so a restore compares heads: the
backup is refused if the ledger that it would replace has gone on since. On PostgreSQL the database is dumped
and put back by its own programs (``dumping``); the comparison is the same.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from privet.budget import Head, Ledger
from privet.errors import LedgerError, ParameterError
from privet.parameters import Argument, File
from privet.server.database import FILE
from privet.server.dumping import DUMP, dump, head_at, heads_in, put_back
from privet.server.settings import database_address
from privet.service.case import Result, UseCase
from privet.service.session import Session

__all__ = ["BackUp", "Restore", "back_up", "restore"]

HEAD = "ledger-head.txt"
#: Stored tables and experiments are replaced by a backup's. What a party has said in a study stands for good.
_FOLDERS, _STANDING = ("datasets", "experiments"), "submissions"
Home = Annotated[Path, File(), "The server's own folder."]
At = Annotated[str | None, "A PostgreSQL address, as postgresql://…; None for $PRIVET_DATABASE, or SQLite."]


def back_up(home: Path, folder: Path, address: str | None = None) -> Head:
    """Copy the database and the stored tables into a new folder; gives the head of the copied ledger.

    ``address`` is that of a server on PostgreSQL; None for SQLite, in the server's own folder.
    """
    if address is None:
        _require_server(home)
    if folder.exists():
        raise ParameterError(f"{folder.name} is there already.", "Name a folder that is not there yet.")
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True, mode=0o700)
    head = _copied(home / FILE, partial / FILE) if address is None else dump(address, partial / DUMP)
    for name in (*_FOLDERS, _STANDING):
        if (home / name).is_dir():
            shutil.copytree(home / name, partial / name)
    (partial / HEAD).write_text(f"{head}\n", encoding="utf-8")
    partial.rename(folder)
    return head


def _copied(file: Path, place: Path) -> Head:
    with (
        closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(place)) as copy,
    ):
        source.backup(copy)  # one moment of it, while the server goes on
        copy.execute("PRAGMA journal_mode = DELETE")
    place.chmod(0o600)
    ledger = Ledger.open(place)
    ledger.verify()
    return ledger.head()


def restore(folder: Path, home: Path, noted: str | None = None, address: str | None = None) -> Head:
    """Put a backup in the place of a server that is stopped; refused if that would give budget back."""
    if address is None:
        _require_server(folder)
        ledger = Ledger.open(folder / FILE)
        for each in (_written(folder), *([] if noted is None else [Head.parse(noted)])):
            ledger.verify(each)
        head, now = ledger.head(), Ledger.open(home / FILE).head() if (home / FILE).exists() else None
    else:
        head, now = _dumped(folder, noted), head_at(address)
    _require_latest(head, now, noted)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if address is None:
        for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
            (home / name).unlink(missing_ok=True)
        shutil.copy2(folder / FILE, home / FILE)
    else:
        put_back(folder / DUMP, address)
        Ledger.open(address).verify(head)
    for name in _FOLDERS:
        shutil.rmtree(home / name, ignore_errors=True)
        if (folder / name).is_dir():
            shutil.copytree(folder / name, home / name)
    _stand_again(folder / _STANDING, home / _STANDING)
    return head


def _stand_again(kept: Path, place: Path) -> None:
    """Put back what parties have said, but replace nothing: a result that was taken back could be made twice.

    Sealed rows that were deleted because there is a result are not brought back.
    """
    from privet.parties import Exchange

    for file in sorted(kept.rglob("*.json")):
        to = place / file.relative_to(kept)
        if not to.exists():
            to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.copy2(file, to)
    for study in place.iterdir() if place.is_dir() else ():
        exchange = Exchange(study)
        if exchange.get("study") is not None and exchange.get("result") is not None:
            exchange.forget()


def _written(folder: Path) -> Head:
    return Head.parse((folder / HEAD).read_text(encoding="utf-8"))


def _dumped(folder: Path, noted: str | None) -> Head:
    """The head of the ledger in a dump, which must hold the one that was noted down."""
    if not (folder / DUMP).is_file():
        raise ParameterError(f"{folder.name} holds no dump of PostgreSQL.", "Name the folder of a backup.")
    heads = heads_in(folder / DUMP)
    if heads[-1] != _written(folder):
        raise LedgerError("The dump is not the one that the backup was made with.", "Use another backup.")
    if noted is not None and Head.parse(noted) not in heads:
        raise LedgerError(
            "The entry that was noted down is missing in the backup, or was changed: it is older, or of "
            "another ledger.",
            "Find a later backup.",
        )
    return heads[-1]


def _require_latest(head: Head, now: Head | None, noted: str | None) -> None:
    if now is not None and now != head:
        raise LedgerError(
            f"The ledger that is there has {now.count} entries and the backup {head.count}: what was "
            "spent in between would be given back.",
            "Keep the newer ledger.",
        )
    if now is None and noted is None:
        raise LedgerError(
            "There is no ledger to compare the backup with, so nobody can say whether it is the latest.",
            "Give the head that was noted down last.",
        )


def _require_server(home: Path) -> None:
    if not (home / FILE).is_file():
        raise ParameterError(f"{home.name} holds no server.", "Name the folder of a server, or of a backup.")


@dataclass(frozen=True, kw_only=True)
class BackUp(UseCase):
    """Copy a server's database and stored tables into the new FOLDER, while it runs."""

    folder: Annotated[Path, File("out"), Argument(), "A folder that is not there yet."]
    home: Home = Path("privet-server")
    database: At = None

    def run(self, session: Session) -> Result:
        head = back_up(self.home, self.folder, database_address(self.database))
        return Copied(str(head), f"{self.home} was copied to {self.folder}.")


@dataclass(frozen=True, kw_only=True)
class Restore(UseCase):
    """Put the backup FOLDER in the place of a stopped server, unless that would give budget back."""

    folder: Annotated[Path, File(), Argument(), "A backup."]
    home: Home = Path("privet-server")
    database: At = None
    head: Annotated[str | None, "The head of the ledger that was noted down last."] = None

    def run(self, session: Session) -> Result:
        head = restore(self.folder, self.home, self.head, database_address(self.database))
        return Copied(str(head), f"{self.folder} was restored to {self.home}.")


@dataclass(frozen=True)
class Copied(Result):
    """What was done, and the head of the ledger that was copied."""

    head: str
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        return {"head": self.head}

    def text(self) -> str:
        return f"{self.sentence}\nHead of the ledger (note it elsewhere): {self.head}"
