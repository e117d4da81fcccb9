"""Map and reduce: any function of one record or person, made private by what is done with its results.

The function (the *mapper*) turns each unit of privacy by itself into a few numbers within declared ranges; a
*reducer* of Privet's own releases their sum, mean, histogram or quantile with noise. Nothing is asked of the
mapper: it may parse, score or classify as it likes, and nobody needs to have read it. Unlike sample and
aggregate there is no bias from small blocks, but the mapper sees one unit at a time.

**Privacy.** ``curator.ask.mapped``: one unit of privacy changes one row of the mapper's results, within the
declared ranges, and the reducer's noise is for that. ``isolation.units`` proves the first half: each run is a
process of its own that sees one unit and nothing else. One that fails counts as the middle of the ranges.

*Reference.* Roy, Setty, Kilzer, Shmatikov, Witchel (2010), Airavat: security and privacy for MapReduce.
"""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray

from privet.curator import Curator, Mapped
from privet.estimator import WholeTableEstimator
from privet.learning.sample_aggregate import High, Isolation, Low, Tables, declared_ranges
from privet.parameters import When, with_parameters
from privet.stats import Coded, CrossTable
from privet.stats.group_sums import GroupSums

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["MapReduce"]

#: A quantile is read off a noisy histogram of so many bins.
QUANTILE_BINS = 64


@with_parameters
class MapReduce(WholeTableEstimator):
    """Runs any function on each record (or person) by itself and releases a private summary of its results.

    ``function`` is given a data frame of one unit's records, as ``SampleAggregate`` gives a block, and
    returns a number for each pair of ``low`` and ``high``. What it may hold, and what it is shut off from, is
    the same.

    After ``fit``, ``value_`` is the reduced value of each output and ``error_`` the 95 % error bar of its
    noise; ``counts_`` are the records in each bin for a histogram, and ``edges_`` the bins' ends.

    >>> import pandas as pd
    >>> from privet.schema import Schema
    >>> table = pd.DataFrame({"age": [30.0, 70.0] * 20})
    >>> old = MapReduce(
    ...     lambda person: float(person["age"].iloc[0] > 65), low=0, high=1, units=60, epsilon=10.0,
    ...     schema=Schema.of({"age": (0.0, 120.0)}),
    ... ).fit(table)
    >>> bool(abs(old.value_[0] - 20) < 10), old.guarantee_.epsilon
    (True, 10.0)
    """

    family: ClassVar[str] = "aggregate"

    function: Annotated[Any, "Run on each unit: takes its records, returns numbers."] = field(kw_only=False)
    low: Low = field(kw_only=False)
    high: High = field(kw_only=False)
    units: Annotated[
        int,
        Ge(1),
        Le(10_000_000),
        "How many records (or people) are looked at; if there are more, a random choice of them.",
    ] = 10_000
    reducer: Annotated[
        Literal["sum", "mean", "histogram", "quantile"], "What is released of the function's results."
    ] = "sum"
    bins: Annotated[int, Ge(2), Le(1000), When("reducer", "histogram"), "How many bins a histogram has."] = 20
    quantile: Annotated[
        float, Gt(0), Lt(1), When("reducer", "quantile"), "Which quantile: 0.5 is the median."
    ] = 0.5
    timeout: Annotated[
        float, Gt(0), Le(86_400), "Seconds of a processor that the function may use for a unit."
    ] = 1.0
    tables: Tables = "pandas"
    isolation: Isolation = "full"

    def fit(self, X: Any, y: Any = None, **more: Any) -> MapReduce:
        """Run the function on each unit of a table: a frame, a file, a database table, or arrays (X, y)."""
        declared_ranges(self)  # a wrong range is refused before anything is paid
        super().fit(X, y, **more)
        return self

    def _fit(self, curator: Curator) -> None:
        low, high = declared_ranges(self)
        names = [f"output_{place}" for place in range(1, len(low) + 1)]
        question = Mapped(
            self.function,
            tuple(low.tolist()),
            tuple(high.tolist()),
            self._reducers(names, low, high),
            slots=self.units,
            timeout=self.timeout,
            what=f"the {self.reducer} of what the function returns",
            as_pandas=self.tables == "pandas",
            isolation=self.isolation,
        )
        releases = curator.ask(question, curator.left).releases
        self._reduce(releases, low, high)

    def _reducers(self, names: list[str], low: NDArray[Any], high: NDArray[Any]) -> tuple[Any, ...]:
        if self.reducer == "sum":
            return tuple(GroupSums((), name, centre=0.0) for name in names)
        if self.reducer == "mean":
            return (CrossTable((Coded(names[0]),)), *(GroupSums((), name) for name in names))
        edges = self._edges(low, high)
        return tuple(
            CrossTable((Coded(name, tuple(edges[place][1:-1].tolist())),)) for place, name in enumerate(names)
        )

    def _edges(self, low: NDArray[Any], high: NDArray[Any]) -> list[NDArray[Any]]:
        bins = self.bins if self.reducer == "histogram" else QUANTILE_BINS
        return [np.linspace(a, b, bins + 1) for a, b in zip(low, high, strict=True)]

    def _reduce(self, releases: Any, low: NDArray[Any], high: NDArray[Any]) -> None:
        """Everything from here on is post-processing of what was released."""
        half, middle = (high - low) / 2, low + (high - low) / 2
        if self.reducer == "sum":
            reach = np.maximum(np.abs(low), np.abs(high))
            self.value_ = np.array([float(r.value) for r in releases]) * reach
            self.error_ = np.array([r.error for r in releases]) * reach
        elif self.reducer == "mean":
            count, sums = releases[0], releases[1:]
            number = max(float(count.value[0]), 1.0)
            z = np.clip([float(r.value) / number for r in sums], -1, 1)
            self.value_ = middle + half * z
            off = np.hypot([r.error / number for r in sums], np.abs(z) * count.error / number)
            self.error_ = half * np.minimum(off, 2.0)
        else:
            edges = self._edges(low, high)
            counts = [np.maximum(r.value[:-1], 0) for r in releases]
            self.counts_ = [c.tolist() for c in counts]
            self.edges_ = [e.tolist() for e in edges]
            self.counts_error_ = [float(r.error) for r in releases]
            wanted = self.quantile if self.reducer == "quantile" else 0.5
            self.value_ = np.array([_quantile(c, e, wanted) for c, e in zip(counts, edges, strict=True)])
            self.error_ = high - low

    def pictures(self) -> tuple[Chart, ...]:
        from privet.report import Bars, Series
        from privet.report.charts import numbers

        if self.reducer not in ("histogram", "quantile"):
            return ()
        charts = []
        for place, (counts, edges, error) in enumerate(
            zip(self.counts_, self.edges_, self.counts_error_, strict=True), 1
        ):
            labels = tuple(f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges))
            series = Series("units", numbers(counts), (error,) * len(counts))
            charts.append(Bars(f"What the function returns: output {place}", labels, (series,), y="units"))
        return tuple(charts)


def _quantile(counts: NDArray[Any], edges: NDArray[Any], wanted: float) -> float:
    """Where a noisy histogram reaches the wanted share; the middle of the range if it holds nothing."""
    total = counts.sum()
    if total <= 0:
        return float((edges[0] + edges[-1]) / 2)
    reached = np.concatenate([[0.0], counts.cumsum() / total])
    return float(np.interp(wanted, reached, edges))
