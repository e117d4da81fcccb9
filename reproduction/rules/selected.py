"""Table 5.23 of the thesis: how many attributes ABC–DE feature selection keeps.

The wrapper reads the exact records hundreds of times, so it is for public tables. A nominal attribute is
given to the decision tree as its codes, where the thesis's J48 splits by values; a missing value is a code of
its own, a missing number the middle of its bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.learning.public.bee_wrapper import BeeSelection
from privet.schema import Category, Schema
from reproduction import markdown
from reproduction.rules.protocol import labels, score

__all__ = ["PUBLISHED", "coded", "selected", "table_of"]

#: Set → attributes, and how many the thesis kept. Its attribute counts partly include the class.
PUBLISHED = {
    "breast_w": (10, 3),
    "votes": (17, 5),
    "credit_approval": (15, 6),
    "heart_statlog": (14, 6),
    "mushroom": (22, 5),
    "nursery": (8, 7),
    "spect_heart": (23, 10),
}


HEADS = (
    "set", "attributes (thesis)", "kept (thesis)", "kept (mean ± deviation)", "runs", "kept by most runs",
)  # fmt: skip


def coded(table: pa.Table, schema: Schema) -> NDArray[np.float64]:
    """The attributes as numbers.

    >>> schema = Schema.of({"x": ["u", "v"], "z": (0, 10), "y": ["a", "b"]}, target="y")
    >>> coded(pa.table({"x": ["v", None], "z": [3.0, None], "y": ["a", "b"]}), schema).tolist()
    [[1.0, 3.0], [2.0, 5.0]]
    """
    columns = []
    for column in schema.attributes:
        if isinstance(column, Category):
            places = {str(label): place for place, label in enumerate(column.labels)}
            told = table[column.name].to_pylist()
            columns.append([float(places.get(str(value), len(places))) for value in told])
        else:
            values = table[column.name].cast(pa.float64()).to_numpy(zero_copy_only=False)
            columns.append(np.where(np.isnan(values), column.midpoint, values).tolist())
    return np.array(columns).T


def selected(table: pa.Table, schema: Schema, *, seed: int, iterations: int = 50) -> list[str]:
    """The attributes that ABC–DE keeps, from the whole table, as the thesis's data owner does."""
    target = schema.nominal_target().name
    chosen = BeeSelection(iterations=iterations, random_state=seed).fit(
        coded(table, schema), labels(table, target)
    )
    names = [column.name for column in schema.attributes]
    return [name for name, kept in zip(names, chosen.get_support(), strict=True) if kept]


def table_of(found: Mapping[str, Sequence[Sequence[str]]]) -> str:
    """How many attributes each run kept, and those that most runs kept, beside the published number."""
    rows = []
    for name, runs in found.items():
        every, kept = PUBLISHED[name]
        sizes = score([len(run) for run in runs])
        every_run = dict.fromkeys(attribute for run in runs for attribute in run)
        often = [each for each in every_run if 2 * sum(each in run for run in runs) > len(runs)]
        spread = f"{sizes.mean:.1f} ± {sizes.deviation:.1f}"
        rows.append([name, f"{every}", f"{kept}", spread, f"{sizes.runs}", ", ".join(often) or "–"])
    return markdown.table(HEADS, rows)
