"""Continual counting: running totals of a stream, released again and again, for one ε in all.

The exact counts of a step that has not ended, and the exact sums of open nodes, are held here alone.

The binary-tree mechanism (Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum 2010). Steps 1 … T are
the leaves of a binary tree; every node holds the sum of its leaves plus noise, drawn once. A running total
is the sum of at most log₂ T + 1 nodes, and a step lies in at most that many nodes, so error and loss grow
with log T only.

**Proof.** Let L = ⌊log₂ T⌋ + 1. The nodes that are ever released are those whose leaves all lie within 1 …
T; for a given leaf there is at most one of each size 2⁰, 2¹, …, 2^(L−1). A record changes its step's vector
by at most Δ₁ in L1 (Δ₂² in squared L2), hence the vector of all nodes by at most L·Δ₁ (L·Δ₂²). With the
noise of ``noise_for`` at that sensitivity the *whole sequence* of noisy nodes is ε-private (ρ-zCDP); every
total is computed from them. A person with at most c records: each adds its own part, so L1 grows to c·L·Δ₁,
and squared L2 to c²·L·Δ₂² at worst (all in the same nodes). Under ``replace`` one record goes and another
comes at the same step: 2·L1, and 4·L2² at worst. When steps end is public and does not depend on the
values: neighbours have the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.budget import Approximate, Pure, Zcdp, rho_for
from privet.errors import ParameterError
from privet.mechanisms import noise_for
from privet.randomness import Randomness
from privet.schema import Unit

__all__ = ["ContinualCounter"]

Counts = NDArray[np.int64]


class ContinualCounter:
    """Noisy running totals of vectors of counts. Memory: about 2·log₂(horizon) vectors.

    >>> from privet.budget import budget
    >>> from privet.randomness import secure
    >>> counter = ContinualCounter(1, horizon=1000, amount=budget(2.0), randomness=secure())
    >>> totals = [int(counter.add(np.array([1]))[0]) for _ in range(1000)]
    >>> abs(totals[-1] - 1000) < 20 * counter.standard_deviation
    True
    >>> counter.add(np.array([1]))
    Traceback (most recent call last):
    ...
    privet.errors.ParameterError: The counter was made for 1000 steps, and they are over.
      What to do: Make it for more steps, or let windows follow each other.
    """

    def __init__(
        self,
        size: int,
        *,
        horizon: int,
        amount: Pure | Approximate,
        randomness: Randomness,
        l1: int = 1,
        squared_l2: int = 1,
        unit: Unit | None = None,
    ) -> None:
        if horizon < 1 or size < 1:
            raise ParameterError("A counter needs at least one step and one count.")
        unit = unit or Unit()
        self.horizon = horizon
        self.levels = horizon.bit_length()
        goes_and_comes = 2 if unit.neighbours == "replace" else 1
        currency = amount if isinstance(amount, Pure) else Zcdp(rho_for(amount.epsilon, amount.delta))
        times = goes_and_comes * unit.most
        self.mechanism = noise_for(
            currency, times * self.levels * l1, Fraction(times**2 * self.levels * squared_l2)
        )
        self._randomness = randomness
        self._exact = np.zeros((self.levels, size), dtype=np.int64)
        self._noisy = np.zeros((self.levels, size), dtype=np.int64)
        self._pending = np.zeros(size, dtype=np.int64)
        self.steps = 0

    def count(self, cells: Iterable[int]) -> None:
        """Count a record of the present step in these cells."""
        for cell in cells:
            self._pending[cell] += 1

    def end_step(self) -> Counts:
        """End the step, and return the noisy running totals."""
        pending, self._pending = self._pending, np.zeros_like(self._pending)
        return self.add(pending)

    def add(self, counts: Counts) -> Counts:
        """End a step that had these exact counts, and return the noisy running totals."""
        if self.steps >= self.horizon:
            raise ParameterError(
                f"The counter was made for {self.horizon} steps, and they are over.",
                "Make it for more steps, or let windows follow each other.",
            )
        self.steps += 1
        # The lowest set bit says which node is complete now: it takes in all smaller ones and this step.
        level = (self.steps & -self.steps).bit_length() - 1
        self._exact[level] = self._exact[:level].sum(axis=0) + np.asarray(counts, dtype=np.int64)
        self._noisy[level] = self.mechanism.randomise(self._exact[level], self._randomness)
        self._exact[:level] = 0
        self._noisy[:level] = 0
        return self.totals

    @property
    def totals(self) -> Counts:
        """The noisy running totals: the nodes that the bits of the number of steps name."""
        return np.asarray(self._noisy.sum(axis=0))

    @property
    def standard_deviation(self) -> float:
        """Of the noise in the present totals."""
        return float(self.mechanism.standard_deviation * np.sqrt(max(1, self.steps.bit_count())))

    @property
    def largest_standard_deviation(self) -> float:
        """Of the noise in the totals of the step at which it is largest."""
        return float(self.mechanism.standard_deviation * np.sqrt(self.levels))
