"""Bounding what one person contributes: at most ``most`` records each, the rest dropped.

**Which records stay.** ``first``: a person's first records, in the order of the source. ``content``: those of
a person's records that come first by a fixed hash of the person's id and of what they hold
(``content_order``), ties by their raw cells.

**Proof, for both.** Let T be a table and T' the same without one person P. Which records of another person Q
stay must be the same in T and T': then the tables that a statistic sees differ in P's records alone, at most
``most`` of them, and under ``replace`` in at most ``most`` that go and ``most`` that come.
``first``: taking P's rows out of a sequence leaves Q's in their order, so Q's first records are the same.
This needs a source that *has* an order, one that does not change with other people's rows: a file, an array.
A database promises none. It reads from where another reader is, or from where a deleted row left room, so
whether P was ever there can decide which of Q's rows come first, and the proof fails.
``content``: a record's place among Q's depends on its own cells, so what stays is a function of the multiset
of Q's records, in whatever order they are read. Records that tie to the end are equal in every column that
the schema names, and it is the same to every statistic which of them stays. Hence this is the rule for tables
of a database, and ``first`` is refused there.

Records that name no person (missing, NaN) are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privet.errors import DataError, SchemaError
from privet.schema import Schema, Unit
from privet.schema.lists import is_list, joined
from privet.stats.content_order import key_expression, keys

__all__ = ["bound_batches", "bound_table", "bounded", "plain_names", "resolved", "some_columns"]

# Rows that are held before those of persons with too many are dropped; never fewer than are kept.
_HELD = 1 << 17
_BATCH = 1 << 16


def resolved(unit: Unit, source: Any) -> Unit:
    """The unit with its rule: by default ``first`` where the source has an order, else ``content``.

    A source has an order unless its attribute ``ordered`` says otherwise.
    """
    if unit.id is None:
        return unit
    if (require_exact := getattr(source, "require_exact", None)) is not None:
        require_exact(unit.id)
    ordered = getattr(source, "ordered", True)
    if unit.keep == "first" and not ordered:
        raise SchemaError(
            "A database has no order of rows, so it cannot be said which records of a person are the first.",
            'Remove  keep = "first"  under [unit], or set  keep = "content".',
        )
    return replace(unit, keep=unit.keep or ("first" if ordered else "content"))


def some_columns(source: Any, columns: Sequence[str], schema: Schema) -> list[str]:
    """These columns, or one if there are none: without any, some readers see no rows."""
    declared = [name for name in source.names if name in schema]
    return list(columns) or declared[:1] or list(source.names[:1])


def bounded(source: Any, columns: Sequence[str], schema: Schema) -> Iterator[pa.RecordBatch]:
    """The batches of a source, with at most ``most`` records of each person; at least these columns of them.

    By content, all columns of the schema decide, so that every question is about the same records.
    """
    unit = resolved(schema.unit, source)
    if unit.keep != "content":
        return bound_batches(source.batches(some_columns(source, columns, schema)), unit)
    wanted = {*columns, *schema.names, unit.id}
    return bound_batches(
        source.batches([name for name in source.names if name in wanted]), unit, schema.names
    )


def bound_batches(
    batches: Iterable[pa.RecordBatch], unit: Unit, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The batches with at most ``most`` records of each person: the first, unless the unit says otherwise.

    Memory: one counter per person. By content (of ``columns``; of all, if none is named), the records that
    are kept, and as many again.
    """
    if unit.id is None:
        yield from batches
    elif unit.keep == "content":
        yield from _by_content(batches, unit, columns)
    else:
        yield from _first(batches, unit)


def _first(batches: Iterable[pa.RecordBatch], unit: Unit) -> Iterator[pa.RecordBatch]:
    seen: dict[Any, int] = {}
    for batch in batches:
        people = pc.dictionary_encode(_people(batch, unit))
        names = plain_names(people.dictionary)
        codes = people.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)
        before = np.fromiter((seen.get(name, 0) for name in names), np.int64, len(names))
        rank = _ranks(codes, np.argsort(codes, kind="stable"))
        limits = np.append(unit.most - before, 0)  # last: records that name nobody
        keep = rank < limits[codes]
        for name, number in zip(names, np.bincount(codes, minlength=len(names))[: len(names)], strict=True):
            seen[name] = min(unit.most, seen.get(name, 0) + int(number))
        yield batch if keep.all() else batch.filter(pa.array(keep))


def _by_content(
    batches: Iterable[pa.RecordBatch], unit: Unit, columns: Sequence[str] | None
) -> Iterator[pa.RecordBatch]:
    kept: list[pa.RecordBatch] = []
    held, limit = 0, _HELD
    for batch in batches:
        kept.append(_plain(batch, unit))
        held += batch.num_rows
        if held >= limit:
            kept = _fewest(kept, unit, columns)
            held = sum(part.num_rows for part in kept)
            limit = held + max(held, _HELD)
    if kept:
        yield from _fewest(kept, unit, columns)


def _plain(batch: pa.RecordBatch, unit: Unit) -> pa.RecordBatch:
    """The batch without records that name nobody, and without dictionaries, which differ between batches."""
    people = _people(batch, unit)
    arrays = [
        column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    arrays[batch.schema.get_field_index(unit.id)] = people
    whole = pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)
    return whole.filter(pc.is_valid(people)) if people.null_count else whole


def _fewest(parts: list[pa.RecordBatch], unit: Unit, columns: Sequence[str] | None) -> list[pa.RecordBatch]:
    """Of each person, the records that come first by content; persons in the order of their names."""
    table = pa.Table.from_batches(parts).combine_chunks()
    deciding = sorted(set(table.column_names if columns is None else columns) - {unit.id})
    deciding = [name for name in deciding if name in table.column_names]
    # By place, and not by name: a column may have any name.
    order = pa.table(
        [
            table[unit.id],
            keys(table, [*deciding, str(unit.id)]),
            *(_sortable(table[name]) for name in deciding),
        ],
        names=[str(place) for place in range(len(deciding) + 2)],
    )
    places = pc.sort_indices(order, [(name, "ascending") for name in order.column_names])
    codes = pc.dictionary_encode(table[unit.id].combine_chunks()).indices.to_numpy(zero_copy_only=False)
    rank = _ranks(codes, _grouped(codes, places.to_numpy()))
    chosen = table.take(places.filter(pa.array(rank[places.to_numpy()] < unit.most)))
    return chosen.combine_chunks().to_batches(max_chunksize=_BATCH)


def _sortable(column: Any) -> Any:
    kind = column.type
    if pa.types.is_null(kind) or pa.types.is_boolean(kind):
        return column.cast(pa.int8())
    if is_list(kind):
        return pa.chunked_array([joined(chunk) for chunk in column.chunks], pa.string())
    return column


def _grouped(codes: NDArray[Any], order: NDArray[Any]) -> NDArray[Any]:
    """This order, persons in the order of their codes."""
    return np.asarray(order[np.argsort(codes[order], kind="stable")])


def _ranks(codes: NDArray[Any], order: NDArray[Any]) -> NDArray[np.int64]:
    """The place of each row among those of its person; ``order`` has the rows of each person together."""
    rank = np.empty(len(codes), np.int64)
    if len(codes):
        sorted_codes = codes[order]
        starts = np.searchsorted(sorted_codes, np.arange(int(sorted_codes[-1]) + 1))
        rank[order] = np.arange(len(codes)) - starts[sorted_codes]
    return rank


def _people(batch: pa.RecordBatch, unit: Unit) -> Any:
    """Who each record is of; null if it names nobody."""
    place = batch.schema.get_field_index(unit.id)
    if place < 0:
        refuse_anonymous(unit)
    column = batch.column(place)
    if pa.types.is_dictionary(column.type):  # its dictionary may hold a person twice, or a null
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):  # NaN differs from itself, and 0 has two signs: no new persons
        column = pc.cast(column, pa.float64())
        column = pc.add(pc.if_else(pc.is_nan(column), None, column), 0.0)
    return column


def plain_names(people: Any) -> list[Any]:
    """The persons of a dictionary as plain values, of which no two are equal.

    Times are the numbers that they are stored as: some of them are no times of Python (to read one would
    stop a run that was paid for), and others would be equal to another person's (an hour that a clock shows
    twice, parts of a microsecond).

    >>> plain_names(pa.array([0, 2**62], pa.timestamp("s")))
    [0, 4611686018427387904]
    """
    if pa.types.is_temporal(people.type) and people.type.bit_width <= 64:
        people = people.view(pa.int64() if people.type.bit_width == 64 else pa.int32())
    names: list[Any] = people.to_pylist()
    return names


def refuse_anonymous(unit: Unit) -> None:
    raise DataError(
        f"The table has no column '{unit.id}', which the schema names as the person's id.",
        "Check the spelling under [unit], or remove  id  to protect single records.",
    )


def bound_table(table: Any, unit: Unit, columns: Sequence[str] | None = None) -> Any:
    """The same for an Ibis table: by content, unless the unit says ``first``.

    ``first`` is for files that a database reads row by row; rows count in the order in which it reads them.
    """
    if unit.id is None:
        return table
    import ibis

    if unit.id not in table.columns:
        refuse_anonymous(unit)
    numbered = table.mutate(privet_row=ibis.row_number()) if unit.keep == "first" else table
    numbered = numbered.filter(numbered[unit.id].notnull())
    if numbered[unit.id].type().is_floating():
        numbered = numbered.filter(~numbered[unit.id].isnan())
    if unit.keep == "first":
        rank = ibis.row_number().over(group_by=unit.id, order_by="privet_row")
        ranked = numbered.mutate(privet_rank=rank)
        return ranked.filter(ranked.privet_rank < unit.most).drop("privet_row", "privet_rank")
    deciding = sorted(set(table.columns if columns is None else columns) - {unit.id})
    deciding = [name for name in deciding if name in table.columns]
    keyed = numbered.mutate(privet_key=key_expression(numbered, [*deciding, unit.id]))
    rank = ibis.row_number().over(group_by=unit.id, order_by=["privet_key", *deciding])
    ranked = keyed.mutate(privet_rank=rank)
    return ranked.filter(ranked.privet_rank < unit.most).drop("privet_key", "privet_rank")
