"""Structured logs: one JSON object per line, of words, kinds and ids. No data, address or person's name."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

__all__ = ["start_logs"]

#: What an entry may say besides its message: anything else that a library adds is dropped.
_FIELDS = ("kind", "pid", "route", "run", "status", "seconds", "state")


class Lines(logging.Formatter):
    """A record as one line of JSON. The text of an exception is never written: it may quote a cell."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        own = record.name.startswith("privet.")
        entry["message"] = record.getMessage() if own else "see the logger"
        entry |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0] is not None:
            entry["kind"] = record.exc_info[0].__name__
        return json.dumps(entry)


def start_logs() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("privet").setLevel(logging.INFO)
