"""Whether a schema says no more about a table than the one that its owner registered.

Both schemas are public, so a refusal here depends on nothing that is private.
"""

from __future__ import annotations

from privet.errors import SchemaError
from privet.schema.columns import Category, Column, Number
from privet.schema.item_sets import Items
from privet.schema.table import Schema

__all__ = ["require_narrowing"]


def require_narrowing(schema: Schema, registered: Schema) -> None:
    """Refuse a schema that is neither the registered one nor a narrowing of it.

    A narrowing has some of the columns and any target among them. A number may have narrower bounds and any
    cuts; a category fewer values, with or without a cell for the others. Where the owner has a cell for the
    others, a category with one may list more of them: every cell counts somewhere, listed or not, and what is
    asked about it has its noise. If the owner asked for values outside the schema, or missing ones, to be
    refused, bounds and values stay as they are: otherwise refusals would answer questions.

    >>> owner = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> require_narrowing(Schema.of({"age": (18, 65)}), owner)
    >>> require_narrowing(Schema.of({"age": (0, 150)}), owner)
    Traceback (most recent call last):
    ...
    privet.errors.SchemaError: Column 'age' has bounds beyond those of the registered schema (0 to 120).
      What to do: Use the registered schema, or a part of it; its owner can register another version.
    """
    if schema.unit != registered.unit:
        raise _refusal(
            f"The registered schema protects {registered.unit.describe()}; this one would protect "
            f"{schema.unit.describe()}."
        )
    for column in schema.columns:
        if column.name not in registered:
            raise _refusal(f"The registered schema has no column '{column.name}'.")
        refuses = registered.outside == "refuse" or registered.missing == "error"
        fault = _fault(column, registered[column.name], fixed=refuses)
        if fault:
            raise _refusal(f"Column '{column.name}' {fault}.")


def _fault(column: Column, registered: Column, *, fixed: bool) -> str:
    kinds = (Number, Items)
    if any(isinstance(column, kind) != isinstance(registered, kind) for kind in kinds):
        return "is of another kind in the registered schema"
    if isinstance(column, Number):
        assert isinstance(registered, Number)
        within = registered.low <= column.low and column.high <= registered.high
        same = (registered.low, registered.high) == (column.low, column.high)
        if not within or (fixed and not same):
            known = f"({registered.low:g} to {registered.high:g})"
            return f"has bounds {'other than' if within else 'beyond'} those of the registered schema {known}"
        return ""
    assert isinstance(registered, Category)
    known_texts, texts = set(map(str, registered.values)), set(map(str, column.values))
    more = registered.other is not None and column.other is not None and not fixed
    if not texts <= known_texts and not more:
        return "has a value that the registered schema does not list"
    if fixed and (texts != known_texts or (column.other is None) != (registered.other is None)):
        return "has fewer values than the registered schema, which refuses all that are not listed"
    return ""


def _refusal(message: str) -> SchemaError:
    return SchemaError(
        message,
        "Use the registered schema, or a part of it; its owner can register another version.",
        "registered-schema",
    )
