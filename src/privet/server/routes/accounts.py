"""Budgets: accounts, who spent what, and whether the ledger is intact."""

from __future__ import annotations

from fractions import Fraction

from fastapi import APIRouter

from privet.budget import Approximate, Head, Pure
from privet.errors import LedgerError
from privet.server.guests import Asking, Serving, missing
from privet.server.heads import public_head
from privet.server.planning import account_of
from privet.server.shapes import (
    AccountShown,
    HeadShown,
    HistoryEntry,
    HistoryShown,
    Verified,
    VerifyAsked,
    amount,
)
from privet.server.store import datasets, runs, studies

__all__ = ["router"]

router = APIRouter(tags=["accounts"])
_INTACT = "No entry was changed, removed or put back."
#: The same whether or not there is such an entry by now: the ledger's true length tells when a run has ended.
_LATE = "The entry that was noted down is missing, or it is later than the latest that is shown by now."


@router.get("/accounts")
def show_accounts(server: Serving, caller: Asking) -> list[AccountShown]:
    """The accounts of your studies' datasets: limits, what is spent, and what is left."""
    ledger = server.database.ledger
    with server.database.read() as connection:
        chosen = studies.with_role(connection, caller.id, ("owner", "analyst", "auditor"))
        found = datasets.in_studies(connection, chosen)
    shown = []
    for row in found:
        schema = datasets.schema_of(row)
        if row.state in ("open", "deleted") and schema is not None and ledger.knows(row.id):
            account = account_of(ledger.balance(row.id))
            unit = schema.unit.describe()
            shown.append(
                AccountShown(dataset=row.id, name=row.name, study=row.study, unit=unit, account=account)
            )
    return shown


@router.get("/accounts/{dataset}/history")
def show_history(server: Serving, caller: Asking, dataset: str) -> HistoryShown:
    """Everything that was done with an account, who spent what, and how many runs like the last one fit."""
    ledger = server.database.ledger
    if not ledger.knows(dataset):
        raise missing()
    entries = ledger.history(dataset)
    with server.database.read() as connection:  # after the ledger, so that no commit is shown before its time
        unended = runs.unended(connection, dataset)
    spends = [entry for entry in entries if entry.kind == "reserve"]
    balance = ledger.balance(dataset)
    people = sorted({entry.who for entry in spends})
    last, left, count = (spends[-1].amount if spends else None), balance.left, None
    if isinstance(last, Pure | Approximate):
        count = 0
        if isinstance(left, Pure | Approximate):
            count = int(Fraction(left.epsilon) // Fraction(last.epsilon))
            if last.delta:
                count = min(count, int(Fraction(left.delta) // Fraction(last.delta))) if left.delta else 0
    return HistoryShown(
        account=account_of(balance),
        entries=[
            HistoryEntry(
                number=place,  # in this account: the ledger's own count goes up when a run really ends
                when=entry.when,
                who=entry.who,
                what=entry.what,
                kind=entry.kind,
                amount=None if entry.amount is None else amount(entry.amount),
                state="reserved" if entry.number in unended else entry.state,
            )
            for place, entry in enumerate(entries, 1)
        ],
        spent_by={who: amount(ledger.spent(dataset, who)) for who in people},
        last=None if last is None else amount(last),
        runs_like_the_last=count,
    )


@router.get("/ledger/head")
def show_head(server: Serving, caller: Asking) -> HeadShown:
    """The latest entry's number and hash (an earlier one's while runs go on): note it, and verify later."""
    head = public_head(server)
    return HeadShown(head=str(head), entries=head.count)


@router.post("/ledger/verify")
def verify(server: Serving, caller: Asking, body: VerifyAsked | None = None) -> Verified:
    """Check that no entry was changed, removed or put back (with a head: since it was noted down)."""
    ledger, latest = server.database.ledger, public_head(server)
    noted = Head.parse(body.head) if body is not None and body.head else None
    late = noted is not None and noted.count > latest.count
    try:
        ledger.verify(None if late else noted)
    except LedgerError as error:
        return Verified(intact=False, detail=error.message, head=str(latest))
    return Verified(intact=not late, detail=_LATE if late else _INTACT, head=str(latest))
