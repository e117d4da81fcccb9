"""Mapped: a user's function on each unit of privacy, and statistics of what it returns, with noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.budget import Pure, Zcdp
from privet.curator.ask.blocks import closed_or_open
from privet.curator.ask.question import Exact, Question
from privet.mechanisms import noise_for
from privet.randomness import Randomness
from privet.release import Release, Step
from privet.schema import Number, Schema, Unit
from privet.stats import Rows, Statistic

__all__ = ["Mapped", "Reduced"]

_FAILED = (
    "Units on which the function failed or took too long count as the middle of each range, and how many did "
    "is not reported. A function that comes close to its limit of time can fail because the machine is busy."
)


@dataclass(frozen=True)
class Reduced:
    """The statistics of what the function returned, each with its noise."""

    releases: tuple[Release, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for release in self.releases for step in release.steps)

    @property
    def told(self) -> tuple[Any, ...]:
        return tuple(release.value for release in self.releases)


@dataclass(frozen=True)
class Mapped(Question[Reduced]):
    """Map and reduce: the function runs on each unit by itself, and what it returns stays inside.

    Its numbers form a table with a row per unit and the columns ``output_1``, ``output_2`` …, of which
    ``reducers`` are statistics.

    **Sensitivity.** One unit of the table changes one row of that table: it comes, goes, or changes
    (``isolation.units``). That is covered by the statistics' sensitivities for one record that is replaced,
    whatever the relation of neighbours is: a row that comes or goes moves a statistic by one contribution,
    and a row that changes by two. Each reducer gets an equal share of the amount, and they compose.
    """

    function: Callable[[Any], Any] = field(metadata={"closed": True})
    low: tuple[float, ...]
    high: tuple[float, ...]
    reducers: tuple[Statistic, ...]
    slots: int
    timeout: float
    what: str = "what the function returns"
    as_pandas: bool = True
    isolation: Literal["full", "available"] = "full"

    @property
    def assumed(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        return (
            ("the ranges of the function's outputs, and how many units are looked at", "declared"),
            ("the function's code, and the values that it holds", "declared"),
        )

    @property
    def caveats(self) -> tuple[str, ...]:  # type: ignore[override]  # they depend on what the system can close
        return (closed_or_open(), _FAILED)

    @property
    def schema(self) -> Schema:
        """What is public about the table of outputs."""
        bounds = enumerate(zip(self.low, self.high, strict=True), 1)
        columns = tuple(Number(f"output_{place}", low, high) for place, (low, high) in bounds)
        return Schema(columns, unit=Unit("replace"))

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        share = amount.share(Fraction(1, len(self.reducers)))
        found = [reducer.sensitivity(self.schema) for reducer in self.reducers]
        return [(share, noise_for(share, each.l1, each.squared_l2)) for each in found]

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Reduced:
        from privet.isolation.units import UnitFunction

        function = UnitFunction(
            self.function, self.low, self.high, self.timeout, self.as_pandas, self.isolation, rehearsal=1
        )
        outputs = function.rows(exact.source, exact.schema, self.slots, exact.randomness)
        return self.reduced(outputs, mechanism, exact.randomness)

    def reduced(self, outputs: NDArray[np.float64], mechanism: Any, randomness: Randomness) -> Reduced:
        """What may leave of the function's outputs, a row for each unit."""
        mapped = self.schema
        batch = pa.record_batch([pa.array(column) for column in outputs.T], names=list(mapped.names))
        rows = Rows(batch, mapped)
        releases = []
        for reducer, (share, noise) in zip(self.reducers, mechanism, strict=True):
            answer = reducer.finish(reducer.fold(reducer.start(mapped), rows), mapped)
            noisy = noise.randomise(answer, randomness)
            error = noise.error(0.95) / reducer.scale
            step = Step(self.what, f"{noise.event.mechanism} noise", share, error, reducer.unit)
            value = noisy if reducer.scale == 1 else noisy / reducer.scale
            releases.append(Release(value, noise.standard_deviation / reducer.scale, error, step))
        return Reduced(tuple(releases))
