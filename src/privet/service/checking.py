"""Whether a table fits its schema: for its owner, because it reads the data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.service.building import place_of, said
from privet.service.case import Result
from privet.service.common import Data, SchemaFile
from privet.service.reading import OfTable
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.service.examining import Examined

__all__ = ["CheckSchema", "Checked"]


@dataclass(frozen=True, kw_only=True)
class CheckSchema(OfTable):
    """Check that the table DATA fits its schema. Names columns, never values; spends nothing.

    For the owner of the table: exact shares of its cells are shown.
    """

    data: Data
    schema: SchemaFile = None

    def run(self, session: Session) -> Checked:
        from privet.schema import read_schema
        from privet.service.examining import examine

        place = place_of(self.schema, self.data)
        schema = read_schema(place)
        with session.progress("Checking", "rows") as watch:
            examined = examine(self.data, schema, self.options, watch)
        return Checked(self.data, place, examined, schema.drafted)


@dataclass(frozen=True)
class Checked(Result):
    """How a table fits a schema. ``faults`` name columns, never values."""

    table: Path
    schema: Path
    examined: Examined
    unconfirmed: tuple[str, ...]

    @property
    def faults(self) -> tuple[tuple[str, str], ...]:
        return self.examined.faults

    @property
    def unread(self) -> tuple[str, ...]:
        return self.examined.unread

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
        said = tuple(f"{said}: {', '.join(names)}" for said, names in found.items() if names)
        return (*said, *self.examined.notes())

    def to_dict(self) -> dict[str, Any]:
        return {"fits": self.fits, "unconfirmed": list(self.unconfirmed)} | self.examined.to_dict()

    def text(self) -> str:
        if self.fits:
            return f"{said(self.table)} fits {self.schema}."
        return "\n".join(f"{column}: {fault}" for column, fault in self.faults)
