"""A question about a fixed part of the records: quicker, where there are more of them than noise asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privet.schema import Number, Schema
from privet.stats.assignment import Coded
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.rows import Rows

__all__ = ["Thinned", "picked_places", "thin_for"]

DISTINCT = 32  # bits that a record should have, for hashes of records to differ


@dataclass(frozen=True)
class Thinned(Statistic):
    """The answer of ``statistic`` over about one record in 2^``halvings``: those that a fixed hash picks.

    The hash is one of the record's own values in the columns ``among``, so how a table is stored or split
    into batches changes nothing. The statistic must read its columns by these codes alone.

    **Sensitivity.** Whether a record counts depends on that record alone, not on the others: it adds what it
    would add to ``statistic``, or nothing. So all bounds on the contribution of a record hold.
    """

    statistic: Statistic
    among: tuple[Coded, ...]
    halvings: int

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.statistic.columns, *(each.column for each in self.among))))

    @property
    def nonnegative(self) -> bool:  # type: ignore[override]
        return self.statistic.nonnegative

    @property
    def scale(self) -> int:  # type: ignore[override]
        return self.statistic.scale

    @property
    def unit(self) -> str:  # type: ignore[override]
        return self.statistic.unit

    def norms(self, schema: Schema) -> Sensitivity:
        return self.statistic.norms(schema)

    def start(self, schema: Schema) -> Answer:
        return self.statistic.start(schema)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        fewer = rows.once(self._name, self._picked)
        return self.statistic.fold(state, fewer)

    def merge(self, one: Answer, other: Answer) -> Answer:
        return self.statistic.merge(one, other)

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return self.statistic.finish(state, schema)

    @cached_property
    def _name(self) -> str:
        return f"thinned {self.halvings} {hash(self.among)}"

    def _picked(self, rows: Rows) -> Rows:
        kept = picked_places(rows, tuple(each.column for each in self.among), 1 << self.halvings)
        return rows.picked(kept, [(each.column, each.cuts) for each in self.among])


def picked_places(rows: Rows, names: Sequence[str], thin: int) -> NDArray[np.int64]:
    """The places of about one record in ``thin``, a power of 2: those whose values have the right hash.

    >>> import pyarrow as pa
    >>> every = Rows(pa.record_batch({"x": np.arange(1000.0)}), Schema.of({"x": (0.0, 1000.0)}))
    >>> len(picked_places(every, ["x"], 1)), 80 < len(picked_places(every, ["x"], 8)) < 170
    (1000, True)
    """
    mixed = np.zeros(rows.size, np.uint64)
    numbers = [name for name in names if isinstance(rows.schema[name], Number)]
    beside = [name for name in numbers if rows.lies_in_matrix(name)]
    salts = {name: np.uint64(k * 0x9E3779B97F4A7C15 % 2**64) for k, name in enumerate(names, 1)}
    if beside:
        bits = np.ascontiguousarray(rows.matrix(beside)).view(np.uint64)
        _mix_numbers(bits, np.array([salts[name] for name in beside], np.uint64), mixed)
    for name in names:
        if name in numbers and name not in beside:
            bits = np.ascontiguousarray(rows.numbers(name)).view(np.uint64)[:, None]
            _mix_numbers(bits, np.array([salts[name]], np.uint64), mixed)
        elif name not in numbers:
            _mix_codes(rows.codes(name), salts[name], mixed)
    return np.flatnonzero((mixed >> np.uint64(20)) & np.uint64(thin - 1) == 0)


def thin_for(records: float, wanted: float, schema: Schema, names: Sequence[str]) -> int:
    """How often the records can be halved so that about ``wanted`` are left: at least 0.7 times as many.

    Not at all where the columns have so few values that records are alike: alike ones have the same hash, and
    a part of them would be another table.

    >>> schema = Schema.of({"x": (0.0, 1.0), "y": (0.0, 1.0), "c": ["a", "b"]})
    >>> [thin_for(1_000_000, 130_000, schema, names) for names in (["x", "y"], ["c"])]
    [3, 0]
    """
    bits = sum(_bits(schema[name]) for name in names)
    halvings = round(math.log2(max(records, 1) / max(wanted, 1)))
    return max(0, halvings) if bits >= DISTINCT else 0


def _bits(column: Any) -> float:
    """About how many bits a value has, by what is public."""
    if isinstance(column, Number):
        return math.log2(min(column.high - column.low + 1, 2**16)) if column.integer else 16.0
    return math.log2(max(column.size, 1))


@njit(nogil=True, cache=True, inline="always")
def _scrambled(bits: Any, salt: Any) -> Any:  # pragma: no cover
    """No secret, and nothing rests on it. Those of a record's columns are added up, in any order."""
    now = (bits ^ salt) * np.uint64(0xBF58476D1CE4E5B9)
    return (now ^ (now >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)


@njit(nogil=True, cache=True)
def _mix_codes(codes: NDArray[Any], salt: Any, mixed: NDArray[np.uint64]) -> None:  # pragma: no cover
    for i in range(mixed.size):
        mixed[i] += _scrambled(np.uint64(codes[i]), salt)


@njit(nogil=True, cache=True)
def _mix_numbers(
    bits: NDArray[np.uint64], salts: NDArray[np.uint64], mixed: NDArray[np.uint64]
) -> None:  # pragma: no cover
    """The bits of numbers, a record in each row. −0 is 0, and whatever is not a number is the same."""
    sign, infinite = np.uint64(1 << 63), np.uint64(0x7FF0000000000000)
    for i in range(mixed.size):
        total = np.uint64(0)
        for k in range(salts.size):
            own = bits[i, k]
            own = np.uint64(0) if own == sign else own
            own = np.uint64(1) if (own & ~sign) > infinite else own
            total += _scrambled(own, salts[k])
        mixed[i] += total
