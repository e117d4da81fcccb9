"""Moving a ledger from one file or database to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from privet.parameters import Argument
from privet.service.case import Result, UseCase
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.budget import Head

__all__ = ["MoveLedger"]


@dataclass(frozen=True, kw_only=True)
class MoveLedger(UseCase):
    """Move the ledger SOURCE to the place TARGET, each a file or postgresql://USER@HOST/DATABASE.

    The chain of entries stays whole and is verified on both sides. The old ledger is closed, so that its
    budget cannot exist twice. An interrupted move is finished by the same command.
    """

    source: Annotated[str, Argument(), "The ledger as it is: a file or an address."]
    target: Annotated[str, Argument(), "Where it goes: a new file, or a database without a ledger."]

    def run(self, session: Session) -> Moved:
        from privet.budget import move_ledger, shown

        return Moved(
            shown(self.source), shown(self.target), move_ledger(self.source, self.target, session.analyst)
        )


@dataclass(frozen=True)
class Moved(Result):
    """A ledger in its new place."""

    source: str
    target: str
    head: Head

    def to_dict(self) -> dict[str, Any]:
        return {"from": self.source, "to": self.target, "entries": self.head.count, "head": str(self.head)}

    def text(self) -> str:
        return (
            f"Moved {self.head.count} entries to {self.target}, and verified them there.\n"
            f"{self.source} is closed: it can be read, and nothing can be spent from it.\n"
            f"The head is now  {self.head}"
        )
