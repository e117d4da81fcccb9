"""Backup and restore of a server on SQLite: one folder, with the head of the ledger written beside it.

A ledger that is put back to an earlier state gives spent budget back, so a restore compares heads: the
backup is refused if the ledger that it would replace has gone on since. On PostgreSQL ``pg_dump`` does this
work, and the same comparison is made by verifying the restored ledger against a head that was noted down.
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
from privet.service.case import Result, UseCase
from privet.service.session import Session

__all__ = ["BackUp", "Restore", "back_up", "restore"]

HEAD = "ledger-head.txt"
_FOLDERS = ("datasets", "experiments")
Home = Annotated[Path, File(), "The server's own folder."]


def back_up(home: Path, folder: Path) -> Head:
    """Copy the database and the stored tables into a new folder; gives the head of the copied ledger."""
    _require_server(home)
    if folder.exists():
        raise ParameterError(f"{folder.name} is there already.", "Name a folder that is not there yet.")
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True, mode=0o700)
    with (
        closing(sqlite3.connect(f"file:{home / FILE}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(partial / FILE)) as copy,
    ):
        source.backup(copy)  # one moment of it, while the server goes on
        copy.execute("PRAGMA journal_mode = DELETE")
    (partial / FILE).chmod(0o600)
    for name in _FOLDERS:
        if (home / name).is_dir():
            shutil.copytree(home / name, partial / name)
    ledger = Ledger.open(partial / FILE)
    ledger.verify()
    head = ledger.head()
    (partial / HEAD).write_text(f"{head}\n", encoding="utf-8")
    partial.rename(folder)
    return head


def restore(folder: Path, home: Path, noted: str | None = None) -> Head:
    """Put a backup in the place of a server that is stopped; refused if that would give budget back."""
    _require_server(folder)
    ledger = Ledger.open(folder / FILE)
    ledger.verify(Head.parse((folder / HEAD).read_text(encoding="utf-8")))
    head = ledger.head()
    if noted is not None:
        ledger.verify(Head.parse(noted))
    if (home / FILE).exists():
        now = Ledger.open(home / FILE).head()
        if now != head:
            raise LedgerError(
                f"The ledger in {home.name} has {now.count} entries and the backup {head.count}: what was "
                "spent in between would be given back.",
                "Keep the newer ledger.",
            )
    elif noted is None:
        raise LedgerError(
            "There is no ledger to compare the backup with, so nobody can say whether it is the latest.",
            "Give the head that was noted down last.",
        )
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.copy2(folder / FILE, home / FILE)
    for name in _FOLDERS:
        shutil.rmtree(home / name, ignore_errors=True)
        if (folder / name).is_dir():
            shutil.copytree(folder / name, home / name)
    return head


def _require_server(home: Path) -> None:
    if not (home / FILE).is_file():
        raise ParameterError(f"{home.name} holds no server.", "Name the folder of a server, or of a backup.")


@dataclass(frozen=True, kw_only=True)
class BackUp(UseCase):
    """Copy a server's database and stored tables into the new FOLDER, while it runs."""

    folder: Annotated[Path, File("out"), Argument(), "A folder that is not there yet."]
    home: Home = Path("privet-server")

    def run(self, session: Session) -> Result:
        return Copied(str(back_up(self.home, self.folder)), f"{self.home} was copied to {self.folder}.")


@dataclass(frozen=True, kw_only=True)
class Restore(UseCase):
    """Put the backup FOLDER in the place of a stopped server, unless that would give budget back."""

    folder: Annotated[Path, File(), Argument(), "A backup."]
    home: Home = Path("privet-server")
    head: Annotated[str | None, "The head of the ledger that was noted down last."] = None

    def run(self, session: Session) -> Result:
        head = restore(self.folder, self.home, self.head)
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
