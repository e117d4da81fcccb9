"""The answer to a query: a row per group, each figure with its error bar, and the guarantee."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import numpy as np

from privet.errors import ParameterError
from privet.queries.measures import Count, CountOf, Found, Group, Quantile, Sum
from privet.queries.selection import TOTAL, Selection
from privet.queries.totals import added_up
from privet.release import Guarantee
from privet.report import Bars, Chart, Heatmap, Series
from privet.schema import Category, Number, Schema
from privet.stats import Coded

__all__ = ["Answer", "Figure", "answered", "group_names"]


@dataclass(frozen=True)
class Figure:
    """A released number, and the half width of its 95 % error bar. Of a quantile the rank is what is off."""

    value: float
    error: float
    of_rank: bool = False

    def __str__(self) -> str:
        value = f"{self.value:.0f}" if self.value == round(self.value) else f"{self.value:.5g}"
        off = f"{self.error:,.0f}" if self.error >= 100 else f"{self.error:.3g}"
        return f"{value} (rank ± {off})" if self.of_rank else f"{value} ± {off}"

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value, "rank_error" if self.of_rank else "error": self.error}


@dataclass(frozen=True)
class Answer:
    """A table of released figures: ``keys`` and ``measures`` name its columns.

    A key is None for records that have no value of it. Such a row is shown only if it is clearly not empty.
    """

    keys: tuple[str, ...]
    measures: tuple[str, ...]
    rows: tuple[tuple[tuple[Any, ...], tuple[Figure, ...]], ...]
    guarantee: Guarantee

    def __getitem__(self, key: Any) -> Any:
        """The figures of one group: a single one by itself.

        A group of one key needs no tuple.
        """
        wanted = key if isinstance(key, tuple) else (key,)
        for found, figures in self.rows:
            if tuple(map(str, found)) == tuple(map(str, wanted)):
                return figures[0] if len(figures) == 1 else dict(zip(self.measures, figures, strict=True))
        raise ParameterError(f"The answer has no group {key!r}.", "Look at its rows.")

    @property
    def value(self) -> Figure:
        """The figure of an answer that is a single one."""
        if len(self.rows) != 1 or len(self.measures) != 1:
            raise ParameterError("This answer has several figures.", "Look at its rows.")
        return self.rows[0][1][0]

    @property
    def header(self) -> list[str]:
        return [*self.keys, *self.measures]

    def cells(self) -> list[list[str]]:
        """The rows as text."""
        return [
            ["missing" if k is None else str(k) for k in keys] + list(map(str, f)) for keys, f in self.rows
        ]

    def to_dict(self) -> dict[str, Any]:
        rows = [
            dict(zip(self.keys, keys, strict=True))
            | {name: figure.to_dict() for name, figure in zip(self.measures, figures, strict=True)}
            for keys, figures in self.rows
        ]
        return {
            "keys": list(self.keys),
            "measures": list(self.measures),
            "rows": rows,
            "guarantee": self.guarantee.to_dict(),
        }

    def charts(self, title: str = "") -> tuple[Chart, ...]:
        """A chart per measure: bars by group, or shades where there are two keys."""
        if not self.keys or not self.rows:
            return ()
        return tuple(self._chart(place, name, title or name) for place, name in enumerate(self.measures))

    def _chart(self, place: int, name: str, title: str) -> Chart:
        figures = [figures[place] for _, figures in self.rows]
        if len(self.keys) == 2 and not any(figure.of_rank for figure in figures):
            across = [tuple(dict.fromkeys(_label(keys[axis]) for keys, _ in self.rows)) for axis in (0, 1)]
            found = {tuple(map(_label, keys)): f[place].value for keys, f in self.rows}
            values = tuple(tuple(found.get((one, two), 0.0) for two in across[1]) for one in across[0])
            error = figures[0].error if len({figure.error for figure in figures}) == 1 else None
            return Heatmap(title, across[0], across[1], values, error, x=self.keys[1], y=self.keys[0])
        labels = tuple(", ".join(map(_label, keys)) for keys, _ in self.rows)
        errors = None if figures[0].of_rank else tuple(figure.error for figure in figures)
        return Bars(title, labels, (Series(name, tuple(f.value for f in figures), errors),), y=name)


def answered(selection: Selection, schema: Schema, told: Any, guarantee: Guarantee) -> Answer:
    """The answer, made of what was released: from here on everything is post-processing."""
    group = selection.group(schema)
    found = [measure.found(group, told) for measure in selection.measures]
    totals: list[Found] = []
    if selection.total:
        found, totals = _with_totals(selection, found, told, schema)
    names = [group_names(key, group) for key in group.keys]
    ranks = [isinstance(measure, Quantile) for measure in selection.measures]
    counted = next((f for m, f in zip(selection.measures, found, strict=True) if isinstance(m, Count)), None)
    rows = []
    for place in product(*(range(len(each)) for each in names)):
        keys = tuple(each[p] for each, p in zip(names, place, strict=True))
        clearly_there = counted and counted[0][place] > 2 * counted[1][place]
        if None in keys and not clearly_there and not totals:
            continue  # with a total all are shown, so that they add up
        figures = tuple(
            Figure(_shown(values[place], measure), float(errors[place]), rank)
            for (values, errors), measure, rank in zip(found, selection.measures, ranks, strict=True)
        )
        rows.append((keys, figures))
    keys = selection.names_of_keys
    answer = _arranged(Answer(keys, selection.labels, tuple(rows), guarantee), selection)
    if not totals:
        return answer
    whole = tuple(
        Figure(_shown(values, measure), float(errors))
        for (values, errors), measure in zip(totals, selection.measures, strict=True)
    )
    return replace(answer, rows=(*answer.rows, ((TOTAL,) * len(keys), whole)))


def _with_totals(
    selection: Selection, found: list[Found], told: Any, schema: Schema
) -> tuple[list[Found], list[Found]]:
    """The figures of the groups and of all together: counts and sums add up."""
    whole = selection.whole(schema)
    mine = {key[1]: each for key, each in told.items() if isinstance(key, tuple) and key[0] == TOTAL}
    parts, totals = [], []
    for measure, part in zip(selection.measures, found, strict=True):
        total = measure.found(whole, mine)
        if isinstance(measure, Count | CountOf | Sum):
            part, total = added_up(part, total, counts=not isinstance(measure, Sum))
        parts.append(part)
        totals.append(total)
    return parts, totals


def _shown(value: Any, measure: Any) -> float:
    """A count is not negative, whatever the noise says."""
    return max(float(value), 0.0) if measure.name.startswith("count") else float(value)


def _arranged(answer: Answer, selection: Selection) -> Answer:
    rows = list(answer.rows)
    for name in reversed(selection.order):
        bare = name.removeprefix("-")
        if bare in answer.measures:
            place = answer.measures.index(bare)
            rows.sort(key=lambda row: row[1][place].value, reverse=name.startswith("-"))
        elif bare in answer.keys:
            place = answer.keys.index(bare)
            rows.sort(key=lambda row: str(row[0][place]), reverse=name.startswith("-"))
        else:
            raise ParameterError(f"The answer has no column '{bare}' to sort by.")
    return Answer(answer.keys, answer.measures, tuple(rows[: selection.most]), answer.guarantee)


def group_names(key: Coded, group: Group) -> list[Any]:
    """The names of a key's groups; None for records without a value."""
    column = group.schema[key.column]
    if isinstance(column, Category):
        return [*column.labels, None]
    assert isinstance(column, Number)
    edges = np.array([column.low, *key.cuts, column.high])
    if column.integer and np.allclose(np.diff(edges)[1:-1], 1) and len(edges) == column.high - column.low + 2:
        return [*map(int, np.arange(column.low, column.high + 1)), None]
    return [*(f"{low:g} to {high:g}" for low, high in pairwise(edges)), None]


def _label(key: Any) -> str:
    return "missing" if key is None else str(key)
