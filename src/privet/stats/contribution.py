"""Bounding what one person contributes: at most ``most`` records each, the rest dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import DataError
from privet.schema import Unit

__all__ = ["bound_batches", "bound_table"]


def bound_batches(batches: Iterable[pa.RecordBatch], unit: Unit) -> Iterator[pa.RecordBatch]:
    """The batches with only the first ``most`` records of each person, in the order of the source.

    Which of a person's records stay depends on that person's records alone, so taking a person away changes
    nothing for the others: the tables that the statistics see are neighbours within ``most`` records.
    Records that name no person (missing, NaN) are dropped. Memory: one counter a person.
    """
    if unit.id is None:
        yield from batches
        return
    seen: dict[Any, int] = {}
    for batch in batches:
        place = batch.schema.get_field_index(unit.id)
        if place < 0:
            refuse_anonymous(unit)
        column = batch.column(place)
        if pa.types.is_dictionary(column.type):  # its dictionary may hold a person twice, or a null
            column = column.dictionary_decode()
        if pa.types.is_floating(column.type):  # NaN differs from itself, and 0 has two signs: no new persons
            column = pc.cast(column, pa.float64())
            column = pc.add(pc.if_else(pc.is_nan(column), None, column), 0.0)
        people = pc.dictionary_encode(column)
        names = people.dictionary.to_pylist()
        codes = people.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)
        before = np.fromiter((seen.get(name, 0) for name in names), np.int64, len(names))
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(len(names) + 1))
        rank = np.empty(len(codes), np.int64)
        rank[order] = np.arange(len(codes)) - starts[codes[order]]
        limits = np.append(unit.most - before, 0)  # last: records that name nobody
        keep = rank < limits[codes]
        for name, number in zip(names, np.bincount(codes, minlength=len(names))[: len(names)], strict=True):
            seen[name] = min(unit.most, seen.get(name, 0) + int(number))
        yield batch if keep.all() else batch.filter(pa.array(keep))


def refuse_anonymous(unit: Unit) -> None:
    raise DataError(
        f"The table has no column '{unit.id}', which the schema names as the person's id.",
        "Check the spelling under [unit], or remove  id  to protect single records.",
    )


def bound_table(table: Any, unit: Unit) -> Any:
    """The same for an Ibis table; rows count in the order in which the database reads them."""
    if unit.id is None:
        return table
    import ibis

    if unit.id not in table.columns:
        refuse_anonymous(unit)
    numbered = table.mutate(privet_row=ibis.row_number())
    numbered = numbered.filter(numbered[unit.id].notnull())
    if numbered[unit.id].type().is_floating():
        numbered = numbered.filter(~numbered[unit.id].isnan())
    rank = ibis.row_number().over(group_by=unit.id, order_by="privet_row")
    ranked = numbered.mutate(privet_rank=rank)
    return ranked.filter(ranked.privet_rank < unit.most).drop("privet_row", "privet_rank")
