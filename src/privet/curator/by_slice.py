"""Questions about slices of the records: the dearest slice is what they cost, in however many steps.

**Proof.** A record is in one slice, by a fixed hash of its own values (``stats.slices``). Let the noise of
every question be for a unit that changes c records, cᵢ of them in slice i, Σcᵢ ≤ c, and let xⱼ be the sum of
cᵢ/c over the slices that question j looks at, which it asks for the share wⱼ of the budget. It is not moved
by other records. Given all answers before it:

* *Pure ε.* It loses at most wⱼε·xⱼ: statistics and scores move in proportion to the records (``stats.base``,
  ``stats.scores``).
* *zCDP, add_remove, and choices.* Squared L2 sensitivities and squared ranges shrink by xⱼ²: at most
  wⱼρ·xⱼ² ≤ wⱼρ·xⱼ, as xⱼ ≤ 1.
* *zCDP, replace.* Of at most k records that go and k that come, g and h are in its slices; c = 2k and
  xⱼ = (g + h)/2k. Non-negative contributions move by at most g² + h² squared norms of the 2k² that the noise
  is for, others by (g + h)² of 4k². Both parts are at most xⱼ, as g ≤ k and h ≤ k.

So all of them lose at most Σⱼwⱼxⱼ = Σᵢ(cᵢ/c)Wᵢ ≤ max Wᵢ of the budget, where Wᵢ adds up the shares of the
questions that look at slice i: whatever was asked first, and whatever the answers were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.curator.ask import Choose, Measure, Question
from privet.stats.slices import Sliced, Slices

__all__ = ["BySlice"]


@dataclass(frozen=True)
class BySlice:
    """What each slice was asked for in a run. The first slicing counts: others cost as all records would."""

    slicing: tuple[tuple[str, ...], int] | None = None
    spent: tuple[Fraction, ...] = ()
    cost: Fraction = Fraction(0)  # the dearest

    def after(self, asked: Sequence[tuple[Question[Any], Fraction]]) -> tuple[BySlice, Fraction]:
        """The same with these questions, and what those of them cost that are about all records."""
        found, rest = self, Fraction(0)
        for question, share in asked:
            slices = None if question.free else _slices_of(question)
            if slices is not None and found.slicing in (None, (slices.columns, slices.many)):
                found = found._and(slices, share)
            elif not question.free:
                rest += share
        return found, rest

    def _and(self, slices: Slices, share: Fraction) -> BySlice:
        spent = list(self.spent or [Fraction(0)] * slices.many)
        for place in range(slices.first, slices.last):
            spent[place] += share
        dearest = max(self.cost, *spent[slices.first : slices.last])
        return BySlice((slices.columns, slices.many), tuple(spent), dearest)


def _slices_of(question: Question[Any]) -> Slices | None:
    """The slices whose records a question looks at, if it is certain that it looks at no others."""
    if type(question) not in (Measure, Choose):
        return None
    found = {each.slices if type(each) is Sliced else None for each in question.statistics}
    [slices, *others] = found or {None}
    return slices if type(slices) is Slices and not others else None
