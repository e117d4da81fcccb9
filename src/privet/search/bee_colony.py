"""Artificial bee colony (Karaboga 2005), over whole swarms at once.

Half of the bees are employed, one at each food source (a position); the other half look on and join sources
in proportion to their fitness. A source that ``limit`` tries did not improve is left for a random one.

All employed bees move together and are evaluated in one call, and so are the onlookers. Several onlookers at
one source try from the same place, and the best of them is kept. That differs from bees that move one by one
only in which of two equally fresh positions a bee sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.search.found import Found, Stopping

__all__ = ["BeeColony", "Positions", "Problem", "RealProblem", "move_binary", "move_real", "shares", "start"]

Positions = NDArray[np.float64]
Numbers = NDArray[np.float64]


def start(low: Numbers, high: Numbers, count: int, generator: np.random.Generator) -> Positions:
    """Random positions: low + rand(0, 1)·(high − low) in each coordinate (thesis, equation 3.1)."""
    return low + generator.random((count, len(low))) * (high - low)


def move_real(own: Numbers, other: Numbers, step: Numbers) -> Numbers:
    """own + step·(own − other), with step from [−1, 1] (equation 3.2).

    >>> move_real(np.array([2.0]), np.array([6.0]), np.array([-0.5]))
    array([4.])
    """
    return own + step * (own - other)


def move_binary(own: Numbers, other: Numbers, draw: Numbers, factor: float) -> Numbers:
    """0 where both bits are equal, else the other's bit, if factor > draw; else the own bit (equation 4.3).

    >>> move_binary(np.array([1, 1, 0, 0, 1]), np.array([1, 0, 1, 0, 1]), np.array([0.1] * 4 + [0.9]), 0.6)
    array([0, 0, 1, 0, 1])
    """
    moved = np.where(own == other, 0, other)
    return np.where(factor > draw, moved, own)


def shares(fitness: Numbers) -> Numbers:
    """Each one's part of the fitness of all (equation 3.3); equal parts where all is 0.

    >>> shares(np.array([1.0, 3.0]))
    array([0.25, 0.75])
    """
    total = fitness.sum()
    return fitness / total if total > 0 else np.full(len(fitness), 1 / len(fitness))


class Problem(Protocol):
    """What a colony needs to know of a problem. Rows of an array are positions."""

    def start(self, count: int, generator: np.random.Generator) -> Positions:
        """Random positions."""

    def neighbours(self, own: Positions, other: Positions, generator: np.random.Generator) -> Positions:
        """A position near each of ``own``, made with the help of the one beside it in ``other``."""

    def fitness(self, positions: Positions) -> Numbers:
        """How good each is: not negative, larger is better."""

    def similarity(self, positions: Positions) -> Numbers:
        """How much each resembles what was found before; bees avoid more similar places (equation 4.2)."""


@dataclass(frozen=True)
class RealProblem:
    """Maximise a function of real coordinates between bounds; one random coordinate moves at a time."""

    function: Any
    low: Numbers
    high: Numbers

    def start(self, count: int, generator: np.random.Generator) -> Positions:
        return start(self.low, self.high, count, generator)

    def neighbours(self, own: Positions, other: Positions, generator: np.random.Generator) -> Positions:
        rows = np.arange(len(own))
        chosen = generator.integers(0, own.shape[1], len(own))
        moved = own.copy()
        step = generator.uniform(-1, 1, len(own))
        moved[rows, chosen] = move_real(own[rows, chosen], other[rows, chosen], step)
        return np.clip(moved, self.low, self.high)

    def fitness(self, positions: Positions) -> Numbers:
        return np.asarray(self.function(positions), float)

    def similarity(self, positions: Positions) -> Numbers:
        return np.zeros(len(positions))


@dataclass(frozen=True)
class BeeColony:
    """A colony of ``swarm`` bees; defaults are those of the thesis (table 5.10).

    >>> peak = RealProblem(lambda x: 1 / (1 + (x**2).sum(axis=1)), np.full(3, -5.0), np.full(3, 5.0))
    >>> found = BeeColony(iterations=200).maximise(peak, np.random.default_rng(0))
    >>> found.fitness > 0.99, len(found.history)
    (True, 200)
    """

    swarm: int = 20
    limit: int = 100
    iterations: int = 500
    target: float = np.inf
    patience: int | None = None

    @property
    def sources(self) -> int:
        """How many food sources there are: one for each employed bee, half of the swarm."""
        if self.swarm < 4 or self.limit < 1:
            raise ParameterError("A colony needs at least four bees, and a limit of at least one try.")
        return self.swarm // 2

    def maximise(self, problem: Problem, generator: np.random.Generator) -> Found:
        sources = self.sources
        stopping = Stopping(self.iterations, self.target, self.patience)
        positions = problem.start(sources, generator)
        fitness = problem.fitness(positions)
        similarity = problem.similarity(positions)
        tries = np.zeros(sources, int)
        best = int(fitness.argmax())
        kept, value = positions[best].copy(), float(fitness[best])
        evaluations = sources
        reason = None
        while reason is None:
            for looking in (False, True):
                # Employed bees stay at their own source; onlookers go where much is to be had.
                places = (
                    generator.choice(sources, sources, p=shares(fitness)) if looking else np.arange(sources)
                )
                others = (places + generator.integers(1, sources, sources)) % sources
                new = problem.neighbours(positions[places], positions[others], generator)
                new_fitness = problem.fitness(new)
                new_similarity = problem.similarity(new)
                evaluations += sources
                # Equation 4.2; of several onlookers at a source the best comes last and stays.
                good = (new_fitness >= fitness[places]) & (new_similarity <= similarity[places])
                better = good & (new_fitness > fitness[places])
                np.add.at(tries, places, 1)
                tries[places[better]] = 0
                order = np.flatnonzero(good)[np.argsort(new_fitness[good], kind="stable")]
                positions[places[order]] = new[order]
                fitness[places[order]] = new_fitness[order]
                similarity[places[order]] = new_similarity[order]
            best = int(fitness.argmax())
            if fitness[best] > value:
                kept, value = positions[best].copy(), float(fitness[best])
            tired = np.flatnonzero(tries > self.limit)
            if tired.size:
                positions[tired] = problem.start(tired.size, generator)
                fitness[tired] = problem.fitness(positions[tired])
                similarity[tired] = problem.similarity(positions[tired])
                tries[tired] = 0
                evaluations += tired.size
            reason = stopping.over(value)
        return Found(kept, value, tuple(stopping.history), evaluations, reason)
