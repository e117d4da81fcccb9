"""The audit log: who did what, each entry sealed with the one before it. Names and ids, never data."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sqlalchemy import Connection, desc, func, insert, select, text

from privet.server.store.moments import now
from privet.server.tables import audit

__all__ = ["entries", "intact", "note"]

_LOCK = 0x70_72_76_61  # "prva": whoever appends to the log holds it


def _seal(previous: str, number: int, moment: str, who: str, study: str, what: str, about: str) -> str:
    plain = json.dumps([previous, number, moment, who, study, what, about], separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()


def note(connection: Connection, who: str, study: str, what: str, **about: Any) -> None:
    """Append an entry, within the transaction of what it is about."""
    if connection.dialect.name == "postgresql":  # one at a time; SQLite's writers are alone anyway
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    last = connection.execute(
        select(audit.c.number, audit.c.hash).order_by(desc(audit.c.number)).limit(1)
    ).first()
    number, previous = (last.number + 1, last.hash) if last else (1, "")
    moment, plain = now(), json.dumps(about, sort_keys=True, ensure_ascii=False)
    seal = _seal(previous, number, moment, who, study, what, plain)
    connection.execute(
        insert(audit).values(
            number=number, moment=moment, who=who, study=study, what=what, about=plain, hash=seal
        )
    )


def entries(connection: Connection, study: str) -> list[dict[str, Any]]:
    """A study's entries, counted within it: how much is done in others is nobody's business here."""
    found = connection.execute(select(audit).where(audit.c.study == study).order_by(audit.c.number))
    return [
        {
            "number": place,
            "when": row.moment,
            "who": row.who,
            "what": row.what,
            "about": json.loads(row.about),
            "hash": row.hash,
        }
        for place, row in enumerate(found, 1)
    ]


def intact(connection: Connection) -> bool:
    """Whether no entry was changed, removed or moved."""
    previous, number = "", 0
    for row in connection.execute(select(audit).order_by(audit.c.number)):
        number += 1
        sealed = _seal(previous, row.number, row.moment, row.who, row.study, row.what, row.about)
        if row.number != number or row.hash != sealed:
            return False
        previous = row.hash
    return number == (connection.execute(select(func.count()).select_from(audit)).scalar() or 0)
