"""Differential evolution (Storn and Price 1997), rand/1/bin, over whole populations at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.search.bee_colony import start
from privet.search.found import Found, Stopping

__all__ = ["DifferentialEvolution", "crossed", "donors", "strangers"]

Positions = NDArray[np.float64]


def strangers(count: int, many: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """For each of ``count`` individuals, ``many`` different others: many × count."""
    keys = generator.random((count, count))
    np.fill_diagonal(keys, np.inf)  # never oneself
    return np.argsort(keys, axis=1)[:, :many].T


def donors(first: Positions, second: Positions, third: Positions, factor: float) -> Positions:
    """first + factor·(second − third) (equation 3.5)."""
    return first + factor * (second - third)


def crossed(target: Positions, donor: Positions, rate: float, generator: np.random.Generator) -> Positions:
    """Each coordinate from the donor with probability ``rate``, and one of them for sure (equation 3.6)."""
    take = generator.random(target.shape) <= rate
    take[np.arange(len(target)), generator.integers(0, target.shape[1], len(target))] = True
    return np.where(take, donor, target)


@dataclass(frozen=True)
class DifferentialEvolution:
    """A population that moves by differences of its own members; larger fitness is better.

    >>> peak = lambda x: -((x - 1.0) ** 2).sum(axis=1)
    >>> found = DifferentialEvolution(iterations=150).maximise(
    ...     peak, np.full(3, -5.0), np.full(3, 5.0), np.random.default_rng(0))
    >>> found.position.round(2)
    array([1., 1., 1.])
    """

    population: int = 20
    factor: float = 0.5
    rate: float = 0.9
    iterations: int = 500
    target: float = np.inf
    patience: int | None = None

    def maximise(
        self,
        function: Callable[[Positions], NDArray[np.float64]],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        generator: np.random.Generator,
    ) -> Found:
        if self.population < 4:
            raise ParameterError("Differential evolution needs a population of at least four.")
        if not (0 <= self.factor <= 2 and 0 <= self.rate <= 1):
            raise ParameterError(
                "The factor must lie between 0 and 2 and the crossover rate between 0 and 1."
            )
        stopping = Stopping(self.iterations, self.target, self.patience)
        positions = start(low, high, self.population, generator)  # equation 3.4
        fitness = np.array(function(positions), float)
        evaluations = self.population
        reason = None
        while reason is None:
            one, two, three = strangers(self.population, 3, generator)
            donor = donors(positions[one], positions[two], positions[three], self.factor)
            trial = crossed(positions, np.clip(donor, low, high), self.rate, generator)
            trial_fitness = np.asarray(function(trial), float)
            evaluations += self.population
            better = trial_fitness > fitness  # equation 3.7
            positions[better], fitness[better] = trial[better], trial_fitness[better]
            reason = stopping.over(float(fitness.max()))
        best = int(fitness.argmax())
        return Found(
            positions[best].copy(), float(fitness[best]), tuple(stopping.history), evaluations, reason
        )
