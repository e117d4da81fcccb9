"""What a process costs whose parts follow each other: as one amount, and as one event of a ledger.

**Proof.** Parts in pure ε add up. With δ > 0 the zCDP ρ of the parts add up in the same way, and the sum is
turned back into ε at the larger of their δ. Parts in pure ε count as ε²/2-zCDP there, or as ε beside it,
whichever is less in total. Parts that search for values (``Run``) are (ε, δ) and no more than that: among
them ε and δ add up (basic composition), and all other parts are in pure ε.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privet.budget import Approximate, ApproximateEvent, Event, Pure, Sequential, Zcdp, zcdp_to_epsilon
from privet.curator.currency import currency_of, event_of

__all__ = ["Composition"]


@dataclass(frozen=True)
class Composition:
    """Amounts, each spent so many times; ``searching`` says that those with a δ are of searches for values.

    >>> from privet.budget import budget
    >>> print(Composition(((9, budget(0.1)), (1, budget(0.1)))).total)
    ε = 1
    """

    parts: tuple[tuple[int, Pure | Approximate], ...]
    searching: bool = False

    def event(self, what: str) -> Sequential:
        """The whole process, to a ledger."""
        events = ((times, self._event(amount, what)) for times, amount in self.parts)
        return Sequential(tuple(event for times, event in events for _ in range(times)))

    def _event(self, amount: Pure | Approximate, what: str) -> Event:
        if self.searching and isinstance(amount, Approximate):
            return ApproximateEvent(amount.epsilon, amount.delta, what)
        return event_of(currency_of(amount), what)

    @property
    def total(self) -> Pure | Approximate:
        """The whole process, as one amount."""
        if self.searching and any(amount.delta for _, amount in self.parts):
            added = [sum(n * getattr(part, what) for n, part in self.parts) for what in ("epsilon", "delta")]
            return Approximate(*map(Fraction, added))
        parts = [(times, currency_of(amount)) for times, amount in self.parts]
        pure = sum((n * part.epsilon for n, part in parts if isinstance(part, Pure)), Fraction(0))
        as_rho = sum((n * part.epsilon**2 / 2 for n, part in parts if isinstance(part, Pure)), Fraction(0))
        rho = sum((n * part.rho for n, part in parts if isinstance(part, Zcdp)), Fraction(0))
        if rho == 0:
            return Pure(pure)
        delta = max(amount.delta for _, amount in self.parts)
        epsilon = min(pure + zcdp_to_epsilon(rho, delta), zcdp_to_epsilon(rho + as_rho, delta))
        return Approximate(epsilon, delta)
