"""The ledger's rows, folded: which accounts there are, what each has spent, which table has which name.

The book is never stored. It is what the rows say, read in order, so it cannot disagree with them; a ledger
keeps it between requests and reads only the rows that are new.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from privet.budget.amounts import Amount, amount_from_dict
from privet.budget.cost import FREE, Cost
from privet.budget.returning import returnable
from privet.budget.stores.base import Row
from privet.errors import LedgerError

__all__ = ["Account", "Book"]


@dataclass
class Account:
    """One dataset's budget, as the rows so far have it."""

    dataset: str
    unit: dict[str, Any]
    unit_text: str
    accountant: str
    limit: Amount
    each_analyst: Amount | None
    analysts: dict[str, Amount]
    schemas: tuple[dict[str, Any], ...] = ()
    cost: Cost = FREE
    analyst_costs: dict[str, Cost] = field(default_factory=dict)

    def limit_of(self, analyst: str | None) -> Amount | None:
        """The dataset's limit, or an analyst's own; none for an analyst who has no own limit."""
        return self.limit if analyst is None else self.analysts.get(analyst, self.each_analyst)

    def cost_of(self, analyst: str | None) -> Cost:
        return self.cost if analyst is None else self.analyst_costs.get(analyst, FREE)


@dataclass
class Book:
    """The fold over all rows.

    ``open`` holds the uncommitted reservations and their hashes, ``reserved`` whose each is and its cost,
    ``streams`` the latest state of each stream.
    ``moved_to`` says where the ledger went, if it did (``gone`` once it has arrived there): then it is
    closed. ``move`` is that move's random name.
    """

    count: int = 0
    head: str = ""
    accounts: dict[str, Account] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    open: dict[int, str] = field(default_factory=dict)
    reserved: dict[int, tuple[str, Cost]] = field(default_factory=dict)
    streams: dict[str, str] = field(default_factory=dict)
    moved_to: str | None = None
    move: str = ""
    gone: bool = False

    def take(self, row: Row, secret: bytes) -> None:
        """Check that the row continues the chain, then count it."""
        if row.number != self.count + 1:
            raise altered(self.count + 1, "is missing")
        if row.hash != row.seal(secret, self.head):
            raise altered(row.number, "does not match its seal")
        self._apply(row)
        self.count, self.head = row.number, row.hash

    def _apply(self, row: Row) -> None:
        body = json.loads(row.body)
        match row.kind:
            case "account":
                self.accounts[row.dataset] = Account(
                    dataset=row.dataset,
                    unit=body["unit"],
                    unit_text=body["unit_text"],
                    accountant=body["accountant"],
                    limit=amount_from_dict(body["limit"]),
                    each_analyst=amount_from_dict(body["each_analyst"]) if body["each_analyst"] else None,
                    analysts={who: amount_from_dict(limit) for who, limit in body["analysts"].items()},
                )
            case "limit":
                account, limit = self.accounts[row.dataset], amount_from_dict(body["limit"])
                if body["analyst"] is None:
                    account.limit = limit
                else:
                    account.analysts[body["analyst"]] = limit
            case "schema":
                columns = {name: body["schema"]["columns"][name] for name in body["order"]}
                self.accounts[row.dataset].schemas += (body["schema"] | {"columns": columns},)
            case "word":
                pass
            case "name":
                self.names[body["digest"]] = row.dataset
            case "reserve":
                account, cost = self.accounts[row.dataset], Cost.from_dict(body["cost"])
                account.cost += cost
                account.analyst_costs[row.who] = account.cost_of(row.who) + cost
                self.open[row.number] = row.hash
                self.reserved[row.number] = (row.who, cost)
            case "commit":
                self.open.pop(body["reservation"], None)
                who, cost = self.reserved.pop(body["reservation"], (row.who, FREE))
                if "returned" in body:
                    self._give_back(self.accounts[row.dataset], who, cost, row.number, body["returned"])
            case "moved":
                self.moved_to = None if body["state"] == "arrived" else body["to"]
                self.move, self.gone = body["move"], body["state"] == "gone"
            case "stream":
                self.streams[body["stream"]] = body["state"]
            case other:
                raise LedgerError(f"The ledger holds an entry of unknown kind '{other}'.", "Update Privet.")

    def _give_back(self, account: Account, who: str, cost: Cost, number: int, returned: str) -> None:
        """Take off what a reservation did not need (``returning`` says why it may be)."""
        epsilon = Fraction(returned)
        if not returnable(cost, epsilon):
            raise altered(number, "gives back what it did not have")
        account.cost = account.cost.less(epsilon)
        account.analyst_costs[who] = account.cost_of(who).less(epsilon)

    def require_here(self) -> None:
        """Refuse to spend from a ledger that was moved: its budget is elsewhere."""
        if self.moved_to is not None:
            raise LedgerError(
                f"This ledger was moved to {self.moved_to}, and is closed. Nothing was spent.",
                "Use the one that it was moved to.",
            )


def altered(number: int, fault: str) -> LedgerError:
    return LedgerError(
        f"The ledger was altered: entry {number} {fault}.",
        "Do not spend from it. Restore a backup, and find out who changed it.",
    )
