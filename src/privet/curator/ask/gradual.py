"""Gradual: statistics with less and less noise, to be looked at one level after the other."""

from __future__ import annotations

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

__all__ = ["LEVELS", "Gradual", "Levels", "require_pure"]

#: Parts of the amount at which it is looked whether that is enough: from 1 % on, √2 times as much each time.
LEVELS = tuple(Fraction(round(1000 * 2 ** (-step / 2)), 1000) for step in range(13, -1, -1))


@dataclass(frozen=True)
class Levels:
    """The answers at every level, the noisiest first: ``curator.ask_gradually`` hands them out one by one."""

    releases: tuple[tuple[Release, ...], ...]

    def steps_at(self, place: int) -> tuple[Step, ...]:
        return tuple(step for release in self.releases[place] for step in release.steps)

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.steps_at(-1)

    @property
    def told(self) -> tuple[Any, ...]:
        return tuple(release.value for level in self.releases for release in level)


@dataclass(frozen=True)
class Gradual(Question[Levels]):
    """These measurements, each with its share, at one of the levels after the other.

    **Privacy.** ``mechanisms.gradual``: the answers to all measurements at a level together have lost that
    part of the amount, since the losses of independent noises add up, and the answers at levels before
    follow from these by noise that knows no table. So whoever looks at all levels has spent the amount;
    whoever stops at one, by what they have seen so far, has spent its part. The amount must be a pure ε: the
    bound holds for each outcome, and ρ is a mean over outcomes.
    """

    measures: tuple[tuple[Measure, Fraction], ...]

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return tuple(measure.statistic for measure, _ in self.measures)

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        require_pure(0 if isinstance(amount, Pure) else 1)
        assert isinstance(amount, Pure)
        if sum(share for _, share in self.measures) > 1:
            raise ParameterError("The shares of the measurements add up to more than the amount.")
        return [
            GradualNoise(
                tuple(amount.epsilon * share * level for level in LEVELS),
                measure.statistic.sensitivity(schema).l1,
            )
            for measure, share in self.measures
        ]

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Levels:
        drawn = [
            noise.answers(answer, exact.randomness)
            for noise, answer in zip(mechanism, exact.answers, strict=True)
        ]
        return Levels(
            tuple(
                tuple(
                    _released(measure, noise, answers[place], place)
                    for (measure, _), noise, answers in zip(self.measures, mechanism, drawn, strict=True)
                )
                for place in range(len(LEVELS))
            )
        )

    def log_ratio(self, first: Exact, second: Exact, amount: Pure | Zcdp, mechanism: Any, told: Any) -> float:
        """That of the last answers: those before follow from these without the table."""
        return self.log_ratio_at(len(LEVELS) - 1, first, second, mechanism, told)

    def log_ratio_at(self, place: int, first: Exact, second: Exact, mechanism: Any, told: Levels) -> float:
        """That of all answers up to a level, whoever stops there by what they have seen."""
        total = 0.0
        triples = zip(self.measures, mechanism, told.releases[place], strict=True)
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
