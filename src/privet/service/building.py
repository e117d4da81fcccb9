"""Schemas and algorithms from the names and files that a use case holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import ParameterError, SchemaError
from privet.parameters import parameters_of
from privet.registry import Algorithm
from privet.registry import algorithm as entry_of

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.schema import Schema

__all__ = ["build", "made", "meant", "name_of", "place_of", "said", "schema_beside", "settled"]


def schema_beside(data: str | Path) -> Path:
    """The schema file that belongs to a table's file: where a draft of it is written.

    That of a table of a database lies where one works.

    >>> schema_beside("clinic/people.csv.gz").name
    'people.schema.toml'
    """
    from privet.sources.address import address_of

    place = Path(f"{name_of(data)}.schema.toml")
    return place if address_of(data) is not None else Path(data).with_name(place.name)


def name_of(data: str | Path) -> str:
    """What the people in a file are called if nobody gives them a name: as the file, without its endings.

    >>> name_of("clinic/people.csv.gz"), name_of("postgresql://server/db?table=clinic.people")
    ('people', 'people')
    """
    from privet.sources.address import address_of, name_in

    if address_of(data) is not None:
        return name_in(data) or "table"
    return Path(data).name.split(".")[0] or "table"


def said(place: str | Path) -> str:
    """A path or an address as people may see it: without a password."""
    from privet.sources.address import without_password

    return without_password(place)


def place_of(schema: str | Path | None, data: str | Path) -> Path:
    """The schema's file: the one that was named, or else the one beside the data."""
    if schema is not None:
        return Path(schema)
    if not schema_beside(data).exists():
        raise SchemaError(
            "What is public about the table is not known: no schema was named, and none is beside it.",
            "Name the schema's file, or draft one.",
            "draft-schema",
        )
    return schema_beside(data)


def settled(schema: str | Path | None, data: str | Path) -> Schema:
    """The schema, from its file (by default the one beside the data); every entry must be confirmed."""
    from privet.schema import read_schema

    found = read_schema(place_of(schema, data))
    found.require_confirmed()
    return found


def meant(algorithm: str, schema: Schema) -> Algorithm:
    """The algorithm that a name means under a schema: ``auto`` depends on the target.

    >>> from privet.schema import Schema
    >>> meant("auto", Schema.of({"smoker": ["no", "yes"], "age": (0, 120)}, target="age")).name
    'auto-regressor'
    """
    from privet.schema import Number

    entry = entry_of(algorithm)
    number = schema.target is not None and isinstance(schema[schema.target], Number)
    return entry_of(entry.for_numbers) if entry.for_numbers and number else entry


def build(
    algorithm: str,
    schema: Schema,
    parameters: Mapping[str, Any],
    *,
    ledger: Ledger | None = None,
    seed: int | None = None,
) -> Any:
    """The algorithm of this name with these parameters, not fitted yet: one that spends a budget."""
    algorithm = meant(algorithm, schema).name
    cls = entry_of(algorithm).load()
    if not any(parameter.name == "ledger" for parameter in parameters_of(cls)):
        raise ParameterError(f"{algorithm} does not learn from a table.", "Choose an algorithm that does.")
    return made(algorithm, {"schema": schema, "ledger": ledger, "random_state": seed}, parameters)


def made(algorithm: str, given: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
    """The algorithm of this name with its own parameters, and with what it takes of what is given."""
    cls: Any = entry_of(algorithm).load()
    declared = {parameter.name for parameter in parameters_of(cls)}
    if unknown := sorted(set(parameters) - declared):
        raise ParameterError(
            f"{algorithm} has no parameter '{unknown[0]}'.",
            f"Its parameters: {', '.join(sorted(declared - set(given)))}.",
        )
    return cls(**{name: value for name, value in given.items() if name in declared} | dict(parameters))
