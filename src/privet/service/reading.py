"""How a table's file is read: declared once for everything that reads one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from privet.service.case import UseCase
from privet.service.common import EngineName
from privet.service.session import Session, Watch

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.schema import Schema
    from privet.service.examining import Examined
    from privet.sources import Source
    from privet.sources.options import ReadOptions

__all__ = ["OfTable"]


@dataclass(frozen=True, kw_only=True)
class OfTable(UseCase):
    """Something that is done with a table, which a parameter ``data`` names."""

    encoding: Annotated[str, "The encoding of a CSV file."] = "utf-8"
    decimal: Annotated[
        Literal[".", ","] | None, "The decimal sign of a CSV file; None takes it from the file."
    ] = None
    delimiter: Annotated[
        str | None, "What separates the cells of a CSV file; None takes it from its first line."
    ] = None
    newlines: Annotated[
        bool, "Cells in quotes may span lines: the owner's word that the file was written by a program."
    ] = False

    @property
    def options(self) -> ReadOptions:
        """How the file is to be read."""
        from privet.sources.options import ReadOptions

        return ReadOptions(self.encoding, self.decimal, self.delimiter, self.newlines)

    def opened(
        self,
        session: Session,
        schema: Schema | None,
        engine: EngineName = "auto",
        ledger: Ledger | None = None,
        watch: Watch | None = None,
    ) -> Source:
        """The table, seen through the schema as its owner in the ledger wants it read.

        Only an owner's own reading is watched: how many records there are is an exact answer.
        """
        from privet.curator.owner import as_read

        seen = None if schema is None else as_read(schema, ledger)
        return session.table(self._data, seen, engine, watch, self.options)

    def require_columns(self, session: Session, schema: Schema) -> None:
        """Refuse a table that is not there, or has not the schema's columns. No record is read."""
        session.require_columns(self._data, schema, self.options)

    def examined(self, schema: Schema, watch: Watch | None = None) -> Examined:
        """How the table fits the schema, for its owner; an error if it must fit and does not."""
        from privet.service.examining import examine
        from privet.service.tables import require_columns

        require_columns(self._data, schema, self.options)
        examined = examine(self._data, schema, self.options, watch)
        if schema.outside == "refuse" or schema.missing == "error":
            examined.require_fit()
        return examined

    @property
    def _data(self) -> Path:
        data: Path = self.data  # type: ignore[attr-defined]  # declared by each use case, in its own order
        return data
