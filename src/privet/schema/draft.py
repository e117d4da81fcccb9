"""Drafting a schema from the data itself: a start for a person to correct, never a schema to trust."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import DataError, SchemaError
from privet.schema.columns import DRAFTED, Category, Column, Number
from privet.schema.table import Schema
from privet.schema.unit import Unit

__all__ = ["draft"]

MOST_VALUES = 1000
# A target with more different numbers than this is a quantity to be predicted, and not a class.
MOST_CLASSES = 20

Role = Literal["attribute", "target", "class"]


@dataclass
class _Seen:
    """What has been seen of one column so far."""

    low: float = math.inf
    high: float = -math.inf
    numeric: bool = False
    integer: bool = True
    values: dict[Any, None] = field(default_factory=dict)

    def see(self, name: str, array: pa.Array, role: Role) -> None:
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        array = array.drop_null()
        if pa.types.is_floating(array.type):
            array = array.filter(pc.is_finite(array))
        if len(array) == 0:
            return
        kind = array.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            if role != "class":
                ends = pc.min_max(array)
                self.numeric = True
                self.integer &= pa.types.is_integer(kind)
                self.low = min(self.low, float(ends["min"].as_py()))
                self.high = max(self.high, float(ends["max"].as_py()))
                if role == "target" and len(self.values) <= MOST_CLASSES:
                    self.values.update(dict.fromkeys(pc.unique(array).to_pylist()))
                return
        elif not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_boolean(kind)):
            raise DataError(
                f"Column '{name}' holds {kind}, which Privet does not mine.",
                "Turn it into a number or a category first, or leave it out.",
            )
        self.values.update(dict.fromkeys(pc.unique(array).to_pylist()))
        if len(self.values) > MOST_VALUES:
            raise SchemaError(
                f"Column '{name}' has more than {MOST_VALUES} different values: "
                "it looks like a name or an id.",
                "Leave it out, or, if it says who a person is, name it as the id of the unit of privacy.",
                "ignore-or-identify",
            )

    def column(self, name: str) -> Column | None:
        """The drafted column, or nothing where every value is missing."""
        if self.numeric and not 0 < len(self.values) <= MOST_CLASSES:
            if self.low == self.high:  # a constant: bounds must differ
                self.high = self.low + max(1.0, abs(self.low))
            if self.integer and max(abs(self.low), abs(self.high)) < 2**53:
                return Number(name, int(self.low), int(self.high), integer=True, origin=DRAFTED)
            return Number(name, self.low, self.high, origin=DRAFTED)
        if not self.values:
            return None
        return Category(name, tuple(sorted(self.values, key=lambda v: (str(type(v)), v))), origin=DRAFTED)


def draft(
    batches: Iterable[pa.RecordBatch] | Iterator[pa.RecordBatch],
    *,
    target: str | None = None,
    ignore: Iterable[str] = (),
    unit: Unit | None = None,
    dataset: str | None = None,
    classes: bool = False,
) -> Schema:
    """A schema read off the data, every entry marked as such.

    Columns in which every value is missing are left out. A target of few different numbers is taken for a
    category; with ``classes`` any target is.
    """
    unit = unit or Unit()
    skipped = {*ignore, unit.id}
    seen: dict[str, _Seen] = {}
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            if name not in skipped:
                role: Role = "attribute" if name != target else "class" if classes else "target"
                seen.setdefault(name, _Seen()).see(name, array, role)
    if rows == 0:
        raise DataError("The table holds no records, so there is nothing to draft a schema from.")
    if target is not None and target not in seen:
        raise SchemaError(
            f"The table has no column '{target}' to be the target.", "Check the name's spelling."
        )
    columns = [column for name, each in seen.items() if (column := each.column(name)) is not None]
    if target is not None and target not in [column.name for column in columns]:
        raise DataError(f"The target '{target}' is empty in every record.")
    return Schema(tuple(columns), target=target, unit=unit, dataset=dataset)
