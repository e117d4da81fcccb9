"""The currency in which the parts of a run add up, and what spending it is to a ledger."""

from __future__ import annotations

from privet.budget import Approximate, Event, GaussianEvent, NoGuarantee, Pure, PureEvent, Zcdp, rho_for

__all__ = ["currency_of", "event_for", "event_of"]


def currency_of(amount: Pure | Approximate) -> Pure | Zcdp:
    """The currency in which parts of an amount add up: ε itself, or ρ where δ allows Gaussian noise."""
    return amount if isinstance(amount, Pure) else Zcdp(rho_for(amount.epsilon, amount.delta))


def event_for(amount: Pure | Approximate | None, what: str) -> Event:
    """What a run with this guarantee is to a ledger; without an amount, it has none."""
    if amount is None:
        return NoGuarantee(what)
    return event_of(currency_of(amount), what)


def event_of(currency: Pure | Zcdp, what: str) -> PureEvent | GaussianEvent:
    """What spending this is to a ledger."""
    if isinstance(currency, Pure):
        return PureEvent(currency.epsilon, what)
    return GaussianEvent(currency.rho, what)
