"""Ledgers and accounts as the faces of Privet show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from privet.budget import Amount, Balance, Ledger, Zcdp, budget, exact, is_database, require_place
from privet.curator.owner import account_name
from privet.errors import LedgerError, ParameterError
from privet.schema import Schema
from privet.service.tables import database_errors
from privet.sources import Source, fingerprint

__all__ = [
    "AccountView",
    "NoAccount",
    "account_of",
    "limit_of",
    "open_account",
    "open_ledger",
    "paying",
    "view_accounts",
]

_OPEN = "The owner of the data opens one, with a limit."


class NoAccount(LedgerError):
    """Nothing can be spent, because nobody has given the table a budget."""

    remedy = "open-account"


def open_ledger(path: str | Path, analyst: str | None = None, *, create: bool = False) -> Ledger:
    """The ledger in a file or a database, used under an analyst's name (left out: the login name)."""
    require_place(path)
    if not create and not is_database(path) and not Path(path).exists():
        raise NoAccount(f"There is no ledger {Path(path).name}, so no table has an account in it.", _OPEN)
    ledger = Ledger.open(path, create=create)
    return ledger.as_analyst(analyst) if analyst else ledger


def limit_of(epsilon: float | None = None, delta: float = 0.0, rho: float | None = None) -> Amount:
    """The limit that ε (with δ) or ρ stands for.

    >>> print(limit_of(1.0), "|", limit_of(1.0, 1e-6), "|", limit_of(rho=0.5))
    ε = 1 | ε = 1, δ = 1e-06 | ρ = 0.5 (zCDP)
    """
    if (epsilon is None) == (rho is None):
        raise ParameterError("A limit is either an epsilon or a rho.", "Give exactly one of the two.")
    if rho is not None:
        if delta:
            raise ParameterError("A limit in rho has no delta.", "Give epsilon with delta, or rho alone.")
        return Zcdp(exact(rho))
    assert epsilon is not None
    return budget(epsilon, delta)


def open_account(
    ledger: Ledger,
    table: Source,
    schema: Schema,
    limit: Amount,
    *,
    each_analyst: Amount | None = None,
    analysts: Mapping[str, Amount] | None = None,
    accountant: str = "auto",
    scope: str = "",
) -> str:
    """Give the people in a table a budget, as their owner; returns the name of their account.

    The schema is registered with it: runs use it, or a part of it. A table that has an account under another
    name is refused, which only its owner is shown: within ``scope``, where there are several owners.
    """
    dataset = account_name(schema)
    schema.require_confirmed()
    ledger.open_account(
        dataset,
        limit,
        unit=schema.unit,
        accountant=accountant,
        analysts=analysts,
        each_analyst=each_analyst,
        schema=schema,
        fingerprint=fingerprint(table) + scope.encode(),
    )
    return dataset


def account_of(ledger: Ledger, schema: Schema) -> str:
    """The account that runs under this schema are paid from; an error where there is none."""
    dataset = account_name(schema)
    if not ledger.knows(dataset):
        raise NoAccount(f"'{dataset}' has no account in the ledger, so nothing can be spent on it.", _OPEN)
    return dataset


@contextmanager
def paying(ledger: Ledger | None, schema: Schema) -> Iterator[None]:
    """If the dataset has no account, an error that says so; and no error holds a database's own text."""
    try:
        with database_errors():
            yield
    except LedgerError:
        if ledger is not None:
            account_of(ledger, schema)
        raise


@dataclass(frozen=True)
class AccountView:
    """One account: what it protects, and what is spent and left, in all and for each analyst."""

    dataset: str
    unit: str
    accountant: str
    balance: Balance
    each_analyst: Amount | None = None
    analysts: Mapping[str, Balance] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "unit": self.unit,
            "accountant": self.accountant,
            **balance_to_dict(self.balance),
            "each_analyst": amount_to_dict(self.each_analyst),
            "analysts": {who: balance_to_dict(balance) for who, balance in self.analysts.items()},
        }


def view_accounts(ledger: Ledger, dataset: str | None = None) -> list[AccountView]:
    """Every account of the ledger, or one."""
    if dataset is not None:
        ledger.balance(dataset)  # an error that says what to do, where there is no such account
    views = []
    for account in ledger.accounts():
        if dataset in (None, account.dataset):
            people = sorted({*account.analysts, *account.analyst_costs})
            views.append(
                AccountView(
                    account.dataset,
                    account.unit_text,
                    account.accountant,
                    ledger.balance(account.dataset),
                    account.each_analyst,
                    {who: _of_analyst(ledger, account.dataset, who) for who in people},
                )
            )
    return views


def _of_analyst(ledger: Ledger, dataset: str, who: str) -> Balance:
    """An analyst's balance: without an own limit, their share of what the dataset has spent."""
    balance = ledger.balance(dataset, who)
    return Balance(balance.limit, ledger.spent(dataset, who), balance.left)


def amount_to_dict(amount: Amount | None) -> dict[str, Any] | None:
    """An amount for a machine: exact, as text, with rounded numbers beside it."""
    if amount is None:
        return None
    exact_parts = amount.to_dict()
    return exact_parts | {
        "about": {key: float(Fraction(value)) for key, value in exact_parts.items() if key != "kind"}
    }


def balance_to_dict(balance: Balance) -> dict[str, Any]:
    return {
        "limit": amount_to_dict(balance.limit),
        "spent": amount_to_dict(balance.spent),
        "left": amount_to_dict(balance.left),
    }
