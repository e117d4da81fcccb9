"""What an additive model has learned, as plain data, in words and as charts of released values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.learning.additive.boosting import Kept
from privet.report import Bars, Chart, Heatmap, Lines, Series
from privet.report.charts import numbers
from privet.schema import Category, Schema
from privet.stats import Coded
from privet.stats.boosting import Additive, Grouped, Grouping

__all__ = ["in_words", "model_of", "pictures", "shapes_of", "strength"]

Table = NDArray[np.float64]
Shape = dict[str, Any]
MOST_SERIES = 6  # in one picture
MOST_PICTURES = 12


def shapes_of(kept: Kept) -> list[Shape]:
    """One entry per set of cells: terms that were boosted several times are added up. Strongest first."""
    tables: dict[Grouping, tuple[Table, Table]] = {}
    for (grouping, table), squared in zip(kept.model.terms, kept.errors, strict=True):
        value, error = tables.get(grouping, (0.0, 0.0))
        tables[grouping] = (value + table, error + squared)
    shapes = [
        {
            "columns": [each.coded.column for each in grouping.grouped],
            "cuts": [list(each.coded.cuts) for each in grouping.grouped],
            "groups": [list(each.groups) for each in grouping.grouped],
            "values": np.asarray(value).tolist(),
            "errors": np.sqrt(error).tolist(),
        }
        for grouping, (value, error) in tables.items()
    ]
    return sorted(shapes, key=strength, reverse=True)


def strength(shape: Shape) -> float:
    """How far a shape moves the margin, as the spread of its cells."""
    return float(np.std(shape["values"], axis=0).max())


def grouping_of(shape: Shape) -> Grouping:
    parts = zip(shape["columns"], shape["cuts"], shape["groups"], strict=True)
    return Grouping(tuple(Grouped(Coded(name, tuple(cuts)), tuple(groups)) for name, cuts, groups in parts))


def model_of(start: Sequence[float], shapes: Sequence[Shape]) -> Additive:
    """The model that plain data stands for."""
    terms = tuple((grouping_of(shape), np.array(shape["values"], float)) for shape in shapes)
    return Additive(np.array(start, float), terms)


def in_words(
    shapes: Sequence[Shape], schema: Schema, head: str, outputs: Sequence[str], most: int = 8
) -> str:
    """The strongest shapes, one per line: where each is highest and lowest.

    ``outputs`` are the classes that margins belong to, whose odds are multiplied by the exponential of a
    shape; there are none for a number, to which a shape is added.
    """
    lines = []
    for shape in shapes[:most]:
        values, errors = np.array(shape["values"]), np.array(shape["errors"])
        output = int(np.abs(values).max(axis=0).argmax())
        moved, labels = values[:, output], _labels(shape, schema)
        ends = "; ".join(
            f"{_effect(moved[place], errors[place, output], odds=bool(outputs))} at {labels[place]}"
            for place in (int(moved.argmax()), int(moved.argmin()))
        )
        whose = f" (for {outputs[output]})" if len(outputs) > 1 else ""
        lines.append(f"{' with '.join(shape['columns'])}{whose}: {ends}")
    if not lines:
        return ""
    left = len(shapes) - most
    if left > 0:
        lines.append(f"({left} weaker {'term is' if left == 1 else 'terms are'} not listed.)")
    return "\n".join([head, *lines])


def _effect(value: float, error: float, odds: bool) -> str:
    if not odds:
        return f"{_plain(value, sign=True)} ± {_plain(error, digits=1)}"
    least, most = np.exp(value - error), np.exp(value + error)
    return f"× {_plain(np.exp(value))} ({_plain(least)} to {_plain(most)})"


def _plain(value: float, digits: int = 2, sign: bool = False) -> str:
    """A number with so many digits that say something, and without an exponent.

    >>> _plain(1234.5), _plain(9.7, digits=1), _plain(0.031, sign=True)
    ('1200', '10', '+0.031')
    """
    return np.format_float_positional(value, precision=digits, fractional=False, trim="-", sign=sign)


def pictures(shapes: Sequence[Shape], schema: Schema, outputs: Sequence[str], what: str) -> tuple[Chart, ...]:
    """A curve per number, bars per category, a heatmap per pair; the strongest come first."""
    charts: list[Chart] = []
    for shape in shapes[:MOST_PICTURES]:
        values, errors = np.array(shape["values"]), np.array(shape["errors"])
        if len(shape["columns"]) == 2:
            charts.append(_pair(shape, schema, values, errors, outputs, what))
            continue
        [name] = shape["columns"]
        shown = np.argsort(-np.abs(values).max(axis=0), kind="stable")[:MOST_SERIES]
        series = [(outputs[k], values[:, k], errors[:, k]) for k in sorted(shown)]
        column = schema[name]
        note = "Error bars and bands are for the privacy noise (95 %)."
        if isinstance(column, Category):
            told = tuple(Series(title, numbers(list(v)), numbers(list(e))) for title, v, e in series)
            charts.append(Bars(name, tuple(_labels(shape, schema)), told, y=what, note=note))
        else:
            at, groups = _steps(shape, column.low, column.high)
            told = tuple(Series(t, numbers(list(v[groups])), numbers(list(e[groups]))) for t, v, e in series)
            charts.append(Lines(name, numbers(at), told, x=name, y=what, note=note))
    return tuple(charts)


def _pair(
    shape: Shape, schema: Schema, values: Table, errors: Table, outputs: Sequence[str], what: str
) -> Heatmap:
    grouping = grouping_of(shape)
    sizes = [each.size for each in grouping.grouped]
    k = int(np.abs(values).max(axis=0).argmax())
    one, other = (_own_labels(each, schema) for each in grouping.grouped)
    title = " with ".join(shape["columns"]) + (f", for {outputs[k]}" if len(outputs) > 1 else "")
    rows = tuple(numbers(row) for row in values[:, k].reshape(sizes))
    x, y = shape["columns"][1], shape["columns"][0]
    return Heatmap(
        title, tuple(one), tuple(other), rows, float(errors[:, k].max()), True, x=x, y=y, note=what
    )


def _steps(shape: Shape, low: float, high: float) -> tuple[list[float], NDArray[np.int64]]:
    """Both ends of each run of intervals, and the group there."""
    groups = shape["groups"][0][:-1]
    edges = [low, *shape["cuts"][0], high]
    at, own = [], []
    for place, group in enumerate(groups):
        if place == 0 or group != groups[place - 1]:
            at.append(edges[place])
            own.append(group)
        if place == len(groups) - 1 or group != groups[place + 1]:
            at.append(edges[place + 1])
            own.append(group)
    return at, np.array(own, np.int64)


def _labels(shape: Shape, schema: Schema) -> list[str]:
    parts = [_own_labels(each, schema) for each in grouping_of(shape).grouped]
    if len(parts) == 1:
        return parts[0]
    return [f"{one}, {other}" for one in parts[0] for other in parts[1]]


def _own_labels(grouped: Grouped, schema: Schema) -> list[str]:
    """A name for each group: its values, or its interval."""
    column = schema[grouped.coded.column]
    named: list[list[str]] = [[] for _ in range(grouped.size)]
    if isinstance(column, Category):
        for label, group in zip((*map(str, column.labels), "missing"), grouped.groups, strict=True):
            named[group].append(label)
        return [_joined(each) for each in named]
    edges = [column.low, *grouped.coded.cuts, column.high]
    for group in range(grouped.size):
        places = [place for place, g in enumerate(grouped.groups[:-1]) if g == group]
        if places:
            named[group].append(f"{edges[places[0]]:.4g} to {edges[places[-1] + 1]:.4g}")
        if grouped.groups[-1] == group:
            named[group].append("missing")
    return [_joined(each) for each in named]


def _joined(names: list[str]) -> str:
    return " or ".join(names) if len(names) <= 2 else f"{names[0]} or {len(names) - 1} others"
