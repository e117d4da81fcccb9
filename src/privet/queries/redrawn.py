"""People drawn from what a first look released, which is free: nothing but released figures is used.

A first look (``queries.describe``) releases noisy counts of the classes, and of each attribute by class. So
people are drawn as naive Bayes sees them: first their class, then each attribute given the class, whatever
the others are. Noise and chance would look like differences between the classes, and a forecast would take
them for something to learn. So of what an attribute's classes differ in, only the part is kept that is more
than both explain: none of it, where they explain all.

**Privacy.** Post-processing: the released figures, the public schema and a seed are all that is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.queries.answer import group_names
from privet.queries.describe import described
from privet.queries.selection import Selection, key_of
from privet.schema import Category, Number, Schema

__all__ = ["people_like"]

Floats = NDArray[np.float64]


def people_like(
    looks: Sequence[Mapping[str, Any]], schema: Schema, bins: int, records: int, seed: int = 0
) -> tuple[pa.Table, int]:
    """So many people as a first look saw them, and how many records it counted.

    ``looks`` are those of ``Description.to_dict``, taken with this schema and so many ``bins``.
    """
    target = None if schema.target is None else schema[schema.target]
    if not isinstance(target, Category):
        raise ParameterError("Without a class as the target it says nothing about how columns hang together.")
    found = {look["title"]: look["rows"] for look in looks}
    counts = {
        look.selection.keys[0].column: _counts(look.selection, found.get(look.title), schema)
        for look in described(schema, bins)
        if look.selection.keys
    }
    classes = counts.pop(target.name)[0]
    kept = {name: _given_the_class(*of, classes) for name, of in counts.items()}
    if classes.sum() < 1 or all(given is None for given in kept.values()):
        raise ParameterError("It is too noisy to say how the columns go with the class.")
    draw = np.random.default_rng(seed)
    group = draw.choice(len(classes), records, p=classes / classes.sum())
    arrays: dict[str, pa.Array] = {}
    for column in schema.columns:
        if column.name == target.name:
            arrays[column.name] = pa.array(target.labels).take(pa.array(group))
            continue
        shares = kept[column.name]
        if shares is None:
            shares = np.outer(_shares(counts[column.name][0].sum(axis=1)), np.ones(len(classes)))
        # The cell in which a random height falls, in the record's own class.
        cell = (draw.random(records) > np.cumsum(shares, axis=0)[:, group]).sum(axis=0)
        cell = np.minimum(cell, len(shares) - 1)
        if isinstance(column, Category):
            arrays[column.name] = pa.array(column.labels).take(pa.array(cell))
        else:
            arrays[column.name] = _numbers(column, bins, schema, cell, draw)
    if schema.unit.id is not None:
        arrays[schema.unit.id] = pa.array([f"drawn {place}" for place in range(records)], pa.string())
    return pa.table(arrays), round(float(classes.sum()))


def _counts(selection: Selection, rows: Any, schema: Schema) -> tuple[Floats, Floats]:
    """The counts of the cells and their standard deviations, an axis for each key; without missing values."""
    group = selection.group(schema)
    names = [[name for name in group_names(key, group) if name is not None] for key in group.keys]
    keys = [key.column for key in group.keys]
    wanted = [list(map(str, cell)) for cell in product(*names)]
    cells = [row for row in rows or () if all(row.get(key) is not None for key in keys)]
    if [[str(row[key]) for key in keys] for row in cells] != wanted:
        raise ParameterError("The columns have been declared differently since.")
    shape = tuple(map(len, names))
    values = np.array([max(cell["count"]["value"], 0.0) for cell in cells], float)
    deviations = np.array([cell["count"]["error"] / 1.96 for cell in cells], float)
    return values.reshape(shape), deviations.reshape(shape)


def _given_the_class(counts: Floats, deviations: Floats, classes: Floats) -> Floats | None:
    """The shares of an attribute's cells in each class; None where noise and chance explain all of it."""
    margin, sizes = _shares(counts.sum(axis=1)), counts.sum(axis=0)
    alike = np.outer(margin, sizes)
    beyond = ((counts - alike) ** 2).sum() - (deviations**2).sum() - alike.sum()
    if beyond <= 0 or sizes.min() <= 0:
        return None
    part = beyond / ((counts - alike) ** 2).sum()
    shares: Floats = np.maximum(margin[:, None] + part * (counts - alike) / sizes, 0.0)
    return shares / shares.sum(axis=0)


def _shares(counts: Floats) -> Floats:
    """All alike, where nothing was counted."""
    total = counts.sum()
    return counts / total if total > 0 else np.full(len(counts), 1 / len(counts))


def _numbers(
    column: Number, bins: int, schema: Schema, cell: NDArray[np.int64], draw: np.random.Generator
) -> pa.Array:
    """Anywhere in its interval."""
    cuts = key_of(column.name, schema, bins).cuts
    edges = np.array([column.low, *cuts, column.high], float)
    values = draw.uniform(edges[cell], edges[cell + 1])
    if not column.integer or max(abs(column.low), abs(column.high)) >= 2**53:
        return pa.array(values)
    whole = np.round(values).clip(np.ceil(column.low), np.floor(column.high))
    return pa.array(whole.astype(np.int64))
