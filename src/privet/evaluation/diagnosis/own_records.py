"""Records as a released model itself takes them to be, where it tells how they are spread.

* Naive Bayes has a table for each attribute within each class: records are drawn from these.
* A tree, one rule and a list of rules cut all possible records into parts, and have noisy class counts of
  each part: a part is drawn by its count, the class by the part's shares, and the attributes evenly from all
  that the schema allows in the part.
* Additive and linear models say how the class (or number) depends on the attributes, and nothing about how
  often each value of an attribute occurs: no records follow from them.

**Privacy.** Only what was released is used: post-processing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from privet.errors import ParameterError
from privet.schema import Category, Column, Schema
from privet.stats import Rows

__all__ = ["own_records"]

_TRIED = 40  # how many even draws there are for each record that is wanted


def own_records(model: Any, records: int, draw: np.random.Generator) -> pa.Table:
    """So many records, drawn from the model's own released tables."""
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "_drawn"):
        found: pa.Table = model._drawn(records, draw)
        return found
    if hasattr(model, "_counted_parts"):
        return _of_parts(model, records, draw)
    raise ParameterError(
        f"{type(model).__name__} does not tell how its records are spread: it has released how the target "
        "depends on the attributes, and not how often their values occur. Naive Bayes, trees and rules have.",
        "Give a table or a synthesiser that was released already, or a public table.",
    )


def _of_parts(model: Any, records: int, draw: np.random.Generator) -> pa.Table:
    schema: Schema = model.schema_
    target = schema.nominal_target()
    parts, counts = model._counted_parts()
    counts = np.maximum(np.asarray(counts, float), 0.0)
    even = pa.table({c.name: _evenly(c, _TRIED * records, draw) for c in schema.attributes})
    [batch] = even.combine_chunks().to_batches()
    place = parts.part_of(Rows(batch, schema))
    there = np.bincount(place, minlength=len(counts))
    wanted = np.where(there > 0, counts.sum(axis=1), 0.0)
    if not wanted.sum() > 0:  # noise left nothing: all parts alike
        counts, wanted = np.ones_like(counts), (there > 0).astype(float)
    weight = (wanted / np.maximum(there, 1))[place]
    chosen = draw.choice(len(place), records, p=weight / weight.sum())
    shares = (counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300))[place[chosen]]
    codes = np.minimum((draw.random(records)[:, None] > shares.cumsum(axis=1)).sum(axis=1), target.size - 1)
    labels = pa.array([target.labels[code] for code in codes])
    return even.take(chosen).append_column(target.name, labels)


def _evenly(column: Column, records: int, draw: np.random.Generator) -> pa.Array:
    """Values anywhere in what the schema allows."""
    if isinstance(column, Category):
        labels = column.labels if column.other is None else tuple(map(str, column.labels))
        return pa.array(labels).take(pa.array(draw.integers(column.size, size=records)))
    values = draw.uniform(float(column.low), float(column.high), records)
    return pa.array(np.round(values) if column.integer else values)
