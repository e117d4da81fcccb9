"""What every run that is paid for does first: find the ledger that pays, or the owner's word."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privet.service.case import UseCase
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.schema import Schema

__all__ = ["Paid", "until_in_words"]


def until_in_words(goal: str) -> str:
    """What a run that stops when it is enough does, for its plan."""
    return (
        f"Precision is added step by step until {goal} in 95 % of cases. The cost is a limit: what is not "
        "needed of it is given back."
    )


@dataclass(frozen=True, kw_only=True)
class Paid(UseCase):
    """A use case that spends: its parameter ``owner_says`` is the owner's word."""

    spends: ClassVar[bool] = True
    uses_ledger: ClassVar[bool] = True

    @contextmanager
    def paid(
        self, session: Session, schema: Schema, what: str, *, public: bool = False
    ) -> Iterator[Ledger | None]:
        """The ledger that pays for what is done within; None if nobody does, by the owner's word."""
        from privet.service.accounts import paying

        ledger = None if public else session.opened_ledger()
        if ledger is None:
            owner_says: str | None = getattr(self, "owner_says", None)  # declared by each, in its own order
            session.unpaid(schema, what, owner_says)
        with paying(ledger, schema):
            yield ledger
