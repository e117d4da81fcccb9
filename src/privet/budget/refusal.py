"""What an account has, and the error of a request that does not fit in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from privet.budget.accountants import accountant_for
from privet.budget.amounts import Amount, Approximate, Pure, rounded_down
from privet.budget.book import Account
from privet.budget.conversions import zcdp_to_epsilon
from privet.budget.cost import Cost, cost_of
from privet.budget.events import GaussianEvent
from privet.errors import BudgetExceeded

__all__ = ["Balance", "balance_of", "check"]


@dataclass(frozen=True)
class Balance:
    """A limit, what is spent of it and what is left, in the limit's currency; ``None`` means nothing."""

    limit: Amount
    spent: Amount | None
    left: Amount | None

    def __str__(self) -> str:
        left = rounded_down(self.left) if self.left else "nothing"
        return f"{self.spent or 'nothing'} spent of {self.limit}, {left} left"


def balance_of(account: Account, analyst: str | None, extra: Cost | None = None) -> Balance | None:
    """The balance, after a further cost if one is given; none for an analyst without an own limit."""
    limit = account.limit_of(analyst)
    if limit is None:
        return None
    accountant = accountant_for(account.accountant, limit)
    cost = account.cost_of(analyst) if extra is None else account.cost_of(analyst) + extra
    return Balance(limit, accountant.spent(cost, limit), accountant.left(cost, limit))


def check(account: Account, analyst: str, cost: Cost, asked: Amount | None = None) -> None:
    """Raise unless the cost fits in the dataset's limit and in the analyst's own.

    ``asked`` is the cost in the words of whoever asks, which a cost alone does not tell: noise with a δ is
    counted as ρ, and many (ε, δ) have the same.
    """
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
        before = account.cost_of(who)
        if accountant.fits(before + cost, limit):
            continue
        spent = accountant.spent(before, limit) or "nothing"
        words = asked or _in_words(cost, limit)
        delta = asked.delta if isinstance(asked, Approximate) else cost.delta
        offers = _offers(account, analyst, delta or None)
        raise _refused(
            account,
            who,
            asked or accountant.spent(cost, limit),
            f"The budget of {whose} does not allow {words}: {spent} spent of {limit}. {_mixed(before, cost)}"
            "Nothing was measured or spent.",
            f"Ask for at most {' or '.join(offers)}, or ask the owner of the data to raise the limit."
            if offers
            else "Use what was released already, or ask the owner of the data to raise the limit.",
        )


def _in_words(cost: Cost, limit: Amount) -> str:
    """What a cost was asked for as, as far as that is known."""
    if cost.epsilon is not None:
        delta = f", δ = {float(cost.delta):g}" if cost.delta else ""
        return f"ε = {float(cost.epsilon):g}{delta}"
    rho = cost.rho or Fraction(0)
    words = f"noise with a δ, of ρ = {float(rho):g}"
    if isinstance(limit, Approximate) and rho:
        words += f" (ε = {float(zcdp_to_epsilon(rho, limit.delta)):g} at δ = {float(limit.delta):g})"
    return words


def _mixed(before: Cost, cost: Cost) -> str:
    """Why both kinds together cost more than a person would add up, where both are there."""
    if (before.epsilon is None) == (cost.epsilon is None) or not before.rho:
        return ""
    return (
        "Spends with a δ and spends without one are added up as ρ, where an ε without a δ counts for more. "
    )


def _offers(account: Account, analyst: str, delta: Fraction | None) -> list[str]:
    """What may be asked for instead, in words that can be typed: with a δ (the request's, or else that of the
    limit), or without one. Both the dataset's limit and the analyst's own must allow it.
    """
    limits = [(account.limit_of(who), account.cost_of(who)) for who in (None, analyst)]
    known = [(limit, cost, accountant_for(account.accountant, limit)) for limit, cost in limits if limit]
    if delta is None:
        noise = cost_of(GaussianEvent(Fraction(1)))  # which not every rule can count
        countable = [limit for limit, _, rule in known if rule.refusal(noise, limit) is None]
        delta = min((limit.delta for limit in countable if isinstance(limit, Approximate)), default=None)
    offers = []
    if delta is not None:
        found = _least([rule.left_with(cost, limit, delta) for limit, cost, rule in known])
        offers += [str(rounded_down(found))] if found else []
    if found := _least([rule.left_pure(cost, limit) for limit, cost, rule in known]):
        offers.append(f"{rounded_down(found)}{'' if delta is None else ' without a δ'}")
    return offers


def _least(amounts: Sequence[Pure | Approximate | None]) -> Pure | Approximate | None:
    """The smallest, since each of the limits must allow it; None if one of them allows nothing."""
    known = [amount for amount in amounts if amount is not None]
    if not known or len(known) < len(amounts):
        return None
    return min(known, key=lambda amount: (amount.epsilon, amount.delta))


def _refused(
    account: Account, who: str | None, asked: Amount | None, message: str, advice: str
) -> BudgetExceeded:
    error = BudgetExceeded(message, advice)
    error.asked, error.balance = asked, balance_of(account, who)
    return error
