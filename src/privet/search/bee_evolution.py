"""ABC–DE over subsets (Zorarpacı and Özel 2016): binary differential evolution with bees' local steps.

A fit individual mutates as in differential evolution (exploration), another takes an employed bee's step
(exploitation); then onlookers flip a bit of the *less* fit. Of two equally good subsets the smaller is kept.
Equation numbers are those of the thesis, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.search.bee_colony import shares
from privet.search.differential_evolution import strangers
from privet.search.found import Found, Stopping

__all__ = ["BeeEvolution", "Subsets", "difference", "flipped", "merged"]

Subsets = NDArray[np.bool_]
Fitness = Callable[[Subsets], NDArray[np.float64]]


def difference(one: Subsets, other: Subsets) -> Subsets:
    """0 where both are equal, else the first's bit (equations 3.8 and 3.10): in one, and not in the other.

    >>> difference(np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 0], bool)).astype(int)
    array([0, 1, 0, 0])
    """
    return np.where(one == other, False, one)


def merged(base: Subsets, addition: Subsets) -> Subsets:
    """1 where the addition is 1, else the base's bit: OR (equations 3.9 and 3.11)."""
    return np.where(addition, True, base)


def flipped(subsets: Subsets, places: NDArray[np.int64]) -> Subsets:
    """NOT at one place of each subset (equation 3.12)."""
    trial = subsets.copy()
    rows = np.arange(len(subsets))
    trial[rows, places] = ~trial[rows, places]
    return trial


@dataclass(frozen=True)
class BeeEvolution:
    """Searches subsets of ``width`` things; fitness is not negative and larger is better.

    >>> wanted = np.array([1, 0, 1, 1, 0, 0, 0, 1], bool)
    >>> found = BeeEvolution(iterations=60).maximise(
    ...     lambda s: (s == wanted).mean(axis=1), 8, np.random.default_rng(0))
    >>> bool((found.position == wanted).all())
    True
    """

    population: int = 20
    iterations: int = 100
    target: float = np.inf
    patience: int | None = None

    def maximise(self, function: Fitness, width: int, generator: np.random.Generator) -> Found:
        if self.population < 4 or width < 1:
            raise ParameterError(
                "The search needs a population of at least four, and something to choose from."
            )
        stopping = Stopping(self.iterations, self.target, self.patience)
        subsets = generator.random((self.population, width)) < 0.5
        fitness = np.array(function(subsets), float)
        evaluations = self.population
        reason = None
        while reason is None:
            trial = self._moved(subsets, fitness, generator)
            subsets, fitness = selected(subsets, fitness, trial, np.asarray(function(trial), float))
            # Modified onlookers: one below the best share by more than a draw has a bit flipped (step 7).
            part = shares(fitness)
            looked = np.flatnonzero(part.max() - part > generator.random(self.population))
            evaluations += self.population + looked.size
            if looked.size:
                trial = subsets.copy()
                trial[looked] = flipped(subsets[looked], generator.integers(0, width, looked.size))
                trial_fitness = fitness.copy()
                trial_fitness[looked] = np.asarray(function(trial[looked]), float)
                subsets, fitness = selected(subsets, fitness, trial, trial_fitness)
            reason = stopping.over(float(fitness.max()))
        best = int(np.lexsort((subsets.sum(axis=1), -fitness))[0])
        return Found(subsets[best].copy(), float(fitness[best]), tuple(stopping.history), evaluations, reason)

    def _moved(
        self, subsets: Subsets, fitness: NDArray[np.float64], generator: np.random.Generator
    ) -> Subsets:
        """Step 4: DE's mutation (crossover rate 1) for those whose share beats a draw, else a bee's step."""
        count, width = subsets.shape
        one, two, three = strangers(count, 3, generator)
        apart = difference(subsets[one], subsets[two])
        mutant = merged(subsets[three], apart)
        chosen = np.zeros_like(subsets)
        chosen[np.arange(count), generator.integers(0, width, count)] = True
        go = np.greater(generator.random(count), generator.random(count))
        step = merged(subsets, apart & chosen & go[:, None])
        explore = np.greater(shares(fitness), generator.random(count))
        return np.where(explore[:, None], mutant, step)


def selected(
    old: Subsets, old_fitness: NDArray[np.float64], new: Subsets, new_fitness: NDArray[np.float64]
) -> tuple[Subsets, NDArray[np.float64]]:
    """The better of each pair; of two equally good ones the smaller (step 5)."""
    smaller = new.sum(axis=1) < old.sum(axis=1)
    take = (new_fitness > old_fitness) | ((new_fitness == old_fitness) & smaller)
    return np.where(take[:, None], new, old), np.where(take, new_fitness, old_fitness)
