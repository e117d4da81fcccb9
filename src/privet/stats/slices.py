"""Questions about fixed slices of the records: quicker, and slices that are apart cost no more than one.

A record's slice is a fixed hash of its own values. It is no secret, and how a table is stored, read or split
into batches does not change it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit
from privet.errors import ParameterError
from privet.schema import Number, Schema
from privet.stats.base import Answer, Sensitivity
from privet.stats.inner import Inner
from privet.stats.rows import Rows

__all__ = ["Sliced", "Slices", "halvings_for", "slice_of_each"]

DISTINCT = 32  # bits that a record should have, for hashes of records to differ
MOST = 1 << 16


@dataclass(frozen=True)
class Slices:
    """The slices from ``first`` up to ``last`` (without it) of ``many``, by the values of ``columns``."""

    columns: tuple[str, ...]
    many: int
    first: int
    last: int

    def __post_init__(self) -> None:
        if not (0 <= self.first < self.last <= self.many <= MOST and self.many & (self.many - 1) == 0):
            raise ParameterError("Slices must be some of a number of slices that is a power of 2.")

    def places(self, rows: Rows) -> NDArray[np.int64]:
        """The places of their records among these rows.

        >>> import pyarrow as pa
        >>> every = Rows(pa.record_batch({"x": np.arange(1000.0)}), Schema.of({"x": (0.0, 1000.0)}))
        >>> len(Slices(("x",), 1, 0, 1).places(every)), 80 < len(Slices(("x",), 8, 2, 3).places(every)) < 170
        (1000, True)
        """
        own = slice_of_each(rows, self.columns, self.many)
        return np.flatnonzero((own >= self.first) & (own < self.last))


@dataclass(frozen=True)
class Sliced(Inner):
    """The answer of ``statistic`` over the records of some slices alone.

    **Sensitivity.** Whether a record counts depends on that record alone, not on the others: it adds what it
    would add to ``statistic``, or nothing. So all bounds on the contribution of a record hold. A record is in
    one slice: that questions about others do not touch it is what the curator counts (``curator.by_slice``).
    """

    slices: Slices
    around: Slices | None = (
        None  # of which these are some: others will be asked about soon, a hint for engines
    )

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.statistic.columns, *self.slices.columns)))

    def norms(self, schema: Schema) -> Sensitivity:
        return self.statistic.norms(schema)

    def start(self, schema: Schema) -> Answer:
        return self.statistic.start(schema)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        return self.statistic.fold(state, rows.once(f"{self.slices}", self._taken))

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return self.statistic.finish(state, schema)

    def _taken(self, rows: Rows) -> Rows:
        return Rows.gathered([rows], self.slices.places(rows))


def slice_of_each(rows: Rows, names: Sequence[str], many: int) -> NDArray[np.uint16]:
    """The slice of each record, of ``many``: the highest bits of the sum of its values' hashes.

    So a slice is some slices that lie beside each other, of twice as many: one order is good for all.
    """
    mixed = np.zeros(rows.size, np.uint64)
    numbers = [name for name in names if isinstance(rows.schema[name], Number)]
    beside = [name for name in numbers if rows.lies_in_matrix(name)]
    salts = dict(zip(names, _salts(len(names)), strict=True))

    def mix(some: Sequence[str], values: NDArray[np.float64]) -> None:
        own = np.array([salts[name] for name in some], np.uint64)
        bits = np.ascontiguousarray(values).view(np.uint64)
        _mix_numbers(bits, own, _ends(rows.schema, some).view(np.uint64), mixed)

    if beside:
        mix(beside, rows.matrix(beside))
    for name in names:
        if name in numbers and name not in beside:
            mix([name], rows.numbers(name)[:, None])
        elif name not in numbers:
            _mix_codes(rows.codes(name), salts[name], mixed)
    own = np.empty(rows.size, np.uint16)
    _high_bits(mixed, np.uint64(64 - many.bit_length() + 1), own)
    return own


def _salts(number: int) -> NDArray[np.uint64]:
    """A fixed number for each column: multiples of one number would add up alike."""
    salts = np.empty(number, np.uint64)
    _mix_up(np.arange(1, number + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15), salts)
    return salts


def _ends(schema: Schema, names: Sequence[str]) -> NDArray[np.float64]:
    """The bounds of these numbers."""
    columns = [column for name in names if isinstance(column := schema[name], Number)]
    return np.array([(column.low, column.high) for column in columns], np.float64)


def halvings_for(records: float, wanted: float, schema: Schema, names: Sequence[str]) -> int:
    """How often the records can be halved so that about ``wanted`` are left: at least 0.7 times as many.

    Not at all where the columns have so few values that records are alike: alike ones have the same hash, and
    a part of them would be another table.

    >>> schema = Schema.of({"x": (0.0, 1.0), "y": (0.0, 1.0), "c": ["a", "b"]})
    >>> [halvings_for(1_000_000, 130_000, schema, names) for names in (["x", "y"], ["c"])]
    [3, 0]
    """
    bits = sum(_bits(schema[name]) for name in names)
    halvings = round(math.log2(max(records, 1) / max(wanted, 1)))
    return min(max(0, halvings), 16) if bits >= DISTINCT else 0


def _bits(column: Any) -> float:
    """About how many bits a value has, by what is public."""
    if isinstance(column, Number):
        return math.log2(min(column.high - column.low + 1, 2**16)) if column.integer else 16.0
    return math.log2(max(column.size, 1))


@njit(inline="always")
def _scrambled(bits: Any, salt: Any) -> Any:  # pragma: no cover
    """Half times half, each salted: one multiplication that processors do for several values at once.

    No secret, and nothing rests on it. Those of a record's columns are added up, in any order.
    """
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    return ((bits + salt) & low) * (((bits >> half) + (salt >> half)) & low)


@njit(inline="always")
def _mixed_up(now: Any) -> Any:  # pragma: no cover
    """The finish of SplitMix64: every bit follows from all."""
    now = (now ^ (now >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    now = (now ^ (now >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return now ^ (now >> np.uint64(31))


@njit
def _mix_up(numbers: NDArray[np.uint64], found: NDArray[np.uint64]) -> None:  # pragma: no cover
    for i in range(numbers.size):
        found[i] = _mixed_up(numbers[i])


@njit
def _high_bits(mixed: NDArray[np.uint64], rest: Any, own: NDArray[np.uint16]) -> None:  # pragma: no cover
    for i in range(mixed.size):
        own[i] = _mixed_up(mixed[i]) >> rest if rest < np.uint64(64) else np.uint64(0)


@njit
def _mix_codes(codes: NDArray[Any], salt: Any, mixed: NDArray[np.uint64]) -> None:  # pragma: no cover
    for i in range(mixed.size):
        mixed[i] += _scrambled(np.uint64(codes[i]), salt)


@njit
def _mix_numbers(
    bits: NDArray[np.uint64], salts: NDArray[np.uint64], ends: NDArray[np.uint64], mixed: NDArray[np.uint64]
) -> None:  # pragma: no cover
    """The bits of numbers, a record in each row: without branches, but for rows that have odd ones."""
    sign, next_exponent = np.uint64(1 << 63), np.uint64(1 << 52)
    for i in range(mixed.size):
        total, odd = np.uint64(0), np.uint64(0)
        for k in range(salts.size):
            own = bits[i, k]
            odd |= ((own & ~sign) + next_exponent) | (sign if own == sign else np.uint64(0))
            total += _scrambled(own, salts[k])
        if odd & sign:
            total = np.uint64(0)
            for k in range(salts.size):
                total += _scrambled(_even(bits[i, k], ends[k]), salts[k])
        mixed[i] += total


@njit
def _even(own: Any, ends: NDArray[np.uint64]) -> Any:  # pragma: no cover
    """−0 is 0, and whatever is not a number is the same.

    An infinite number is the bound on its side, as which a column of it may be read already.
    """
    sign, infinite = np.uint64(1 << 63), np.uint64(0x7FF0000000000000)
    own = ends[1] if own == infinite else own
    own = ends[0] if own == (infinite | sign) else own
    own = np.uint64(0) if own == sign else own
    return np.uint64(1) if (own & ~sign) > infinite else own
