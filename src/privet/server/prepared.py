"""What of a plan follows from what is asked for and from the schema alone: worked out once, and remembered.

Nothing here depends on a record, on the ledger, or on who asks. Whoever plans was let in before this is
looked up, and whether the price fits is asked of the ledger each time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from privet.server.cases import Asked
from privet.server.flows import asked_for
from privet.service import UseCase

__all__ = ["KEPT", "Prepared", "Preparing"]

#: How many plans a process remembers.
KEPT = 128
#: Use cases that know all they need when they are made: no model's file, no study, nothing released before.
#: They remember their own rehearsal.
_BY_THEMSELVES = ("fit",)


@dataclass(frozen=True)
class Prepared:
    """A plan's hash, the command that does the same, and the use case itself where it can be used again."""

    hash: str
    command: str
    case: UseCase | None


class Preparing:
    """The memory of one process. The key holds all that the answer follows from."""

    def __init__(self) -> None:
        self._remembered = lru_cache(maxsize=KEPT)(_prepared)

    @property
    def hits(self) -> int:
        """How many plans were looked up."""
        return self._remembered.cache_info().hits

    def of(self, asked: Asked, name: str, schema: Path) -> Prepared:
        """What follows from a plan for a dataset of this name, under the schema in this file."""
        found = schema.stat() if schema.exists() else None
        version = None if found is None else (found.st_mtime_ns, found.st_size)
        return self._remembered(json.dumps(asked.to_dict()), name, schema, version)


def _prepared(text: str, name: str, schema: Path, version: tuple[int, int] | None) -> Prepared:
    from privet.service.exporting import command_of

    asked = asked_for(**json.loads(text))
    command = command_of(replace(asked.document(name), files={})).strip()
    if asked.use_case not in _BY_THEMSELVES:
        return Prepared(asked.hash(), command, None)
    with asked.case(schema) as case:
        return Prepared(asked.hash(), command, case)
