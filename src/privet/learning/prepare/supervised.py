"""Cuts of numbers where the classes change."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.estimator import PrivatePreparer
from privet.learning.prepare.histogram import Histogram, attributes
from privet.parameters import with_parameters
from privet.schema import Category, Column, Number
from privet.schema.bins import public_cuts
from privet.schema.columns import BOUGHT
from privet.stats import Coded, CrossTable

__all__ = ["SupervisedCuts"]

Table = NDArray[np.float64]


@with_parameters
class SupervisedCuts(PrivatePreparer):
    """Cuts of every number where the shares of the classes change, found in noisy tables.

    From equal bins on, the split that tells most about the class is made, again and again, as long as it
    tells more than noise and chance would (the description length of Fayyad and Irani 1993, with the noise
    added). Learners that use bins then use these. A number that tells nothing gets no cut. Without a class to
    look at, nothing is known, and no cut is made.

    **Privacy.** Each number gets one table of bins and classes, of sensitivity 1 (``stats.CrossTable``), for
    an equal share; the cuts follow from its noisy counts.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> draw = np.random.default_rng(0)
    >>> age, luck = draw.uniform(0, 100, 20_000), draw.uniform(0, 1, 20_000)
    >>> schema = Schema.of({"age": (0.0, 100.0), "luck": (0.0, 1.0), "ill": ["no", "yes"]}, target="ill")
    >>> ill = np.where(age + draw.normal(0, 5, 20_000) > 60, "yes", "no")
    >>> import pyarrow as pa
    >>> table = pa.table({"age": age, "luck": luck, "ill": ill})
    >>> found = SupervisedCuts(epsilon=1.0, schema=schema).fit(table).cuts_
    >>> any(55 < cut < 65 for cut in found["age"]), found["luck"]
    (True, [])
    """

    bins: Annotated[int, Ge(2), Le(100), "How many bins a number gets at most."] = 8
    grain: Annotated[int, Ge(4), Le(1000), "How many equal bins the cuts are found in."] = 64

    def _fit(self, curator: Curator) -> None:
        target = curator.schema.target
        classes = [Coded(target)] if target and isinstance(curator.schema[target], Category) else []
        columns = [c for c in attributes(curator, Number) if isinstance(c, Number)]
        fine = {column.name: public_cuts(replace(column, cuts=()), self.grain) for column in columns}
        asked = [
            (
                Measure(
                    CrossTable((Coded(c.name, fine[c.name]), *classes)),
                    f"classes in equal bins of '{c.name}'",
                ),
                Fraction(1, len(columns)),
            )
            for c in columns
        ]
        self.cuts_: dict[str, list[float]] = {}
        self.histograms_ = {}
        for column, release in zip(columns, curator.ask_together(asked) if asked else (), strict=True):
            table = np.asarray(release.value, np.float64)[:-1]  # the last bin is of missing values
            table = table.reshape(len(table), -1)
            table = table[:, :-1] if classes else table
            edges = (float(column.low), *fine[column.name], float(column.high))
            deviation = float(release.standard_deviation)
            told = Histogram(table.sum(axis=1), edges, deviation * math.sqrt(table.shape[1]))
            self.histograms_[column.name] = told.to_dict()
            places = splits(table, deviation, self.bins) if classes else []
            self.cuts_[column.name] = [fine[column.name][place - 1] for place in places]

    def _column_after(self, column: Column) -> Column:
        if isinstance(column, Category) or not self.cuts_.get(column.name):
            return column
        return replace(column, cuts=tuple(self.cuts_[column.name]), origin=BOUGHT)

    def in_words(self) -> str:
        """The cuts, a line for each number."""
        told = {n: ", ".join(f"{cut:g}" for cut in cuts) or "no cut" for n, cuts in self.cuts_.items()}
        return "\n".join(f"{name}: {cuts}" for name, cuts in told.items())


def splits(table: Table, deviation: float, bins: int) -> list[int]:
    """Where a noisy table (bins × classes) is split into at most so many parts, by what each split tells.

    >>> splits(np.array([[90.0, 10], [85, 12], [10, 90], [14, 88]]), 1.0, 4)
    [2]
    """
    parts, places = [(0, len(table))], []
    while len(parts) < bins:
        best: tuple[float, int, tuple[int, int]] | None = None
        for low, high in parts:
            gain, place = _best_split(table[low:high], deviation)
            if gain > 0 and (best is None or gain > best[0]):
                best = (gain, low + place, (low, high))
        if best is None:
            break
        _, place, (low, high) = best
        parts.remove((low, high))
        parts += [(low, place), (place, high)]
        places.append(place)
    return sorted(places)


def _best_split(table: Table, deviation: float) -> tuple[float, int]:
    """How much the best split of a part tells beyond chance and noise, in nats over all; and where."""
    if len(table) < 2:
        return 0.0, 0
    bins = len(table)
    sizes = np.arange(1, bins)[:, None]
    above = np.cumsum(table, axis=0)[:-1]
    # A sum of m noisy cells moves by √m deviations. Two of that on every count, and a class that noise alone
    # put on one side tells little.
    one = np.maximum(above, 0) + 2 * deviation * np.sqrt(sizes)
    two = np.maximum(table.sum(axis=0) - above, 0) + 2 * deviation * np.sqrt(bins - sizes)
    whole = one + two
    gains = _information(whole) - _information(one) - _information(two)
    # What the split itself takes to say (a place, and a table more), and what noise would seem to tell: a
    # count that moves by u tells about u²/2 over the class's size; here u is three deviations.
    said = math.log(bins) + (table.shape[1] - 1) * np.log(np.maximum(whole.sum(axis=1), 2.0)) / 2
    noise = (9 * deviation**2 * bins / (2 * np.maximum(whole, 1e-9))).sum(axis=1)
    beyond = gains - said - noise
    place = int(np.argmax(beyond))
    return float(beyond[place]), place + 1


def _information(counts: Table) -> Any:
    """The entropy of classes times the number of records, in nats."""
    shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1e-12)
    return -(counts * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1)
