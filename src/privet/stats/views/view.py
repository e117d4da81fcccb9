"""A view of a table: the records for which a condition holds, with columns that were made of others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.schema import Category, Schema
from privet.stats.rows import Rows
from privet.stats.views.expressions import TRUE, Expression

__all__ = ["View"]


@dataclass(frozen=True)
class View:
    """Some records of a table, with more columns: each record by itself becomes one record, or none.

    ``made`` are new columns by name; each may use the table's columns and those made before it. ``where`` are
    conditions on the table's columns and the made ones, all of which must hold.

    >>> from privet.stats.views.expressions import Compare, Constant, Field
    >>> schema = Schema.of({"age": (0, 120)})
    >>> rows = Rows(pa.record_batch({"age": [30, 70, None]}), schema)
    >>> View(where=(Compare(">", Field("age"), Constant(60)),)).rows(rows).size
    1
    """

    made: tuple[tuple[str, Expression], ...] = ()
    where: tuple[Expression, ...] = ()

    def schema(self, schema: Schema) -> Schema:
        """What is public about the view's records. What does not fit the table's schema is refused here."""
        for name, expression in self.made:
            if name in schema:
                raise ParameterError(f"There is a column '{name}' already.", "Choose another name.")
            column = expression.domain(name, schema)
            if column is None:
                raise ParameterError(
                    f"'{name}' is a condition, not a value.",
                    "Say which label it stands for: CASE WHEN … THEN.",
                )
            schema = replace(schema, columns=(*schema.columns, column))
        for condition in self.where:
            if condition.domain("it", schema) is not None:
                raise ParameterError("A condition is needed to choose records.", "For example: age > 60.")
        return schema

    def columns(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """The table's columns that are read to know the wanted ones of the view."""
        return self._needed(wanted)[0]

    def _needed(self, wanted: Iterable[str]) -> tuple[tuple[str, ...], list[tuple[str, Expression]]]:
        """The table's columns that must be read, and the made ones that must be made."""
        needed = dict.fromkeys([*wanted, *(name for each in self.where for name in each.columns)])
        making = []
        for name, expression in reversed(self.made):
            if name in needed:
                del needed[name]
                needed |= dict.fromkeys(expression.columns)
                making.append((name, expression))
        return tuple(needed), making[::-1]

    def rows(self, rows: Rows, wanted: Iterable[str] = ()) -> Rows:
        """The view's records among these, with the wanted columns."""
        seen, chosen = self.marked(rows, wanted)
        return seen if chosen is None else seen.only(chosen)

    def marked(self, rows: Rows, wanted: Iterable[str] = ()) -> tuple[Rows, NDArray[np.bool_] | None]:
        """These records as the view makes them, and which of them are its own; None if all are."""
        schema = rows.schema
        read, making = self._needed(wanted)
        arrays = {name: rows.column(name) for name in read}
        seen = Rows(_batch(arrays, rows.size), schema, rows.unknown)
        for name, expression in making:
            column = expression.domain(name, schema)
            assert column is not None
            schema = replace(schema, columns=(*schema.columns, column))
            values = expression.of(seen)
            if isinstance(column, Category):
                labels = pa.array([str(label) for label in column.labels])
                codes = pa.array(values.astype(np.int32), mask=values >= column.size)
                arrays[name] = pa.DictionaryArray.from_arrays(codes, labels)
            else:
                arrays[name] = pa.array(values, mask=np.isnan(values))
            seen = Rows(_batch(arrays, rows.size), schema, rows.unknown)
        if not self.where:
            return seen, None
        chosen = self.where[0].of(seen) == TRUE
        for condition in self.where[1:]:
            chosen &= condition.of(seen) == TRUE
        return seen, chosen


def _batch(arrays: dict[str, pa.Array], size: int) -> pa.RecordBatch:
    """A batch of these columns; one without any still has its records."""
    if not arrays:
        return pa.record_batch({"": pa.nulls(size)})
    return pa.RecordBatch.from_arrays(list(arrays.values()), names=list(arrays))
