"""What is public about a whole table: its columns, its target, its missing values, its unit of privacy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from privet.errors import DataError, SchemaError
from privet.schema.columns import (
    CONFIRMED,
    DRAFTED,
    Category,
    Column,
    Number,
    column_from_dict,
    column_of,
    in_words,
    toml_key,
)
from privet.schema.unit import Unit

__all__ = ["Schema"]

FORMAT = 1
# How many columns a schema's own words name.
SHOWN = 6


@dataclass(frozen=True, repr=False)
class Schema:
    """All that may be known about a table without looking at it.

    Columns of the table that the schema does not name are never read. ``missing`` says what an empty cell
    means: ``"skip"`` leaves it out of the statistics of its own column only; ``"error"`` refuses the table.
    ``outside`` says what a cell is that the schema does not allow (an unlisted value without an ``other``,
    text in a number's column, infinity): ``"refuse"`` refuses the table; ``"count"`` counts it as missing,
    and infinity as the bound. None leaves it to the run: one that a ledger pays for counts, others refuse.
    ``dataset`` names the people in the table: tables with the same name share one budget in a ledger.
    ``left_out`` is of a draft: columns of the table that were not drafted, each with the reason.

    >>> schema = Schema.of({"age": (0, 120), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> [column.name for column in schema.attributes]
    ['age', 'smoker']
    """

    columns: tuple[Column, ...]
    target: str | None = None
    unit: Unit = field(default_factory=Unit)
    missing: Literal["skip", "error"] = "skip"
    dataset: str | None = None
    outside: Literal["count", "refuse"] | None = None
    left_out: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        names = [column.name for column in self.columns]
        if not names:
            raise SchemaError("The schema names no column.", "Declare at least one column.")
        if len(set(names)) < len(names):
            raise SchemaError("The schema names a column twice.", "Keep one entry for each column.")
        for what, text in (("target", self.target), ("dataset", self.dataset)):
            if text is not None and not (isinstance(text, str) and text):
                raise SchemaError(f"The schema's {what} must be a name.", f'For example: {what} = "patients"')
        if self.target is not None and self.target not in names:
            raise SchemaError(
                f"The target '{self.target}' is not among the schema's columns.",
                f"Add [columns.{toml_key(self.target)}] with its domain.",
            )
        if self.missing not in ("skip", "error"):
            raise SchemaError(f"missing = {self.missing!r} is unknown.", 'Use "skip" or "error".')
        if self.outside not in (None, "count", "refuse"):
            raise SchemaError(f"outside = {self.outside!r} is unknown.", 'Use "count" or "refuse".')
        if self.unit.id is not None and self.unit.id in names:
            raise SchemaError(
                f"'{self.unit.id}' says who a person is and cannot be mined.",
                f"Remove [columns.{toml_key(self.unit.id)}] from the schema.",
            )

    @classmethod
    def of(
        cls, columns: Mapping[str, Any] | Iterable[Column], *, target: str | None = None, **more: Any
    ) -> Schema:
        """A schema in short form: ``(low, high)`` for numbers, a list of values for categories."""
        if isinstance(columns, Mapping):
            columns = [column_of(name, short) for name, short in columns.items()]
        return cls(tuple(columns), target=target, **more)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Schema:
        """A schema given as a dictionary: the columns in short form, and what else there is to say.

        Without a target it may be the columns alone.

        >>> Schema.from_plain({"columns": {"age": (0, 120), "ill": ["no", "yes"]}, "target": "ill"})
        Schema(age: 0 to 120, ill: no | yes; target = 'ill')
        >>> Schema.from_plain({"age": (0, 120), "height": (0.5, 2.5)})
        Schema(age: 0 to 120, height: 0.5 to 2.5)
        """
        columns = plain.get("columns")
        if not isinstance(columns, Mapping):  # a column's short form is never a mapping
            return cls.of(plain)
        entries = {
            name: column_from_dict(name, dict(entry))
            if isinstance(entry, Mapping)
            else column_of(name, entry)
            for name, entry in columns.items()
        }
        more = {name: value for name, value in plain.items() if name not in ("columns", "format")}
        if surplus := sorted(set(more) - {"target", "unit", "missing", "dataset"}):
            raise SchemaError(
                f"Unknown entries {surplus} in the schema.",
                "Known ones are columns, target, unit, missing and dataset.",
            )
        if isinstance(more.get("unit"), Mapping):
            more["unit"] = Unit.from_dict(more["unit"])
        return cls(tuple(entries.values()), **more)

    def __repr__(self) -> str:
        """One line, however many columns there are."""
        words = [in_words(column) for column in self.columns[:SHOWN]]
        if len(self.columns) > SHOWN:
            words.append(f"… {len(self.columns) - SHOWN} more")
        rest = [f"{n} = {v!r}" for n, v in (("target", self.target), ("dataset", self.dataset)) if v]
        if self.missing != "skip":
            rest.append(f"missing = {self.missing!r}")
        if self.unit != Unit():
            rest.append(f"protects {self.unit.describe()}")
        return f"Schema({'; '.join([', '.join(words), *rest])})"

    @classmethod
    def draft(
        cls,
        data: Any,
        *,
        target: str | None = None,
        ignore: Iterable[str] = (),
        unit: Unit | None = None,
        dataset: str | None = None,
    ) -> Schema:
        """A schema read off a frame, an array, a file or a source: for a person to correct and confirm.

        Nothing private runs on it before that. Columns that look like names or ids are not in it;
        ``left_out`` says which, and why.

        >>> import pyarrow as pa
        >>> names = ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo"]
        >>> people = pa.table({"name": names, "age": [31, 52, 31, 47, 60, 52], "ill": ["no", "yes"] * 3})
        >>> schema = Schema.draft(people, target="ill")
        >>> schema.names, schema.drafted
        (('age', 'ill'), ('age', 'ill'))
        >>> schema.left_out
        (('name', 'nearly every record has a value of its own, so it looks like a name or an id'),)
        """
        from privet.schema.draft import draft

        # Sources stand above schemas and import them; they are needed by whoever drafts, and only then.
        source = import_module("privet.sources").any_source(data)
        unit = unit or Unit()
        for name in (*ignore, *([unit.id] if unit.id else [])):
            if name not in source.names:
                raise SchemaError(f"The table has no column '{name}'.", "Check the name's spelling.")
        wanted = [name for name in source.names if name not in {*ignore, unit.id}]
        return draft(source.batches(wanted), target=target, unit=unit, dataset=dataset)

    def __getitem__(self, name: str) -> Column:
        if name in self:
            return self._by_name[name]
        raise SchemaError(
            f"The schema says nothing about the column '{name}'.",
            f'Add what is public about it:\n      [columns.{toml_key(name)}]\n      kind = "number"   '
            'low = 0   high = 100      (or  kind = "category"   values = ["a", "b"])',
        )

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._by_name

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def __deepcopy__(self, memo: dict[int, Any]) -> Schema:
        """Itself, as it never changes: scikit-learn copies the parameters of every clone."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def attributes(self) -> tuple[Column, ...]:
        """The columns that are not the target."""
        return tuple(column for column in self.columns if column.name != self.target)

    @property
    def drafted(self) -> tuple[str, ...]:
        """Names of the columns whose entries were read off the data and not confirmed."""
        return tuple(column.name for column in self.columns if column.origin == DRAFTED)

    def nominal_target(self) -> Category:
        """The target, which must be there and be a category."""
        if self.target is None:
            raise SchemaError(
                "The schema names no target, and this algorithm predicts one.", 'Add the line  target = "…"'
            )
        column = self[self.target]
        if isinstance(column, Number):
            raise SchemaError(
                f"The target '{column.name}' is a number, and this algorithm predicts a category.",
                'Declare it with  kind = "category"  and its  values, or choose a regression.',
            )
        return column

    def require_columns(self, names: Iterable[str]) -> None:
        """Refuse a table that lacks a column of the schema: said by the names of its columns alone."""
        there = set(names)
        for name in (*self.names, self.unit.id):
            if name is not None and name not in there:
                raise DataError(
                    f"The table has no column '{name}', though the schema names it.",
                    "Check the spelling, or remove the column from the schema.",
                )

    def require_confirmed(self) -> None:
        """Refuse a schema that still holds what was read off the data."""
        if not self.drafted:
            return
        column = self[self.drafted[0]]
        entry = "bounds" if isinstance(column, Number) else "values"
        raise SchemaError(
            f"{len(self.drafted)} column(s) of the schema were read off the data and not confirmed: "
            f"{', '.join(self.drafted[:8])}{' …' if len(self.drafted) > 8 else ''}.",
            f"For each, check that its entries are public knowledge (the {entry} of '{column.name}', say), "
            f"correct them if not, and set under [columns.{toml_key(column.name)}] the line  "
            f'origin = "declared"; or confirm them.',
            "confirm-schema",
        )

    def confirm(self, *names: str, origin: str = CONFIRMED) -> Schema:
        """A copy in which these drafted columns (all, if none is named) are confirmed."""
        for name in names:
            self[name]
        chosen = names or self.drafted
        return replace(
            self,
            columns=tuple(
                replace(c, origin=origin) if c.name in chosen and c.origin == DRAFTED else c
                for c in self.columns
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"format": FORMAT}
        if self.dataset is not None:
            data["dataset"] = self.dataset
        if self.target is not None:
            data["target"] = self.target
        data |= {"missing": self.missing, "unit": self.unit.to_dict()}
        if self.outside is not None:
            data["outside"] = self.outside
        return data | {"columns": {column.name: column.to_dict() for column in self.columns}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        known = {"format", "dataset", "target", "missing", "outside", "unit", "columns"}
        if surplus := sorted(set(data) - known):
            raise SchemaError(f"Unknown entries {surplus} in the schema.", f"Known ones are {sorted(known)}.")
        if data.get("format", FORMAT) != FORMAT:
            raise SchemaError("This schema is in a newer format.", "Update Privet to read it.")
        columns = data.get("columns")
        if not isinstance(columns, Mapping):
            raise SchemaError(
                "The schema has no [columns.NAME] entries.",
                "Name each column with its bounds or values, or draft a schema from the table.",
                "draft-schema",
            )
        return cls(
            tuple(column_from_dict(name, entry) for name, entry in columns.items()),
            target=data.get("target"),
            unit=Unit.from_dict(data.get("unit", {})),
            missing=data.get("missing", "skip"),
            dataset=data.get("dataset"),
            outside=data.get("outside"),
        )
