"""Continual counting: running totals of a stream, released again and again, for one ε in all.

The binary-tree mechanism (Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum 2010). Steps 1 … T are
the leaves of a binary tree; a node holds the sum of its leaves plus noise, drawn once. A running total is
the sum of at most log₂ T + 1 nodes, and a step lies in at most that many nodes that are released, so error
and loss grow with log T only.

**Noise first.** The noise of a node is drawn when its first step begins, before a record of it is read, and
its records are counted on top of it. So there is no moment at which an exact count is held, and nothing is
left to be drawn when the node is released: whoever goes on from a copy of the state, or from a checkpoint,
releases the same node with the same noise, however often.

**Proof.** Let L = ⌊log₂ T⌋ + 1. A node is released when its last step ends, if it is a left child (or the
root): the total then takes it in place of all smaller ones. For a given leaf there is at most one such node
of each size 2⁰, 2¹, …, 2^(L−1) within 1 … T. A record changes its step's vector by at most Δ₁ in L1 (Δ₂² in
squared L2), hence the vector of all nodes by at most L·Δ₁ (L·Δ₂²). With the noise of ``noise_for`` at that
sensitivity the *whole sequence* of noisy nodes is ε-private (ρ-zCDP); every total is computed from them. The
noise of a node is independent of everything that was released before, so this also holds if records are
chosen by somebody who sees the releases (the losses of nodes add up adaptively). A person with at most c
records: each adds its own part, so L1 grows to c·L·Δ₁, and squared L2 to c²·L·Δ₂² at worst (all in the same
nodes). Under ``replace`` one record goes and another comes at the same step: 2·L1, and 4·L2² at worst.

**Which steps.** All of this takes neighbours to have the same steps: every record that both streams hold
lies in the same step of both. Steps that end by a clock, or when somebody says so, are such. Steps of a fixed
number of records are such if one record is exchanged for another, and not if one is added or removed: then
every later record moves up by one place, and each boundary of steps that it passes costs ε again.

**Not covered.** The state itself, seen together with releases after it: the difference is an exact sum of
the records in between. Hence it has one holder (``OneHolder``; ``LiveStream`` for restarts).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import Approximate, Pure, Zcdp, rho_for
from privet.curator.one_holder import OneHolder
from privet.errors import ParameterError
from privet.mechanisms import noise_for
from privet.randomness import Randomness
from privet.schema import Unit

__all__ = ["ContinualCounter"]

Counts = NDArray[np.int64]


class ContinualCounter(OneHolder):
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
        super().__init__()
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
        self._growing = np.zeros((self.levels, size), dtype=np.int64)
        self._released = np.zeros((self.levels, size), dtype=np.int64)
        self.steps = 0
        self._draw()

    def count(self, cells: Iterable[int]) -> None:
        """Count a record of the present step in these cells."""
        self.require_holder()
        growing = self._levels_that_grow()
        for cell in cells:
            self._growing[growing, cell] += 1

    def add(self, counts: Counts) -> Counts:
        """Count so many records at once, end the step, and return the noisy running totals."""
        self.require_holder()
        self._growing[self._levels_that_grow()] += np.asarray(counts, dtype=np.int64)
        return self.end_step()

    def end_step(self) -> Counts:
        """End the step, and return the noisy running totals."""
        self.require_holder()
        if self.steps >= self.horizon:
            raise ParameterError(
                f"The counter was made for {self.horizon} steps, and they are over.",
                "Make it for more steps, or let windows follow each other.",
            )
        self.steps += 1
        # The lowest set bit says which node is complete now: it takes the place of all smaller ones.
        level = (self.steps & -self.steps).bit_length() - 1
        self._released[level] = self._growing[level]
        self._released[:level] = 0
        self._growing[level] = 0
        self._draw()
        return self.totals

    def _levels_that_grow(self) -> list[int]:
        """The sizes of which the present step lies in a node that will be released."""
        return [
            level
            for level in range(self.levels)
            if not self.steps >> level & 1 and (self.steps >> level << level) + 2**level <= self.horizon
        ]

    def _draw(self) -> None:
        """Draw the noise of every node that begins with the next step."""
        for level in self._levels_that_grow():
            if self.steps % 2**level == 0:
                nothing = np.zeros(self._growing.shape[1], dtype=np.int64)
                self._growing[level] = self.mechanism.randomise(nothing, self._randomness)

    @property
    def totals(self) -> Counts:
        """The noisy running totals: the nodes that the bits of the number of steps name."""
        return np.asarray(self._released.sum(axis=0))

    @property
    def standard_deviation(self) -> float:
        """Of the noise in the present totals."""
        return float(self.mechanism.standard_deviation * np.sqrt(max(1, self.steps.bit_count())))

    @property
    def largest_standard_deviation(self) -> float:
        """Of the noise in the totals of the step at which it is largest."""
        return float(self.mechanism.standard_deviation * np.sqrt(self.levels))

    def state(self) -> dict[str, Any]:
        """Everything that a checkpoint must keep. Not a release."""
        return {
            "steps": self.steps,
            "growing": self._growing.tolist(),
            "released": self._released.tolist(),
        }

    def take_up(self, state: Mapping[str, Any]) -> None:
        """Go on from a state instead of from the start."""
        growing, released = (np.array(state[name], dtype=np.int64) for name in ("growing", "released"))
        if growing.shape != self._growing.shape or released.shape != self._released.shape:
            raise ValueError("The state is that of another counter.")
        self.steps, self._growing, self._released = int(state["steps"]), growing, released
