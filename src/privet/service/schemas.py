"""Declaring what is public about a table: drafted from the data, confirmed by a person, shown and checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import Ge

from privet.errors import ParameterError, SchemaError
from privet.parameters import Alias, Argument, ColumnOf, Consent, File
from privet.service.building import name_of, schema_beside
from privet.service.case import Result, UseCase
from privet.service.common import Data, Force
from privet.service.reading import OfTable
from privet.service.session import Session
from privet.service.text import columns as aligned

if TYPE_CHECKING:
    from privet.schema import Column, Schema

__all__ = ["ConfirmSchema", "Described", "DraftSchema", "Entries", "ShowSchema"]

OwnFile = Annotated[Path, File(), Argument(), "The schema."]


@dataclass(frozen=True, kw_only=True)
class DraftSchema(OfTable):
    """Draft a schema from the table DATA, for a person to check.

    Bounds and domains that are read off the data are marked, and nothing private runs before they are
    confirmed. The nominal domains of an ARFF header are public by declaration.
    """

    stdout_name: ClassVar[str] = "draft.schema.toml"

    data: Data
    output: Annotated[
        Path | None,
        File("out", stdout=True),
        Alias("o"),
        "Where the schema goes; None for NAME.schema.toml beside DATA.",
    ] = None
    target: Annotated[str | None, ColumnOf("data"), "The column to predict."] = None
    ignore: Annotated[tuple[str, ...], ColumnOf("data"), "A column to leave out."] = ()
    id: Annotated[
        str | None,
        ColumnOf("data"),
        "The column that says who a person is: people are protected, not records.",
    ] = None
    most: Annotated[
        int, Ge(1), "How many records of one person (by the id) count at most; surplus ones are dropped."
    ] = 1
    neighbours: Annotated[
        Literal["add_remove", "replace"],
        "Protect whether somebody is in the table, or (their number being public) what they are.",
    ] = "add_remove"
    dataset: Annotated[
        str | None,
        "A name for the people in the table: tables of one name share one budget; by default the file's.",
    ] = None
    declare_public: Annotated[
        bool, "Declare everything that was read off the data public, unseen. Every guarantee will say so."
    ] = False
    force: Force = False

    def run(self, session: Session) -> Drafted:
        from privet.schema import write_schema
        from privet.service.outputs import check_place

        place = self.output or schema_beside(self.data)
        check_place(place, force=self.force)
        drafted = self.drafted(session)
        write_schema(drafted, place)
        return Drafted(place, drafted, self.declare_public)

    def drafted(self, session: Session) -> Schema:
        """The schema, written nowhere.

        What the file's own header declares (the nominal domains of ARFF) is public by declaration; the rest
        is read off the data and marked so. ``declare_public`` declares all of it public at once, on the
        caller's word; the guarantee of every later release repeats that this was done.
        """
        from privet.schema import Schema, Unit
        from privet.schema.columns import WHOLESALE
        from privet.schema.draft import draft_columns, require_some

        unit = Unit(self.neighbours, self.id, self.most)
        with session.progress("Reading", "rows") as watch:
            source = self.opened(session, None, watch=watch)
            skipped = self._skipped(source.names)
            header = source.declared()
            known: dict[str, Column] = (
                {c.name: c for c in header.columns if c.name not in skipped} if header else {}
            )
            rest = [name for name in source.names if name not in skipped and name not in known]
            left_out: tuple[tuple[str, str], ...] = ()
            if rest:
                target = self.target if self.target in rest else None
                baskets = ".basket" in self.data.suffixes[-2:]
                read = draft_columns(source.batches(rest), target=target, baskets=baskets)
                known |= {column.name: column for column in read.columns}
                left_out = read.left_out
        columns = [known[name] for name in source.names if name in known]
        require_some(columns, left_out)
        dataset = self.dataset or name_of(self.data)
        schema = Schema(tuple(columns), target=self.target, unit=unit, dataset=dataset, left_out=left_out)
        return schema.confirm(origin=WHOLESALE) if self.declare_public else schema

    def _skipped(self, names: tuple[str, ...]) -> set[str | None]:
        """The columns that the schema leaves out."""
        for name in (*self.ignore, self.target, self.id):
            if name is not None and name not in names:
                raise SchemaError(f"The table has no column '{name}'.", "Check the name's spelling.")
        skipped = {*self.ignore, self.id}
        if self.target is not None and self.target in skipped:
            raise SchemaError(
                f"The target '{self.target}' cannot be left out, nor say who a person is.",
                "Choose another target, or drop it from the columns to ignore and from the id.",
            )
        return skipped


@dataclass(frozen=True, kw_only=True)
class ConfirmSchema(UseCase):
    """Confirm, as a person, that entries read off the data are public knowledge. Look at them first."""

    file: OwnFile
    columns: Annotated[
        tuple[str, ...], ColumnOf("file"), Alias("column"), "Confirm this column only; all, if none is named."
    ] = ()
    yes: Annotated[
        bool,
        Consent("Would you know all of this without the data?", "Nothing was confirmed: correct the file."),
        Alias("y"),
        "Do not ask: you have looked at every entry.",
    ] = False

    def plan(self, session: Session) -> Entries | None:
        """The entries that would be confirmed, to be looked at; None if there is none."""
        from privet.schema import read_schema

        before = read_schema(self.file)
        left = before.confirm(*self.columns).drafted
        entries = tuple(before[name] for name in before.drafted if name not in left)
        return Entries(entries) if entries else None

    def run(self, session: Session) -> Confirmed:
        from privet.schema import read_schema, write_schema
        from privet.service.outputs import check_place

        before = read_schema(self.file)
        after = before.confirm(*self.columns)
        confirmed = len(before.drafted) - len(after.drafted)
        if confirmed and not self.yes:
            raise ParameterError(
                "There is nobody to ask whether these entries are public knowledge; nothing was confirmed.",
                "Look at each of them, then say that you have.",
                "consent-to-schema",
            )
        check_place(self.file, force=True)
        write_schema(after, self.file)
        return Confirmed(self.file, after, confirmed)


@dataclass(frozen=True, kw_only=True)
class ShowSchema(UseCase):
    """Show a schema: each column, what is public about it, and where that came from."""

    file: OwnFile

    def run(self, session: Session) -> Described:
        from privet.schema import read_schema

        return Described(self.file, read_schema(self.file))


@dataclass(frozen=True)
class Described(Result):
    """A schema, and the file that it is in."""

    place: Path
    schema: Schema

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.place),
            "confirmed": not self.schema.drafted,
            "unconfirmed": list(self.schema.drafted),
            "schema": self.schema.to_dict(),
        }

    def text(self) -> str:
        schema = self.schema
        lines = [
            f"Target: {schema.target or 'none'}. Missing cells: {schema.missing}.",
            f"Dataset: {schema.dataset or 'none; a ledger needs its name'}.",
            f"Protects {schema.unit.describe()}.\n",
            described(schema.columns),
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Drafted(Described):
    """A schema that a person has yet to look at."""

    wholesale: bool = False

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        left_out = tuple(f"Left out: '{name}', {reason}." for name, reason in self.schema.left_out)
        if self.wholesale:
            said = "bounds and domains read off the data are declared public wholesale"
            return (*left_out, f"WARNING: {said}; every guarantee says so.")
        return left_out

    @property
    def remedy(self) -> str:  # type: ignore[override]
        return "confirm-schema" if self.schema.drafted else ""

    def text(self) -> str:
        count, drafted = len(self.schema.columns), len(self.schema.drafted)
        return f"{self.place}: {count} columns, {drafted} of them to be confirmed."


@dataclass(frozen=True)
class Confirmed(Described):
    """A schema of which a person has just confirmed some entries."""

    count: int = 0

    def text(self) -> str:
        return f"{self.place}: {self.count} confirmed, {len(self.schema.drafted)} left to confirm."


@dataclass(frozen=True)
class Entries:
    """Entries of a schema for a person to look at."""

    columns: tuple[Column, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"columns": [dict(zip(HEADS, row(column), strict=True)) for column in self.columns]}

    def text(self) -> str:
        return described(self.columns)


HEADS = ("column", "kind", "public", "origin")


def described(columns: Iterable[Column]) -> str:
    """Columns for a person to read."""
    return aligned([head.capitalize() for head in HEADS], [row(column) for column in columns])


def row(column: Column) -> tuple[str, str, str, str]:
    """A column in words: its name, its kind, its exact bounds or whole domain, and where they came from."""
    from privet.schema import Number

    if isinstance(column, Number):
        cuts = f", {len(column.cuts)} cuts" if column.cuts else ""
        kind = "integer" if column.integer else "number"
        return column.name, kind, f"{column.low!r} to {column.high!r}{cuts}", column.origin
    kind = column.to_dict()["kind"]
    return column.name, kind, ", ".join(str(value) for value in column.labels), column.origin
