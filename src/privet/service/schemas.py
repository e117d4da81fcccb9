"""Drafting, confirming and checking what is declared public about a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.errors import DataError, SchemaError
from privet.schema import Column, Neighbours, Schema, Unit, draft
from privet.schema.columns import WHOLESALE
from privet.service.tables import Watch, check_batch, open_table
from privet.sources import open_source

__all__ = ["SchemaCheck", "check_schema", "confirm_schema", "draft_schema"]


def draft_schema(
    path: str | Path,
    *,
    target: str | None = None,
    ignore: Sequence[str] = (),
    id: str | None = None,
    most: int = 1,
    neighbours: Neighbours = "add_remove",
    dataset: str | None = None,
    declare_public: bool = False,
    watch: Watch | None = None,
) -> Schema:
    """A schema for the table in a file, for a person to check and confirm.

    What the file's own header declares (the nominal domains of ARFF) is public by declaration; the rest is
    read off the data and marked so. ``declare_public`` declares all of it public at once, on the caller's
    word; the guarantee of every later release repeats that this was done.
    """
    unit = Unit(neighbours, id, most)
    source = open_table(path, watch=watch)
    for name in (*ignore, *([target] if target else []), *([id] if id else [])):
        if name not in source.names:
            raise SchemaError(f"The table has no column '{name}'.", "Check the name's spelling.")
    skipped = {*ignore, id}
    if target is not None and target in skipped:
        raise SchemaError(
            f"The target '{target}' cannot be left out, nor say who a person is.",
            "Choose another target, or drop it from the columns to ignore and from the id.",
        )
    header = source.declared()
    known: dict[str, Column] = {c.name: c for c in header.columns if c.name not in skipped} if header else {}
    rest = [name for name in source.names if name not in skipped and name not in known]
    if rest:
        read = draft(source.batches(rest), target=target if target in rest else None, unit=unit)
        known |= {column.name: column for column in read.columns}
    columns = [known[name] for name in source.names if name in known]
    schema = Schema(tuple(columns), target=target, unit=unit, dataset=dataset)
    return schema.confirm(origin=WHOLESALE) if declare_public else schema


def confirm_schema(schema: Schema, columns: Sequence[str] = ()) -> Schema:
    """The schema with these drafted columns (all, if none is named) confirmed by a person.

    >>> from privet.schema import Number
    >>> from privet.schema.columns import DRAFTED
    >>> drafted = Schema((Number("age", 17, 90, origin=DRAFTED),))
    >>> drafted.drafted, confirm_schema(drafted).drafted
    (('age',), ())
    """
    return schema.confirm(*columns)


@dataclass(frozen=True)
class SchemaCheck:
    """How a table fits a schema. ``faults`` name columns, never values."""

    faults: tuple[tuple[str, str], ...]
    unread: tuple[str, ...]
    unconfirmed: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        return {
            "fits": self.fits,
            "faults": [{"column": column, "fault": fault} for column, fault in self.faults],
            "unread": list(self.unread),
            "unconfirmed": list(self.unconfirmed),
        }


def check_schema(path: str | Path, schema: Schema, *, watch: Watch | None = None) -> SchemaCheck:
    """Whether the table in a file fits a schema, column by column. For its owner: it reads the data."""
    source = open_source(path, schema)
    needed = [*schema.names, *([schema.unit.id] if schema.unit.id else [])]
    faults = {name: "The table has no such column." for name in needed if name not in source.names}
    present = [name for name in schema.names if name not in faults]
    if (found := _fault(path, schema, present, watch)) is not None:
        # Again, a column at a time: a fault that stops the reader in one must not hide those of the others.
        single = {name: _fault(path, schema, [name], watch) for name in present}
        faults |= {name: fault for name, fault in single.items() if fault is not None} or {"": found}
    unread = tuple(name for name in source.names if name not in needed)
    return SchemaCheck(tuple(faults.items()), unread, schema.drafted)


def _fault(path: str | Path, schema: Schema, columns: Sequence[str], watch: Watch | None) -> str | None:
    """What keeps these columns from fitting the schema, if anything does."""
    rows = 0
    try:
        for batch in open_source(path, schema).batches(columns):
            check_batch(batch, schema)
            rows += batch.num_rows
            if watch is not None:
                watch(rows, None)
    except DataError as error:
        return error.message
    if rows == 0 and columns:
        raise DataError("The table holds no records.", "Check that it is the right file, and all of it.")
    return None
