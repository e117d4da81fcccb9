"""Questions about columns whose cells are sets: how many records have each item, and few items together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privet.errors import DataError, ParameterError
from privet.schema import Schema
from privet.schema.item_sets import Items
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.rows import Rows, as_number, domain_of_type, numbers_of
from privet.stats.scores import Scores

__all__ = ["FrequentItems", "ItemTotals", "SetCounts", "Sets", "sets_of"]

LARGEST = 3
MOST_CHOSEN = 200


@dataclass(frozen=True)
class Sets:
    """The items of some records, each once: ``record`` and ``item`` are parallel, in rising order."""

    record: NDArray[np.int64]
    item: NDArray[np.int64]
    size: int

    def among(self, chosen: Sequence[int], items: int) -> Sets:
        """Only these items, numbered by their places in ``chosen``."""
        place = np.full(items, -1)
        place[list(chosen)] = np.arange(len(chosen))
        mine = place[self.item]
        kept = mine >= 0
        return Sets(self.record[kept], mine[kept], self.size)

    def cut(self, most: int) -> Sets:
        """At most so many items of each record: which stay depends on the record's own items alone.

        They come first by a fixed hash of the item and of all items of the set, so that it is not the same
        items that stay everywhere. A hash that repeats no value leaves no ties.
        """
        mixed = _mixed(self.item.astype(np.uint64))
        whole = np.zeros(self.size, np.uint64)
        np.add.at(whole, self.record, mixed)
        key = _mixed(mixed ^ whole[self.record])
        order = np.lexsort((key, self.record))
        record, item = self.record[order], self.item[order]
        first = np.searchsorted(record, record, side="left")
        kept = np.arange(len(record)) - first < most
        record, item = record[kept], item[kept]
        order = np.lexsort((item, record))
        return Sets(record[order], item[order], self.size)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finish: a fixed permutation of 64 bits."""
    z = values + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def sets_of(rows: Rows, name: str) -> Sets:
    """The sets in a column; what is not in the public list is left out, and a missing cell is empty."""
    return rows.once(f"sets of {name}", lambda these: _read(these, name))


def _read(rows: Rows, name: str) -> Sets:
    column: Any = rows.schema[name]
    assert isinstance(column, Items)
    array = rows.column(name)
    if rows.schema.missing == "error" and array.null_count:
        raise DataError(
            f"Column '{name}' has missing values, and the schema says  missing = \"error\".",
            'Complete the table, or set  missing = "skip"  in the schema.',
        )
    lists = _lists(array, column)
    lengths = np.asarray(pc.list_value_length(lists).fill_null(0), np.int64)
    record = np.repeat(np.arange(len(lists)), lengths)
    item = _codes(lists.flatten(), column)
    known = item >= 0
    distinct = np.unique(record[known] * column.size + item[known])
    return Sets(distinct // column.size, distinct % column.size, len(lists))


def _lists(array: Any, column: Items) -> Any:
    kind = array.type
    if pa.types.is_dictionary(kind):
        array, kind = array.dictionary_decode(), kind.value_type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return array
    if pa.types.is_null(kind):
        return array.cast(pa.list_(pa.string()))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_floating(kind):
        there = pc.is_valid(array).to_numpy(zero_copy_only=False)  # sets of one item each, a number
        ends = np.concatenate([[0], np.cumsum(there)])
        return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), array.drop_null())
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise DataError(
            f"Column '{column.name}' is declared a set of items, but the table holds {kind} there.",
            "Turn it into lists, or into text with a character between the items.",
        )
    if column.between == " ":
        return pc.utf8_split_whitespace(array)
    return pc.split_pattern(array, column.between)


def _codes(values: Any, column: Items) -> NDArray[np.int64]:
    """The place of each item in the public list; −1 if it is not there."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_null(values.type) or len(values) == 0:
        return np.full(len(values), -1)
    known = {value: code for code, value in enumerate(domain_of_type(column, values.type))}
    numbers = numbers_of(column)
    coded = values.dictionary_encode()
    table = np.full(len(coded.dictionary) + 1, -1)
    for place, value in enumerate(coded.dictionary.to_pylist()):
        value = value.strip() if isinstance(value, str) else value
        if value in known:
            table[place] = known[value]
        elif isinstance(value, str):  # the same item whether a table holds numbers or texts
            table[place] = numbers.get(as_number(value), -1)
    indices = coded.indices.fill_null(len(coded.dictionary))
    return table[np.asarray(indices, np.int64)]


@dataclass(frozen=True)
class ItemTotals(Statistic):
    """How many records have each item of a set-valued column.

    **Sensitivity.** A record may have all s items of the public list: L1 = L2² = s. It is asked for as scores
    (``FrequentItems``), which need far less.
    """

    column: str
    reads_sets = True

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def norms(self, schema: Schema) -> Sensitivity:
        size = _items(schema, self.column).size
        return Sensitivity(size, size)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(_items(schema, self.column).size, np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        return state + np.bincount(sets_of(rows, self.column).item, minlength=state.size)


@dataclass(frozen=True)
class FrequentItems(Scores):
    """The number of records that have each item: for a private choice of the most frequent.

    **Spread.** A new record adds 1 to the count of each item that it has and 0 to others: every score moves
    within [0, 1], and R = 1, however many items it has. Nothing is cut here.
    """

    column: str

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (ItemTotals(self.column),)

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        return [answers[0]]


@dataclass(frozen=True)
class SetCounts(Statistic):
    """How many records have each set of at most ``largest`` of the chosen items, of records that are cut.

    A record is cut to the chosen items, and then to ℓ of them, ℓ being the column's ``most``. The cells are:
    the number of records; how many were cut to ℓ; each item; each pair; each triple (``sets``).

    **Sensitivity.** Which items of a record stay depends on this record, the public ℓ and the chosen items,
    which were released. With k = min(ℓ, number of chosen items) it adds 1 to the number of records, at most 1
    to the number of those cut, and 1 to the C(k, i) sets of each size i that it has, at most: all entries are
    0 or 1, so L1 = L2² = 2 + Σ C(k, i), and 1 less if nothing can be cut. It is attained by a record with
    more than ℓ items.

    >>> schema = Schema.of({"basket": Items("basket", ("milk", "bread", "tea"), most=2)})
    >>> rows = Rows(pa.record_batch({"basket": ["milk,bread", "tea", "tea, milk , gin", ""]}), schema)
    >>> counts = SetCounts("basket", (0, 1, 2), 2)
    >>> counts.fold(counts.start(schema), rows).tolist()
    [4, 0, 2, 1, 2, 1, 1, 0]
    >>> counts.norms(schema).l1
    5
    """

    column: str
    chosen: tuple[int, ...]
    largest: int
    reads_sets = True

    def __post_init__(self) -> None:
        if not 1 <= len(self.chosen) <= MOST_CHOSEN or not 1 <= self.largest <= LARGEST:
            raise ParameterError(
                f"Sets of at most {LARGEST} of 1 to {MOST_CHOSEN} items are counted.",
                "Ask for fewer items, or for smaller sets.",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def sets(self) -> list[tuple[int, ...]]:
        """The places in ``chosen`` of each set, in the order of their cells, after the first two cells."""
        places = range(len(self.chosen))
        return [each for size in range(1, self.largest + 1) for each in combinations(places, size)]

    def norms(self, schema: Schema) -> Sensitivity:
        most = _items(schema, self.column).most
        most, cuts = min(most, len(self.chosen)), most < len(self.chosen)
        bound = 1 + cuts + sum(math.comb(most, size) for size in range(1, self.largest + 1))
        return Sensitivity(bound, bound)

    def start(self, schema: Schema) -> Answer:
        number = len(self.chosen)
        return np.zeros(2 + sum(math.comb(number, i) for i in range(1, self.largest + 1)), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        from scipy.sparse import csr_array

        column = _items(rows.schema, self.column)
        mine = sets_of(rows, self.column).among(self.chosen, column.size)
        sizes = np.bincount(mine.record, minlength=mine.size)
        state[:2] += (mine.size, int((sizes > column.most).sum()))
        kept = mine.cut(column.most)
        number = len(self.chosen)
        ones = np.ones(len(kept.item), np.int64)
        has = csr_array((ones, (kept.record, kept.item)), shape=(max(kept.size, 1), number))
        place = 2 + number
        state[2:place] += np.bincount(kept.item, minlength=number)
        if self.largest > 1:
            upper = np.triu_indices(number, 1)
            pairs = (has.T @ has).toarray()[upper]
            state[place : place + pairs.size] += pairs
            place += pairs.size
        if self.largest > 2:
            by_item = has.tocsc()
            for first in range(number - 2):
                with_it = by_item.indices[by_item.indptr[first] : by_item.indptr[first + 1]]
                part = has[with_it][:, first + 1 :]
                triples = (part.T @ part).toarray()[np.triu_indices(number - first - 1, 1)]
                state[place : place + triples.size] += triples
                place += triples.size
        return state


def _items(schema: Schema, name: str) -> Items:
    column = schema[name]
    assert isinstance(column, Items)
    return column
