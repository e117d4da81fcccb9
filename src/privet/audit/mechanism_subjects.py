"""Mechanisms as subjects: noise on answers, private choices, and private quantiles.

A mechanism is audited on exact answers, not on tables. What two neighbours may differ by is what the
mechanism declares: its sensitivity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privet.audit.claim import Claim
from privet.audit.outputs import Sample
from privet.audit.pairs import Pair
from privet.randomness import secure

__all__ = ["Choice", "NoisyAnswer", "NoisyQuantile"]


@dataclass(frozen=True)
class NoisyAnswer(Claim):
    """A mechanism that adds noise to numbers: the pairs are answers at its sensitivity."""

    chunk: int = field(default=10_000, kw_only=True)

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        if hasattr(self.thing, "size"):  # randomised response: one record's category
            return [Pair("the first category and the last", [0], [int(self.thing.size) - 1])]
        moves = {"answers moved by the sensitivity": self._moved()}
        if (halves := self._halves()) is not None:
            moves["two answers that share the sensitivity"] = halves
        return [Pair(f"answers of 0 and {words}", [0] * len(away), away) for words, away in moves.items()]

    def draw(self, data: Any, runs: int) -> Sample:
        answers = np.tile(np.asarray(data), (runs, 1))
        drawn = np.asarray(self.thing.randomise(answers, secure()), float)
        return Sample(tuple(f"answer[{j}]" for j in range(drawn.shape[1])), drawn)

    def _moved(self) -> list[Any]:
        squared = getattr(self.thing, "squared_sensitivity", None)
        if squared is None:
            # Where each of several answers may move by the sensitivity, all of them do.
            return [_whole(self.thing.sensitivity)] * getattr(self.thing, "coordinates", 1)
        if (root := _whole(float(squared) ** 0.5)) ** 2 == squared or squared > 64:
            return [root]
        return [1] * int(squared)  # whole numbers at that distance: a step of 1 in each of several answers

    def _halves(self) -> list[Any] | None:
        """An L1 bound lets two answers move by half each, which not every noise can bear."""
        if hasattr(self.thing, "squared_sensitivity") or hasattr(self.thing, "coordinates"):
            return None
        total = _whole(self.thing.sensitivity)
        half = total // 2 if isinstance(total, int) else total / 2
        return [half, total - half] if half else None


@dataclass(frozen=True)
class Choice(Claim):
    """A mechanism that chooses one or more by scores: the pairs move the scores by the sensitivity."""

    chunk: int = field(default=2_000, kw_only=True)

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        k, step = int(getattr(self.thing, "k", 1)), _whole(self.thing.sensitivity)
        up, still = [step] * k, [0] * k
        moves = {"some of equal scores raised by the sensitivity": (up + [0] * 3, still + [0] * 3)}
        if not self.thing.monotonic:
            moves["of equal scores one half raised, the other lowered"] = (up + still, still + up)
            # Among many the sum of all weights moves as far as a single one, and in each of k rounds anew.
            moves["a few of many scores fall, the others rise"] = (
                up + [0] * (6 + k),
                still + [step] * (6 + k),
            )
        return [Pair(words, first, second) for words, (first, second) in moves.items()]

    def draw(self, data: Any, runs: int) -> Sample:
        source, scores = secure(), np.asarray(data)
        chosen = np.array([np.atleast_1d(self.thing.choose(scores, source)) for _ in range(runs)], float)
        names = [f"choice[{j}]" for j in range(chosen.shape[1])] if chosen.shape[1] > 1 else ["choice"]
        return Sample(tuple(names), chosen)


@dataclass(frozen=True)
class NoisyQuantile(Claim):
    """A private quantile of values of which one is replaced: calm tables, and some about to jump."""

    chunk: int = field(default=2_000, kw_only=True)
    values: int = field(default=9, kw_only=True)

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        low, high, size = int(self.thing.low), int(self.thing.high), self.values
        rank = math.ceil(size * self.thing.probability)
        levels = [(low, high), (low, (low + high) // 2), ((low + high) // 2, high)]
        # The closer the number of low values is to the rank, the closer is the quantile to a jump.
        return [
            Pair(f"{lows} of {size} values at {one}, the others at {other}; then one more", *(
                [one] * count + [other] * (size - count) for count in (lows, lows + 1)))
            for lows in range(max(0, rank - 3), min(size, rank + 2))
            for one, other in levels
        ]  # fmt: skip

    def draw(self, data: Any, runs: int) -> Sample:
        source, values = secure(), np.asarray(data)
        drawn = np.array([[self.thing.randomise(values, source)] for _ in range(runs)], float)
        return Sample(("quantile",), drawn)


def _whole(value: Any) -> Any:
    """As an int where it is whole: mechanisms for counts take nothing else."""
    return int(value) if float(value).is_integer() else float(value)
