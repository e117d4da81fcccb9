"""Where a record of a stream counts: the one cell of each table, by what is public about its columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.curator.persons import is_missing
from privet.errors import DataError, SchemaError
from privet.schema import Category, Column, Schema
from privet.schema.bins import public_cuts

__all__ = ["RecordCoder"]


class RecordCoder:
    """Codes of values, and the places of cells, for one table of each attribute within each class.

    If the schema counts what is outside it, that counts as missing, and a record of an unknown class as none.

    >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": ["no", "yes"]}, target="ill")
    >>> coder = RecordCoder(schema, bins=7)
    >>> coder.size, coder.cells({"fever": 36.5}, "yes")
    (16, [3])
    """

    def __init__(self, schema: Schema, bins: int) -> None:
        self.target = schema.nominal_target()
        self._counts = schema.outside == "count"
        self.attributes: tuple[Column, ...] = schema.attributes
        if not self.attributes:
            raise SchemaError(
                "There is no attribute to learn from.", "Declare at least one besides the target."
            )
        self._codes = {
            c.name: {str(value): code for code, value in enumerate(c.values)}
            for c in schema.columns
            if isinstance(c, Category)
        }
        self.cuts = {c.name: public_cuts(c, bins) for c in self.attributes}
        widths = [c.size if isinstance(c, Category) else len(self.cuts[c.name]) + 1 for c in self.attributes]
        # The last row is for missing values.
        self.shapes = [(width + 1, self.target.size) for width in widths]
        self.starts: list[int] = np.cumsum([0, *(r * c for r, c in self.shapes)]).tolist()

    @property
    def size(self) -> int:
        """How many cells all tables have together."""
        return self.starts[-1]

    def cells(self, record: Mapping[str, Any], label: Any) -> list[int]:
        """The one cell of each table in which the record counts; none if it has no class."""
        place = self.code(self.target, label)
        if place >= self.target.size:
            return []
        return [
            start + self.code(column, record.get(column.name)) * columns + place
            for start, (_, columns), column in zip(self.starts, self.shapes, self.attributes, strict=False)
        ]

    def code(self, column: Column, value: Any, *, strict: bool = True) -> int:
        """The place of a value in the public domain or among the public bins; the one after means missing."""
        if isinstance(column, Category):
            if is_missing(value):
                return column.size
            code = self._codes[column.name].get(str(value))
            if code is None and column.other is not None:
                return column.size - 1
            if code is None and strict and not self._counts:
                raise DataError(
                    f"Column '{column.name}' holds a value outside its declared domain.",
                    "Add the value to the schema, or set  other  there.",
                )
            return column.size if code is None else code
        cuts = self.cuts[column.name]
        if is_missing(value):
            return len(cuts) + 1
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            if self._counts:
                return len(cuts) + 1
            raise DataError(
                f"Column '{column.name}' is declared a number, but a record holds something else there.",
                "Correct the stream, or declare the column a category.",
            ) from None
        return len(cuts) + 1 if number != number else bisect_right(cuts, number)
