"""A first look at a table: are there records enough for a classifier to learn anything at this budget?

What noise hides depends on the number of records times ε. Where that is too small for an algorithm, whatever
it learns is noise, and its predictions are worse than a constant. So at a budget at which a hundred records
would be too few (``plenty``: by what is public), the class counts are released first, for a small share. If
they say that there is too little, everything that is left of the budget goes into one private choice, that
of the largest class, and it is predicted for every record. Otherwise the counts serve the model.

**Privacy.** The counts have sensitivity 1 (``stats.contingency``), the choice has R = 1
(``stats.choices.largest``), and shares add up to 1. Whether there is a look follows from the schema and the
budget; which of the two ways is taken after it depends on the counts as they were released.

A rehearsal has no records, and takes the way of a table that has enough: that is the one that can fail.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from privet.curator import Choose, Curator, Measure
from privet.schema import Category
from privet.stats import Contingency
from privet.stats.choices.largest import LargestClass

__all__ = ["FirstLook", "LookFirst", "carried", "first_look", "plenty"]

Table = NDArray[np.float64]

LookFirst = Annotated[
    bool, "At a small budget, count the classes first; predict the largest if noise would hide the rest."
]

FEW = 100  # records: fewer are not expected
LEAST, MOST = Fraction(1, 50), Fraction(1, 10)  # what the counts cost
ENOUGH = 0.03  # in ε, times the root of the classes, whose noise adds up: more is not needed


@dataclass(frozen=True)
class FirstLook:
    """Noisy class counts; and where they say that there is too little, the largest class."""

    counts: Table
    deviation: float
    largest: int | None = None

    @property
    def enough(self) -> bool:
        """Whether there is something to learn."""
        return self.largest is None

    @property
    def sizes(self) -> Table:
        """The counts without negative ones, the chosen class on top."""
        found = np.maximum(self.counts, 0) + 0.5
        if self.largest is not None:
            found[self.largest] = max(found[self.largest], found.max() + 1)
        return np.asarray(found)

    @property
    def shares(self) -> Table:
        """The share of each class, as far as it is known."""
        return np.asarray(self.sizes / self.sizes.sum())

    def with_more(self, counts: Table, deviation: float) -> FirstLook:
        """With other counts of the same classes, each weighing by its precision."""
        own, other = 1 / max(self.deviation**2, 1e-12), 1 / max(deviation**2, 1e-12)
        return FirstLook((own * self.counts + other * counts) / (own + other), (own + other) ** -0.5)

    @property
    def explanation(self) -> str:
        number = max(float(self.counts.sum()), 0.0)
        return (
            f"With about {number:.0f} records (estimated privately) noise would hide at this budget all that"
            " could be learned: the largest class is predicted for every record."
        )


def plenty(curator: Curator, target: Category, needed: float) -> bool:
    """Whether no look is needed: what even ``FEW`` records tell is enough, or answers have no noise.

    Both are public.
    """
    return curator.measuring_public or _least(curator, target, needed) <= FEW


def first_look(curator: Curator, target: Category, needed: float) -> FirstLook:
    """Ask for the class counts, and for the largest class alone if records times ε are fewer than needed."""
    enough = Fraction(ENOUGH * math.sqrt(target.size)).limit_denominator(1000)
    share = max(LEAST, min(MOST, enough / _epsilon(curator)))
    release = curator.ask(_sizes(target), share)
    counts, deviation = release.value[0].astype(float), float(release.standard_deviation)
    if curator.rehearsing or not needed or counts.sum() >= _least(curator, target, needed):
        return FirstLook(counts, deviation)
    choice = Choose(
        LargestClass(target.name), f"the largest '{target.name}', as there is too little to learn"
    )
    return FirstLook(counts, deviation, curator.ask(choice, curator.left).chosen[0])


def carried(curator: Curator, target: Category, look: FirstLook, needed: float) -> int:
    """How many such parts of a model the records that were seen carry, if each needs so many; at least 1."""
    return max(1, int(look.counts.sum() / _least(curator, target, needed)))


def _sizes(target: Category) -> Measure:
    return Measure(Contingency(None, target.name), f"the number of records of each '{target.name}'")


def _least(curator: Curator, target: Category, needed: float) -> float:
    """The least number of records that is enough: as many as are needed at ε = 1, over ε.

    The noise of the sum grows with the classes, and so does what they need.
    """
    return needed * math.sqrt(target.size / 2) / float(_epsilon(curator))


def _epsilon(curator: Curator) -> Fraction:
    """For each record: a person with several has that much more noise."""
    return Fraction(curator.amount.epsilon) / curator.schema.unit.most
