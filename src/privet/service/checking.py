"""Whether a table fits its schema: for its owner, because it reads the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.service.building import place_of
from privet.service.case import Result
from privet.service.common import Data, SchemaFile
from privet.service.reading import OfTable
from privet.service.session import Session, Watch

if TYPE_CHECKING:
    from privet.schema import Schema

__all__ = ["CheckSchema", "Checked"]


@dataclass(frozen=True, kw_only=True)
class CheckSchema(OfTable):
    """Check that the table DATA fits its schema. Names columns, never values; spends nothing."""

    data: Data
    schema: SchemaFile = None

    def run(self, session: Session) -> Checked:
        from privet.schema import read_schema
        from privet.sources import open_source

        place = place_of(self.schema, self.data)
        schema = read_schema(place)
        with session.progress("Checking", "rows") as watch:
            names = open_source(self.data, schema, self.options).names
            needed = [*schema.names, *([schema.unit.id] if schema.unit.id else [])]
            faults = {name: "The table has no such column." for name in needed if name not in names}
            present = [name for name in schema.names if name not in faults]
            if (found := self._fault(schema, present, watch)) is not None:
                # Again, a column at a time: what stops the reader in one must not hide faults of the others.
                single = {name: self._fault(schema, [name], watch) for name in present}
                faults |= {name: fault for name, fault in single.items() if fault is not None} or {"": found}
        unread = tuple(name for name in names if name not in needed)
        return Checked(self.data, place, tuple(faults.items()), unread, schema.drafted)

    def _fault(self, schema: Schema, columns: Sequence[str], watch: Watch | None) -> str | None:
        """What keeps these columns from fitting the schema; None if nothing does."""
        from privet.service.tables import check_batch
        from privet.sources import open_source

        rows = 0
        try:
            for batch in open_source(self.data, schema, self.options).batches(columns):
                check_batch(batch, schema)
                rows += batch.num_rows
                if watch is not None:
                    watch(rows, None)
        except DataError as error:
            return error.message
        if rows == 0 and columns:
            raise DataError("The table holds no records.", "Check that it is the right file, and all of it.")
        return None


@dataclass(frozen=True)
class Checked(Result):
    """How a table fits a schema. ``faults`` name columns, never values."""

    table: Path
    schema: Path
    faults: tuple[tuple[str, str], ...]
    unread: tuple[str, ...]
    unconfirmed: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return not self.faults

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        return 0 if self.fits else DataError.exit_code

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        found = {
            "Never read, because the schema does not name them": self.unread,
            "Not confirmed yet": self.unconfirmed,
        }
        return tuple(f"{said}: {', '.join(names)}" for said, names in found.items() if names)

    def to_dict(self) -> dict[str, Any]:
        return {
            "fits": self.fits,
            "faults": [{"column": column, "fault": fault} for column, fault in self.faults],
            "unread": list(self.unread),
            "unconfirmed": list(self.unconfirmed),
        }

    def text(self) -> str:
        if self.fits:
            return f"{self.table} fits {self.schema}."
        return "\n".join(f"{column}: {fault}" for column, fault in self.faults)
