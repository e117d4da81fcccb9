"""A first look at a table: are there records enough for a classifier to learn anything at this budget?

What noise hides depends on the number of records times ε. Where that is too small for an algorithm, whatever
it learns is noise, and its predictions are worse than a constant. So the class counts are released first, for
a small share. If they say that there is too little, everything that is left of the budget goes into one
private choice, that of the largest class, and it is predicted for every record.

**Privacy.** The counts have sensitivity 1 (``stats.contingency``), the choice has R = 1
(``stats.choices.largest``), and shares add up to 1. Which of the two ways is taken depends on the counts as
they were released.

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

__all__ = ["FirstLook", "LookFirst", "first_look"]

Table = NDArray[np.float64]

LookFirst = Annotated[
    bool, "Count the classes first, and predict the largest one if noise would hide the rest."
]

LEAST, MOST = Fraction(1, 30), Fraction(1, 10)  # what the counts cost
ENOUGH = 0.05  # in ε, times the root of the classes, whose noise adds up: more is not needed


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

    @property
    def explanation(self) -> str:
        number = max(float(self.counts.sum()), 0.0)
        return (
            f"With about {number:.0f} records (estimated privately) noise would hide at this budget all that"
            " could be learned: the largest class is predicted for every record."
        )


def first_look(curator: Curator, target: Category, needed: float) -> FirstLook:
    """Ask for the class counts, and for the largest class alone if records times ε are fewer than needed."""
    enough = Fraction(ENOUGH * math.sqrt(target.size)).limit_denominator(1000)
    share = max(LEAST, min(MOST, enough / curator.amount.epsilon))
    question = Measure(Contingency(None, target.name), f"the number of records of each '{target.name}'")
    release = curator.ask(question, share)
    counts, deviation = release.value[0].astype(float), float(release.standard_deviation)
    # By their noise, not by ε itself: a person with several records has more. That of the sum grows with the
    # classes, and so does what they need.
    needed *= math.sqrt(target.size / 2)
    epsilon = math.sqrt(2) / (float(share) * deviation) if deviation else math.inf
    if curator.rehearsing or counts.sum() >= needed / epsilon:
        return FirstLook(counts, deviation)
    choice = Choose(
        LargestClass(target.name), f"the largest '{target.name}', as there is too little to learn"
    )
    return FirstLook(counts, deviation, curator.ask(choice, curator.left).chosen[0])
