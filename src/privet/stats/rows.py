"""A batch of records as the schema lets them be seen: coded, clamped, with missing values marked.

Everything that a statistic reads of a private table goes through here, so clamping to the public bounds
and coding by the public domain cannot be forgotten, and never happen after the sum.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privet.errors import DataError
from privet.schema import Category, Number, Schema
from privet.schema.decimals import nearest_floats
from privet.schema.item_sets import Items, sets_refused
from privet.schema.number_texts import numbers_of_texts
from privet.stats import kernels
from privet.stats.coded_rows import Bytes, CodedRows, Even, Key, Places, code_into, coded_room

__all__ = ["Rows", "domain_of_type"]

Unknown = Literal["error", "missing"]
Found = TypeVar("Found")

TURNED_ROWS = 512
MOST_INVERSE = 1e300  # of a bin's width: more, and what is computed with it could be no number

_FLOAT64 = pa.float64()

WORDS = {"true": True, "false": False}
_TRUTH = WORDS | {"1": True, "1.0": True, "0": False, "0.0": False}

#: A text that is read as a number, by whoever reads it: what Python and databases take besides differs.
NUMERAL = r"^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)? *$"


class Rows:
    """One batch, seen through its schema. ``unknown`` says what a value outside a domain is.

    If the schema counts what is outside it, such a value and a text in a number's column are missing, and an
    infinite number is the bound on its side; ``sql`` counts the same.

    Codes run from 0 in the order of the public domain; the code after the last one means missing.

    >>> batch = pa.record_batch({"smoker": ["no", "yes", None, "no"]})
    >>> Rows(batch, Schema.of({"smoker": ["no", "yes"]})).codes("smoker").tolist()
    [0, 1, 2, 0]

    Numbers may lie side by side in a ``matrix`` beside the batch, a record in each row; ``places`` says which
    column of it is whose.
    """

    def __init__(
        self,
        batch: pa.RecordBatch,
        schema: Schema,
        unknown: Unknown = "error",
        *,
        matrix: NDArray[np.float64] | None = None,
        places: Mapping[str, int] | None = None,
    ) -> None:
        self.schema = schema
        self.unknown = "missing" if schema.outside == "count" else unknown
        self.size: int = batch.num_rows if matrix is None else len(matrix)
        self._batch = batch
        self._codes: dict[Key, NDArray[Any]] = {}
        self._beside: list[CodedRows] = []
        self._once: dict[Hashable, Any] = {}
        self._matrix, self._places = matrix, places or {}

    #: Other rows among which these are, and where: what is made for all of those need not be made again.
    around: tuple[Rows, slice] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._places or self._batch.schema.get_field_index(name) >= 0

    def once(self, what: Hashable, make: Callable[[Rows], Found]) -> Found:
        """What ``make`` makes of these rows: made when first asked for, for all who ask."""
        if what not in self._once:
            self._once[what] = make(self)
        found: Found = self._once[what]
        return found

    def let_go(self) -> None:
        """Forget views, and the numbers of a matrix as columns: what was made of them, codes say, stays."""
        self._once = {what: made for what, made in self._once.items() if isinstance(what, str)}
        self._once.pop("turned", None)

    def having(self, name: str) -> Rows:
        """The rows in which this column has a value."""
        fewer = self.once(f"having {name}", lambda rows: rows._without_missing(name))
        return self if fewer is None else fewer

    def _without_missing(self, name: str) -> Rows | None:
        column = self.schema[name]
        there: NDArray[np.bool_]
        if isinstance(column, Category):
            there = np.asarray(self.codes(name) != column.size)
        else:
            there = ~np.isnan(self.numbers(name))
        if there.all():
            return None
        matrix = None if self._matrix is None else self._matrix[there]
        batch = self._batch.filter(pa.array(there))
        return Rows(batch, self.schema, self.unknown, matrix=matrix, places=self._places)

    @classmethod
    def gathered(cls, parts: Sequence[Rows], places: NDArray[Any]) -> Rows:
        """The records at these places of several rows, counted through."""
        first = parts[0]
        batch = first._batch
        if batch.num_columns:
            table = pa.Table.from_batches([part._batch for part in parts]).take(pa.array(places))
            batch = table.combine_chunks().to_batches()[0] if len(places) else batch.slice(0, 0)
        if first._matrix is None:
            return cls(batch, first.schema, first.unknown)
        matrix, begin = np.empty((len(places), first._matrix.shape[1])), 0
        for part in parts:
            assert part._matrix is not None
            kernels.gather_rows(part._matrix, places, begin, matrix)
            begin += part.size
        return cls(batch, first.schema, first.unknown, matrix=matrix, places=first._places)

    def is_coded(self, key: Key) -> bool:
        """Whether the codes of this column, between these cuts, are known already."""
        return key in self._codes or self.coded_rows(key) is not None

    def coded_rows(self, key: Key) -> CodedRows | None:
        """The codes of this column beside those of others, if they were coded together."""
        return next((each for each in self._beside if key in each.places), None)

    def code_together(self, keys: Iterable[Key], room: Bytes | None = None, begin: int = 0) -> None:
        """Code several numbers of the matrix at once: its rows are read once, and need not be turned.

        The codes are the same as one by one. Columns with infinite values are left. ``room`` is
        for the codes of all keys, from row ``begin`` on.
        """
        coded = self.coded_beside(keys, room, begin)
        if coded is not None:
            self._beside.append(coded)

    def coded_beside(
        self, keys: Iterable[Key], room: Bytes | None = None, begin: int = 0
    ) -> CodedRows | None:
        """The same, for somebody who asks once: it is not kept."""
        columns = self._even(keys)
        if len(columns) < 2 or self._matrix is None:
            return None
        if room is None:
            room = coded_room(self.size, len(columns))
        order = np.arange(begin, begin + self.size, dtype=np.int32)
        places = code_into(self._matrix, columns, room, order, self.schema.missing == "skip")
        return CodedRows(places, room[begin : begin + self.size])

    def code_into(self, keys: Iterable[Key], room: Bytes, to: Places) -> dict[Key, int]:
        """The same, into the rows of ``room`` that ``to`` says, for others to read: they are not kept here.

        Tells in which column there the codes of each key are.
        """
        columns = self._even(keys)
        if self._matrix is None or not columns:
            return {}
        return code_into(self._matrix, columns, room, to, self.schema.missing == "skip")

    def lie_together(self, keys: Collection[Key]) -> bool:
        """Whether all of them can be coded together."""
        return self._matrix is not None and len(self._even(keys)) == len(keys)

    def _even(self, keys: Iterable[Key]) -> dict[Key, Even]:
        """Those that can be coded together, and are not yet: numbers of the matrix, between even cuts."""
        found = {
            key: (self._places[key[0]], column.low, inverse)
            for key in dict.fromkeys(keys)
            if key[0] in self._places and 0 < len(key[1]) <= 254 and not self.is_coded(key)
            if isinstance(column := self.schema[key[0]], Number)
            if 0 < (inverse := _edges(column, key[1])[1]) < MOST_INVERSE
        }
        return {key: found[key] for key in sorted(found, key=lambda key: found[key][0])}

    def lies_in_matrix(self, name: str) -> bool:
        return name in self._places

    def matrix(self, names: Sequence[str]) -> NDArray[np.float64]:
        """The raw numbers of these columns, which lie in the matrix: a record in each row."""
        assert self._matrix is not None
        places = [self._places[name] for name in names]
        whole = places == list(range(self._matrix.shape[1]))
        return self._matrix if whole else np.ascontiguousarray(self._matrix[:, places])

    def codes(self, name: str, cuts: Sequence[float] = ()) -> NDArray[Any]:
        """The code of each value of a category, or the bin of each number between public cuts."""
        key = (name, tuple(cuts))
        if key not in self._codes and (coded := self.coded_rows(key)) is not None:
            columns: dict[Key, NDArray[Any]] = self.once(("columns", coded), lambda _: coded.turned())
            return columns[key]
        if key not in self._codes:
            column = self.schema[name]
            if isinstance(column, Items):
                raise sets_refused(name)
            self._codes[key] = (
                self._category(column) if isinstance(column, Category) else self._binned(column, key[1])
            )
        return self._codes[key]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The raw numbers of a column, missing ones as NaN. Callers clamp to the public bounds themselves."""
        array = self.column(name)
        kind = array.type
        counts = self.schema.outside == "count"
        if kind == _FLOAT64 and not array.null_count and self.schema.missing == "skip":
            # The usual case, and the loop over columns is hot.
            return self._finite(name, array.to_numpy()) if counts else array.to_numpy()
        if pa.types.is_dictionary(kind):
            array, kind = array.dictionary_decode(), kind.value_type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
            if pa.types.is_null(kind):
                return np.full(self.size, np.nan)
            if kind == pa.string_view():
                array, kind = array.cast(pa.large_string()), pa.large_string()
            try:
                if counts and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                    array = numbers_of_texts(array)
                if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
                    raise pa.ArrowInvalid
                if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
                    array = pc.utf8_trim_whitespace(array)
                array = nearest_floats(array) if pa.types.is_decimal(kind) else pc.cast(array, pa.float64())
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                raise DataError(
                    f"Column '{name}' is declared a number, but the table holds something else there.",
                    "Correct the table, or declare the column a category.",
                ) from None
        elif not pa.types.is_float64(kind):
            array = pc.cast(array, pa.float64(), safe=False)
        # With nulls this copies and gives NaN for them; without, it is the column itself.
        values: NDArray[np.float64] = array.to_numpy(zero_copy_only=False)
        if self.schema.missing == "error" and bool(np.isnan(values).any()):
            self._refuse_missing(name)
        return self._finite(name, values) if counts else values

    def stored_numbers(self, name: str) -> NDArray[Any]:
        """The raw numbers of a column; whole numbers that are all there stay as they are stored."""
        array = self.column(name)
        if pa.types.is_integer(array.type) and not array.null_count:
            return np.asarray(array)
        return self.numbers(name)

    def only(self, chosen: NDArray[np.bool_]) -> Rows:
        """The rows that are chosen, from a batch without a matrix."""
        return Rows(self._batch.filter(pa.array(chosen)), self.schema, self.unknown)

    def _finite(self, name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers with the bounds in place of infinities."""
        infinite = np.isinf(values)
        if not infinite.any():
            return values
        column = self.schema[name]
        assert isinstance(column, Number)
        return np.where(infinite, np.where(values > 0, column.high, column.low), values)

    def column(self, name: str) -> Any:
        """The raw cells of a column, as they were read."""
        if name in self._places:
            return self.once("turned", _turned)[self._places[name]]
        place = self._batch.schema.get_field_index(name)
        if place < 0:
            raise DataError(
                f"The table has no column '{name}' (or has it twice), though the schema names it.",
                "Check the spelling, or remove the column from the schema.",
            )
        return self._batch.column(place)

    def _binned(self, column: Number, cuts: tuple[float, ...]) -> NDArray[Any]:
        codes: NDArray[Any] = np.empty(self.size, _code_type(len(cuts) + 2))
        edges, inverse = _edges(column, cuts)
        if not kernels.bin_numbers(self.numbers(column.name), edges, column.low, inverse, codes):
            refuse_infinite(column.name)
        return codes

    def _category(self, column: Category) -> NDArray[Any]:
        array = self.column(column.name)
        missing, unknown = column.size, column.size + 1
        other = column.size - 1 if column.other is not None else unknown
        codes: NDArray[Any] = np.empty(self.size, _code_type(column.size + 2))
        if pa.types.is_null(array.type):
            codes[:] = missing
        elif pa.types.is_integer(array.type):
            self._integers(array, column, other, codes)
        else:
            self._dictionary(array, column, other, codes)
        if array.null_count:
            codes[pc.is_null(array).to_numpy(zero_copy_only=False)] = missing
        if other == unknown and (codes == unknown).any():
            if self.unknown == "error":
                raise DataError(
                    f"Column '{column.name}' holds a value outside its declared domain.",
                    "Add the value to the schema's `values` if it is publicly known to be possible, or set "
                    "`other` to collect all unlisted values in one cell.",
                )
            codes[codes == unknown] = missing
        if self.schema.missing == "error" and (codes == missing).any():
            self._refuse_missing(column.name)
        return codes

    def _integers(self, array: Any, column: Category, other: int, codes: NDArray[Any]) -> None:
        table, low = _integer_table(column, other, codes.dtype)
        # Too wide a domain for a table, or numbers that signed 64 bits do not hold: by the distinct values.
        if table is None or pa.types.is_uint64(array.type):
            self._dictionary(array, column, other, codes)
            return
        values = (array.fill_null(low) if array.null_count else array).to_numpy()
        kernels.look_up(values, table, low, other, codes)

    def _dictionary(self, array: Any, column: Category, other: int, codes: NDArray[Any]) -> None:
        known = {value: code for code, value in enumerate(domain_of_type(column, array.type))}
        if not pa.types.is_dictionary(array.type):
            array = pc.dictionary_encode(array)
        numbers, truths = numbers_of(column), truths_of(column)
        table = np.full(len(array.dictionary), other, codes.dtype)
        for place, value in enumerate(array.dictionary.to_pylist()):
            if value is None or value != value:
                table[place] = column.size
            elif value in known:
                table[place] = known[value]
            elif isinstance(value, str):
                by_truth = truths.get(WORDS.get(value.lower()), other)
                table[place] = numbers.get(as_number(value), by_truth)
        indices = array.indices.fill_null(0) if array.null_count else array.indices
        if len(table):
            kernels.look_up(indices.to_numpy(zero_copy_only=False), table, 0, other, codes)
        else:
            codes[:] = column.size

    def _refuse_missing(self, name: str) -> None:
        raise DataError(
            f"Column '{name}' has missing values, and the schema says  missing = \"error\".",
            'Complete the table, or set  missing = "skip"  in the schema.',
        )


def _turned(rows: Rows) -> list[Any]:
    """The matrix by columns, each in one piece; a few rows at a time, which stay in the cache."""
    matrix = rows._matrix
    assert matrix is not None
    columns = np.empty(matrix.shape[::-1])
    for row in range(0, len(matrix), TURNED_ROWS):
        columns[:, row : row + TURNED_ROWS] = matrix[row : row + TURNED_ROWS].T
    return [pa.array(column) for column in columns]


@lru_cache(maxsize=4096)
def _edges(column: Number, cuts: tuple[float, ...]) -> tuple[NDArray[np.float64], float]:
    """The cuts as an array, and 1 / width where they are evenly spaced (else 0), for the kernels.

    A kernel computes a bin where it is sure of it, if no other value (of the column, or near by) is in doubt,
    so what it is sure of must be what comparing with the cuts gives: else one record in doubt would move
    others. **Proof.** It is sure where (value − low) / width is further than 1e-8 (``bin_numbers``) or 2^-22
    (``code_rows``) from every whole number.
    Let u be half the distance between the largest bound and the next float. The k-th cut is within 1e-9
    widths of the sum that it is compared with here, and that is within u, and k roundings of the width (1e-16
    of it each), of low + k·width. What the kernel computes is off by a few roundings of the value's distance
    from low, at most 1e-15·(cuts + 1) widths. With u ≤ 1e-9 widths, and at most a million cuts, all of it is
    below 5e-9. Where the bounds lie so far from 0 that floats do not tell such distances apart, cuts are
    compared.
    """
    width = (column.high - column.low) / (len(cuts) + 1)
    even = np.allclose(cuts, column.low + width * np.arange(1, len(cuts) + 1), rtol=0, atol=1e-9 * width)
    fine = float(np.spacing(max(abs(column.low), abs(column.high)))) <= 1e-9 * width and len(cuts) < 10**6
    inverse = 1 / width if even and fine and np.isfinite(1 / width) else 0.0
    return np.asarray(cuts, dtype=np.float64), inverse


@lru_cache(maxsize=4096)
def _integer_table(column: Category, other: int, kind: Any) -> tuple[NDArray[Any] | None, int]:
    """The code of each whole number from the lowest to the highest of the domain, and the lowest."""
    numbers = domain_of_type(column, pa.int64())
    domain = {int(v): code for code, v in enumerate(numbers) if v is not None and int(v) == v}
    low, high = (min(domain), max(domain)) if domain else (0, 0)
    if high - low > 1 << 16:
        return None, low
    table = np.full(high - low + 1, other, kind)
    for value, code in domain.items():
        table[value - low] = code
    return table, low


def refuse_infinite(name: str) -> None:
    raise DataError(
        f"Column '{name}' holds an infinite value (infinity).", "Replace infinities by numbers or by missing."
    )


def domain_of_type(column: Category, kind: Any) -> list[Any]:
    """The public domain as values of the table's own type: 1, "1" and 1.0 are the same category."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _distinct(column, [as_number(value) for value in column.values], "number")
    if pa.types.is_boolean(kind):
        return _distinct(column, [_truth(value) for value in column.values], "truth value")
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
        return [str(value) for value in column.values]
    held = "values made of others" if pa.types.is_nested(kind) else kind
    raise DataError(
        f"Column '{column.name}' is declared a category, but the table holds {held} there.",
        "Turn it into text, whole numbers or booleans first.",
    )


def _distinct(column: Category, domain: list[Any], kind: str) -> list[Any]:
    known = [value for value in domain if value is not None]
    if len(set(known)) < len(known):
        raise DataError(
            f"Column '{column.name}' is not text, and two of its declared values are the same {kind}.",
            "Store the column as text, or declare each value once.",
        )
    return domain


@lru_cache(maxsize=4096)
def numbers_of(column: Category) -> dict[Any, int]:
    """The code of each number in a domain, for a text column, where "1.0" is 1.

    Whether a table stores a column as numbers or as text can depend on a single record, so a value must get
    the same code either way. A number that two texts of the domain stand for is none of them.
    """
    return _unambiguous(as_number(value) for value in column.values)


@lru_cache(maxsize=4096)
def truths_of(column: Category) -> dict[Any, int]:
    """The same for truth values, where "TRUE" is true."""
    return _unambiguous(_truth(value) for value in column.values)


def _unambiguous(values: Iterable[Any]) -> dict[Any, int]:
    codes: dict[Any, list[int]] = {}
    for code, value in enumerate(values):
        codes.setdefault(value, []).append(code)
    return {value: places[0] for value, places in codes.items() if value is not None and len(places) == 1}


def _truth(value: Any) -> bool | None:
    return _TRUTH.get(str(value).lower())


def as_number(value: Any) -> Any:
    """The number that a value stands for; whole numbers stay whole, for floats hold only 53 bits of them."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        if not re.fullmatch(NUMERAL, value):
            return None
        try:
            return int(value)
        except ValueError:
            pass
    number = float(value)
    return number if math.isfinite(number) else None


def _code_type(size: int) -> type:
    return np.uint8 if size <= 256 else np.uint16 if size <= 65536 else np.uint32
