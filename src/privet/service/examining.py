"""How a table fits its schema: for the table's owner, because exact shares of its cells are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.service.session import Watch

if TYPE_CHECKING:
    from privet.schema import Schema
    from privet.sources.options import ReadOptions
    from privet.stats import Rows

__all__ = ["Examined", "Share", "examine"]


@dataclass(frozen=True)
class Share:
    """The share of a column's cells that would count as something else than what they hold."""

    column: str
    what: str
    share: float

    def sentence(self) -> str:
        return f"{self.column}: {self.share:.2%} of its cells would {self.what}."


@dataclass(frozen=True)
class Examined:
    """What is wrong with a table under a schema; ``faults`` name columns, never values."""

    faults: tuple[tuple[str, str], ...]
    unread: tuple[str, ...]
    shares: tuple[Share, ...]

    def require_fit(self) -> None:
        """Refuse a table that does not fit."""
        for column, fault in self.faults:
            raise DataError(
                f"Column '{column}' of the schema: {fault}" if column else fault,
                "Correct the table or the schema.",
                "check-schema",
            )

    def notes(self) -> tuple[str, ...]:
        """For the owner: what runs would count as something else."""
        return tuple(each.sentence() for each in self.shares)

    def to_dict(self) -> dict[str, Any]:
        return {
            "faults": [{"column": column, "fault": fault} for column, fault in self.faults],
            "unread": list(self.unread),
            "shares": [vars(each) for each in self.shares],
        }


def examine(path: Path, schema: Schema, options: ReadOptions, watch: Watch | None = None) -> Examined:
    """Read a table and compare every cell with the schema."""
    from privet.sources import open_source

    names = open_source(path, schema, options).names
    needed = [*schema.names, *([schema.unit.id] if schema.unit.id else [])]
    faults = {name: "The table has no such column." for name in needed if name not in names}
    present = [name for name in schema.names if name not in faults]
    if (found := _fault(path, schema, options, present, watch)) is not None:
        # Again, a column at a time: what stops the reader in one must not hide faults of the others.
        single = {name: _fault(path, schema, options, [name], watch) for name in present}
        faults |= {name: fault for name, fault in single.items() if fault is not None} or {"": found}
    unread = tuple(name for name in names if name not in needed)
    return Examined(tuple(faults.items()), unread, _shares(path, schema, options, present))


def _fault(
    path: Path, schema: Schema, options: ReadOptions, columns: Sequence[str], watch: Watch | None
) -> str | None:
    """What keeps these columns from fitting the schema; None if nothing does."""
    from privet.service.tables import check_batch
    from privet.sources import open_source

    strict, rows = replace(schema, outside="refuse"), 0
    try:
        for batch in open_source(path, strict, options).batches(columns):
            check_batch(batch, strict)
            rows += batch.num_rows
            if watch is not None:
                watch(rows, None)
    except DataError as error:
        return error.message
    if rows == 0 and columns:
        raise DataError("The table holds no records.", "Check that it is the right file, and all of it.")
    return None


def _shares(path: Path, schema: Schema, options: ReadOptions, columns: Sequence[str]) -> tuple[Share, ...]:
    """What a run would make of the cells; nothing if the file is damaged, which is a fault by itself."""
    from privet.sources import open_source
    from privet.stats import Rows

    counting = replace(schema, outside="count", missing="skip")
    found: dict[tuple[str, str], int] = {}
    rows = 0
    try:
        for batch in open_source(path, counting, options).batches(columns):
            rows += batch.num_rows
            seen = Rows(batch, counting)
            for name in columns:
                for what, number in _odd(seen, batch.column(batch.schema.get_field_index(name)), name):
                    found[name, what] = found.get((name, what), 0) + number
    except DataError:
        return ()
    return tuple(Share(name, what, number / rows) for (name, what), number in found.items() if number)


def _odd(rows: Rows, cells: Any, name: str) -> list[tuple[str, int]]:
    """How many cells of a column count as something else."""
    import numpy as np
    import pyarrow.compute as pc

    from privet.schema import Items, Number

    column = rows.schema[name]
    if isinstance(column, Items):  # items that are not listed are left out, and the set stays
        return []
    empty = int(pc.sum(pc.is_null(cells, nan_is_null=True)).as_py() or 0)
    if isinstance(column, Number):
        values = rows.numbers(name)
        raw = np.asarray(cells, float) if cells.type in ("double", "float") else values
        clamped = int(((raw < column.low) | (raw > column.high)).sum())
        return [("be clamped", clamped), ("count as missing", int(np.isnan(values).sum()) - empty)]
    codes = rows.codes(name)
    other = 0 if column.other is None else int((codes == column.size - 1).sum())
    lost = int((codes == column.size).sum()) - empty
    return [(f"count as '{column.other}'", other), ("count as missing", lost)]
