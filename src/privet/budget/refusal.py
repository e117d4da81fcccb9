"""What an account has, and the error of a request that does not fit in it."""

from __future__ import annotations

from dataclasses import dataclass

from privet.budget.accountants import accountant_for
from privet.budget.amounts import Amount
from privet.budget.book import Account
from privet.budget.cost import Cost
from privet.errors import BudgetExceeded

__all__ = ["Balance", "OverLimit", "balance_of", "check"]


@dataclass(frozen=True)
class Balance:
    """A limit, what is spent of it and what is left, in the limit's currency; ``None`` means nothing."""

    limit: Amount
    spent: Amount | None
    left: Amount | None

    def __str__(self) -> str:
        return f"{self.spent or 'nothing'} spent of {self.limit}, {self.left or 'nothing'} left"


class OverLimit(BudgetExceeded):
    """The ledger refused. ``asked`` is what the request costs, ``balance`` what the account has."""

    asked: Amount | None = None
    balance: Balance | None = None


def balance_of(account: Account, analyst: str | None, extra: Cost | None = None) -> Balance | None:
    """The balance, after a further cost if one is given; none for an analyst without an own limit."""
    limit = account.limit_of(analyst)
    if limit is None:
        return None
    accountant = accountant_for(account.accountant, limit)
    cost = account.cost_of(analyst) if extra is None else account.cost_of(analyst) + extra
    return Balance(limit, accountant.spent(cost, limit), accountant.left(cost, limit))


def check(account: Account, analyst: str, cost: Cost) -> None:
    """Raise unless the cost fits in the dataset's limit and in the analyst's own."""
    for who in (None, analyst):
        limit = account.limit_of(who)
        if limit is None:
            continue
        accountant = accountant_for(account.accountant, limit)
        whose = f"'{account.dataset}'" if who is None else f"'{who}' on '{account.dataset}'"
        if reason := accountant.refusal(cost, limit):
            raise _refused(
                account,
                who,
                None,
                f"The ledger refused a request on {whose}. {reason}",
                "Ask for another kind of noise, or have the owner open an account with a limit of that kind.",
            )
        if accountant.fits(account.cost_of(who) + cost, limit):
            continue
        asked, balance = accountant.spent(cost, limit), balance_of(account, who)
        raise _refused(
            account,
            who,
            asked,
            f"The budget of {whose} does not allow {asked}: {balance}. Nothing was measured or spent.",
            f"Ask for at most {balance.left}, or ask the owner of the data to raise the limit."
            if balance and balance.left
            else "Use what was released already, or ask the owner of the data to raise the limit.",
        )


def _refused(account: Account, who: str | None, asked: Amount | None, message: str, advice: str) -> OverLimit:
    error = OverLimit(message, advice)
    error.asked, error.balance = asked, balance_of(account, who)
    return error
