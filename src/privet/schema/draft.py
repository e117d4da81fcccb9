"""Drafting a schema from the data itself: a start for a person to correct, never a schema to trust.

Columns that look like names or ids are left out, so that they cannot be confirmed by mistake and published as
a domain. So are columns without any value, and columns with the same value in every record. The draft says
which, and why, in words that hold no value and no count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from privet.errors import DataError, SchemaError
from privet.schema.columns import Column
from privet.schema.seen import MOST_CLASSES, MOST_VALUES, Role, Seen
from privet.schema.table import Schema
from privet.schema.unit import Unit

__all__ = ["MOST_CLASSES", "MOST_VALUES", "Draft", "draft", "draft_columns", "require_some"]


@dataclass(frozen=True)
class Draft:
    """Columns read off the data, and the names of those that were left out, each with the reason."""

    columns: tuple[Column, ...]
    left_out: tuple[tuple[str, str], ...]


def require_some(columns: Sequence[Column], left_out: Sequence[tuple[str, str]]) -> None:
    """Say why where every column was left out."""
    if left_out and not columns:
        name, reason = left_out[0]
        raise SchemaError(
            f"No column is left to draft. Column '{name}', for one: {reason}.",
            f"Declare what is public about a column by hand; or, if '{name}' says who a person is, name it "
            "as the id of the unit of privacy beside other columns.",
            "ignore-or-identify",
        )


def draft_columns(
    batches: Iterable[pa.RecordBatch] | Iterator[pa.RecordBatch],
    *,
    target: str | None = None,
    ignore: Iterable[str | None] = (),
    classes: bool = False,
    baskets: bool = False,
) -> Draft:
    """What can be drafted of these columns. The target must be drafted; it is an error where it cannot be.

    Lists are sets of items, and with ``baskets`` texts are, too.
    """
    skipped = set(ignore)
    seen: dict[str, Seen] = {}
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            if name not in skipped:
                role: Role = "attribute" if name != target else "class" if classes else "target"
                seen.setdefault(name, Seen(name, role, sets=baskets and role == "attribute")).see(array)
    if rows == 0:
        raise DataError("The table holds no records, so there is nothing to draft a schema from.")
    if target is not None and target not in seen:
        raise SchemaError(
            f"The table has no column '{target}' to be the target.", "Check the name's spelling."
        )
    reasons = {name: each.reason(everything=classes) for name, each in seen.items()}
    if target is not None and (reason := reasons[target]) is not None:
        if seen[target].empty:
            raise DataError(f"The target '{target}' is empty in every record.")
        raise SchemaError(f"The target '{target}' cannot be drafted: {reason}.", "Choose another target.")
    return Draft(
        tuple(seen[name].column() for name, reason in reasons.items() if reason is None),
        tuple((name, reason) for name, reason in reasons.items() if reason is not None),
    )


def draft(
    batches: Iterable[pa.RecordBatch] | Iterator[pa.RecordBatch],
    *,
    target: str | None = None,
    ignore: Iterable[str] = (),
    unit: Unit | None = None,
    dataset: str | None = None,
    classes: bool = False,
) -> Schema:
    """A schema read off the data, every entry marked as such; ``left_out`` says what is not in it, and why.

    A target of few different numbers is taken for a category. ``classes`` is for a run that promises nothing
    (``schema="infer"``): any target is a category, and only columns that cannot be used are left out.
    """
    unit = unit or Unit()
    found = draft_columns(batches, target=target, ignore=[*ignore, unit.id], classes=classes)
    require_some(found.columns, found.left_out)
    return Schema(found.columns, target=target, unit=unit, dataset=dataset, left_out=found.left_out)
