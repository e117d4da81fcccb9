"""Gradual: statistics with less and less noise, until what is released is enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.budget import Pure, Zcdp
from privet.curator.ask.measure import Measure
from privet.curator.ask.question import Exact, Question
from privet.errors import ParameterError
from privet.mechanisms.gradual import GradualNoise
from privet.release import Release, Step
from privet.schema import Schema
from privet.stats import Statistic

__all__ = ["LEVELS", "Approached", "Gradual", "require_pure"]

#: Parts of the amount at which it is looked whether that is enough: from 1 % on, √2 times as much each time.
LEVELS = tuple(Fraction(round(1000 * 2 ** (-step / 2)), 1000) for step in range(13, -1, -1))


@dataclass(frozen=True)
class Approached:
    """The answers that were enough (or the last), the ``part`` of the amount they cost, and those before."""

    releases: tuple[Release, ...]
    part: Fraction
    earlier: tuple[tuple[Any, ...], ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for release in self.releases for step in release.steps)

    @property
    def told(self) -> tuple[Any, ...]:
        return (*(value for values in self.earlier for value in values), *(r.value for r in self.releases))


@dataclass(frozen=True, eq=False)
class Gradual(Question[Approached]):
    """These measurements, each with its share, at one of the ``levels`` after the other, until ``enough``.

    ``enough`` is shown what is released at a level, and nothing else: never an exact answer, and never a
    level that has not been reached. ``None`` goes to the last level, as a plan does.

    **Privacy.** ``mechanisms.gradual``: at the level where it stops, the answers to all measurements together
    have lost that part of the amount, since the losses of independent noises add up, and the answers before
    follow from these by noise that knows no table. The amount must be a pure ε: the bound holds for each
    outcome, and ρ is a mean over outcomes.
    """

    measures: tuple[tuple[Measure, Fraction], ...]
    enough: Callable[[tuple[Release, ...]], bool] | None = None
    levels: tuple[Fraction, ...] = LEVELS

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return tuple(measure.statistic for measure, _ in self.measures)

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        require_pure(0 if isinstance(amount, Pure) else 1)
        assert isinstance(amount, Pure)
        if sum(share for _, share in self.measures) > 1 or self.levels[-1] > 1:
            raise ParameterError("The shares of the measurements add up to more than the amount.")
        return [
            GradualNoise(
                tuple(amount.epsilon * share * level for level in self.levels),
                measure.statistic.sensitivity(schema).l1,
            )
            for measure, share in self.measures
        ]

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Approached:
        # All noise is drawn before the first look, and each look is shown one level more.
        drawn = [
            noise.answers(answer, exact.randomness)
            for noise, answer in zip(mechanism, exact.answers, strict=True)
        ]
        earlier: list[tuple[Any, ...]] = []
        for place, part in enumerate(self.levels):
            releases = tuple(
                _released(measure, noise, answers[place], place)
                for (measure, _), noise, answers in zip(self.measures, mechanism, drawn, strict=True)
            )
            if part == self.levels[-1] or (self.enough is not None and self.enough(releases)):
                break
            earlier.append(tuple(release.value for release in releases))
        return Approached(releases, part, tuple(earlier))

    def log_ratio(self, first: Exact, second: Exact, amount: Pure | Zcdp, mechanism: Any, told: Any) -> float:
        """That of the last answers: those before, and when to stop, follow from these without the table."""
        place, total = self.levels.index(told.part), 0.0
        triples = zip(self.measures, mechanism, told.releases, strict=True)
        for number, ((measure, _), noise, release) in enumerate(triples):
            noisy = np.rint(np.asarray(release.value, float) * measure.statistic.scale)
            likely = [
                noise.levels[place].log_probability(noisy - exact.answers[number]).sum()
                for exact in (first, second)
            ]
            total += float(likely[0] - likely[1])
        return total


def require_pure(delta: float) -> None:
    """Refuse a delta where precision is added step by step, before anything is reserved for it."""
    if delta:
        raise ParameterError(
            "Precision is added step by step with a pure epsilon only, and a delta was given.",
            "Leave the delta at 0.",
        )


def _released(measure: Measure, noise: GradualNoise, value: Any, place: int) -> Release:
    level, scale = noise.levels[place], measure.statistic.scale
    error = level.error(0.95) / scale
    looks = f", {place + 1} looks" if place else ""
    how = f"{level.event.mechanism} noise{looks}"
    step = Step(measure.what, how, Pure(level.epsilon), error, measure.statistic.unit)
    return Release(value if scale == 1 else value / scale, level.standard_deviation / scale, error, step)
