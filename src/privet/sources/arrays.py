"""Rows that are in memory already: NumPy arrays, lists, data frames and Arrow tables.

Nothing is copied as a whole. A column that lies in one piece (a Fortran-ordered array, a data frame's column)
is handed out as slices of itself; one that lies in strides (a column of a C-ordered array) is gathered block
by block, in blocks small enough that the rows read for the first column are still in the cache for the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from privet.errors import DataError
from privet.schema import Schema
from privet.sources.base import BATCH_ROWS, Source
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct

__all__ = ["ArraySource", "ArrowSource", "Columns", "FrameSource", "as_array", "as_source", "refuse_lazy"]

# Bytes of a strided block, and rows of it that are turned into columns at a time: both sides of the copy then
# stay in the nearest caches, and the cost of handling a block is spread over many rows.
_BLOCK_BYTES = 10 << 20
_TURNED_ROWS = 512
# Bytes of a block that stays as it lies: whoever reads it takes a few rows at a time.
_MATRIX_BYTES = 40 << 20
_INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


class ArrowSource(Named):
    """The rows of an Arrow table.

    >>> next(ArrowSource(pa.table({"age": [30, 40], "sex": ["f", "m"]})).batches(["sex"])).to_pydict()
    {'sex': ['f', 'm']}
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._names = distinct(table.column_names)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        for batch in self._table.select(chosen(self._names, columns)).to_batches(max_chunksize=BATCH_ROWS):
            yield _without_views(batch)


def _without_views(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Texts that are views, as polars has them, in a type from which Arrow can choose some rows."""
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    if not any(field.type in views for field in batch.schema):
        return batch
    columns = [each.cast(views[each.type]) if each.type in views else each for each in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


class Columns:
    """Columns side by side, each a NumPy array (any stride) or an Arrow array, read in blocks of rows."""

    def __init__(self, columns: dict[str, Any]) -> None:
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise DataError("The columns do not all have the same number of rows.", "Check X against y.")
        self._columns = columns
        self._rows = lengths.pop() if lengths else 0
        self._types: dict[str, pa.DataType] = {}
        #: Reads a block of a column of objects cell by cell; None if all must be of one kind.
        self.reader: Callable[[str, Any], pa.Array | None] | None = None
        # Columns that are one C-ordered array, and their places in it: they are turned block by block.
        self._matrix: np.ndarray | None = None
        self._places: dict[str, int] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = {name: self._ready(name) for name in chosen(self.names, columns)}
        step = _block_rows(wanted.values())
        matrix = [name for name in wanted if name in self._places]
        for start in range(0, self._rows, step):
            turned = self._turned(matrix, start, start + step)
            arrays = [
                turned[name] if name in turned else self._block(name, column[start : start + step])
                for name, column in wanted.items()
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=list(wanted))

    def _turned(self, names: list[str], start: int, stop: int) -> dict[str, pa.Array]:
        """These columns of the matrix, from row to row, each in one piece."""
        if self._matrix is None or not names:
            return {}
        places = [self._places[name] for name in names]
        block = self._matrix[start:stop]
        if places != list(range(block.shape[1])):
            block = block[:, places]
        columns = np.empty(block.shape[::-1], block.dtype)
        for row in range(0, len(block), _TURNED_ROWS):
            columns[:, row : row + _TURNED_ROWS] = block[row : row + _TURNED_ROWS].T
        return {name: pa.array(column) for name, column in zip(names, columns, strict=True)}

    def table(self) -> None:
        return None

    def declared(self) -> Schema | None:
        return None

    def _ready(self, name: str) -> Any:
        """The column as NumPy or Arrow has it; a column that is never read is never converted."""
        self._columns[name] = _column(name, self._columns[name])
        return self._columns[name]

    def _block(self, name: str, block: Any) -> pa.Array:
        if isinstance(block, pa.ChunkedArray):
            block = block.combine_chunks()
        if isinstance(block, pa.Array):
            return block
        if block.dtype.kind == "O":
            if self.reader is not None and (read := self.reader(name, block)) is not None:
                return read
            if name not in self._types:
                self._types[name] = _object_type(name, self._columns[name])
            try:
                return pa.array(block, type=self._types[name], from_pandas=True)
            except pa.ArrowInvalid:  # beside real numbers, a whole one that none of them equals
                raise _mixed(name) from None
        try:
            # Not from_pandas: looking for NaN would be a pass of its own, and whoever reads numbers sees NaN.
            return pa.array(_readable(name, np.ascontiguousarray(block)))
        except UnicodeError:
            cells = np.array([_decoded(cell) for cell in block.tolist()], dtype=object)
            if self.reader is not None and (read := self.reader(name, cells)) is not None:
                return read
            raise DataError(f"Column '{name}' holds text that is not Unicode.", "Correct it.") from None


def _block_rows(columns: Any) -> int:
    strided = [c for c in columns if isinstance(c, np.ndarray) and not c.flags.c_contiguous]
    row_bytes = sum(column.dtype.itemsize for column in strided)
    return min(BATCH_ROWS, max(1024, _BLOCK_BYTES // row_bytes)) if row_bytes else BATCH_ROWS


def _object_type(name: str, column: np.ndarray) -> pa.DataType:
    """The one type of a column of Python objects, found block by block."""
    found: set[pa.DataType] = set()
    for start in range(0, len(column), BATCH_ROWS):
        try:
            found.add(pa.array(column[start : start + BATCH_ROWS], from_pandas=True).type)
        except (pa.ArrowException, OverflowError, ValueError, TypeError):
            raise _mixed(name) from None
    found.discard(pa.null())
    if not found:
        return pa.float64()
    if len(found) > 1:
        if not all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in found):
            raise _mixed(name)
        return pa.float64()
    kind = found.pop()
    return pa.float64() if pa.types.is_floating(kind) else kind


def _mixed(name: str) -> DataError:
    return DataError(
        f"Column '{name}' mixes text, numbers or other kinds of values.",
        "Make it all numbers or all text.",
    )


def _decoded(cell: str | bytes) -> str:
    """The text of a cell, in which what is no character stays recognisable as half of one."""
    return cell.decode("utf-8", "surrogateescape") if isinstance(cell, bytes) else cell


def _readable(name: str, block: np.ndarray) -> np.ndarray:
    """A block in a type that Arrow has; dates pass, for whoever reads them to refuse."""
    kind = block.dtype.kind
    if kind in "iubfMm":
        if kind == "f" and block.dtype.itemsize not in (4, 8):  # half and extended
            return block.astype(np.float64 if block.dtype.itemsize > 8 else np.float32)
        return block if block.dtype.isnative else block.astype(block.dtype.newbyteorder("="))
    if kind == "U":
        return block
    if kind == "S":
        return np.char.decode(block, "utf-8")
    raise DataError(
        f"Column '{name}' holds {block.dtype}, which Privet does not read.", "Turn it into numbers or text."
    )


def as_array(data: Any) -> np.ndarray:
    """An array in which values stay what they are, whatever stands beside them.

    NumPy gives a list one type for all its records: beside one text, every number becomes a text, and beside
    one number, every truth value a number. One record would change how all the others are read. So a list
    that mixes kinds becomes an array of objects, and a column of it that does is refused when it is read.

    >>> as_array([[1.0, "a"], [2.0, "b"]]).tolist(), as_array([True, 2]).dtype
    ([[1.0, 'a'], [2.0, 'b']], dtype('O'))
    """
    if isinstance(data, np.ma.MaskedArray):
        raise DataError("Privet does not read masked arrays.", "Pass X.filled(np.nan), say.")
    if isinstance(data, np.ndarray):
        return data
    if hasattr(data, "tocsr"):
        raise DataError("Privet does not read sparse matrices.", "Pass X.toarray() or a file.")
    try:
        array = np.asarray(data)
        if array.dtype.kind in "iufb" and (hasattr(data, "dtype") or _alike(data, array)):
            return array
        return np.asarray(data, dtype=object)
    except (ValueError, TypeError, OverflowError):
        raise DataError("The rows do not all have the same length.", "Give a rectangular table.") from None


def _alike(data: Any, array: np.ndarray) -> bool:
    """Whether all values are truth values, or all numbers that this array of them holds exactly."""
    types = set(map(type, np.asarray(data, dtype=object).ravel().tolist()))
    if types <= {bool, np.bool_}:
        return True
    if any(issubclass(one, bool | np.bool_) for one in types):
        return False
    whole = any(issubclass(one, int | np.integer) for one in types)
    return array.dtype.kind != "f" or not whole or not bool((np.abs(array) > 2**53).any())


class ArraySource(Columns):
    """The rows of a two-dimensional array or list of lists, with a target column beside it if there is one.

    >>> ArraySource([[1.0, "a"], [2.0, "b"]], [0, 1], names=["size", "kind"]).names
    ('size', 'kind', 'target')
    """

    def __init__(
        self, X: Any, y: Any = None, names: Sequence[str] | None = None, target: str | None = None
    ) -> None:
        X = as_array(X)
        if X.ndim != 2:
            raise DataError(
                f"Expected a table of rows and columns, not an array of {X.ndim} dimension(s).",
                "Reshape your data with X.reshape(-1, 1) for one column or X.reshape(1, -1) for one row.",
            )
        names = [f"x{place}" for place in range(X.shape[1])] if names is None else list(names)
        if len(names) != X.shape[1]:
            raise DataError(f"There are {len(names)} names for {X.shape[1]} columns.", "Give one for each.")
        columns = [*X.T]
        if y is not None:
            names.append(target or "target")
            columns.append(_one_column(y))
        texts = distinct(names)
        super().__init__(dict(zip(texts, columns, strict=True)))
        if X.flags.c_contiguous and X.dtype.isnative and X.dtype in (*_INTEGERS, np.float32, np.float64):
            self._matrix = X
            self._places = {name: place for place, name in enumerate(texts[: X.shape[1]])}

    @property
    def matrix(self) -> np.ndarray | None:
        """The attributes, if they are numbers of double precision that lie side by side."""
        return self._matrix if self._matrix is not None and self._matrix.dtype == np.float64 else None

    def blocks(
        self, columns: Sequence[str], most: int | None = None
    ) -> Iterator[tuple[pa.RecordBatch, np.ndarray, dict[str, int]]]:
        """The rows like ``batches``, but what lies in the matrix stays there: beside each batch.

        A block has at most so many rows, if that is said.
        """
        assert self.matrix is not None
        places = {name: place for name, place in self._places.items() if name in columns}
        rest = [name for name in columns if name not in places]
        step = most or max(1024, _MATRIX_BYTES // max(self.matrix.strides[0], 1))
        others = {name: self._ready(name) for name in rest}
        for start in range(0, self._rows, step):
            arrays = [self._block(name, column[start : start + step]) for name, column in others.items()]
            batch = pa.RecordBatch.from_arrays(arrays, names=rest)
            yield batch, self.matrix[start : start + step], places


class FrameSource(Columns):
    """The rows of a pandas data frame, with a target column beside it if there is one."""

    def __init__(self, frame: Any, y: Any = None, target: str | None = None) -> None:
        names = [*frame.columns]
        columns = [frame.iloc[:, place] for place in range(len(names))]
        if y is not None:
            names, columns = (
                [*names, target or getattr(y, "name", None) or "target"],
                [*columns, _one_column(y)],
            )
        texts = distinct(names)
        super().__init__(dict(zip(texts, columns, strict=True)))


def _one_column(y: Any) -> Any:
    if hasattr(y, "iloc") and getattr(y, "ndim", 1) == 1:
        return y
    array = as_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError("The target must be one column.", "Pass y with one value for each row.")
    return array


def _column(name: str, column: Any) -> Any:
    """A NumPy view where the values lie in NumPy's memory, else an Arrow array (categories, text)."""
    if isinstance(column, np.ndarray | pa.Array | pa.ChunkedArray):
        return column
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    try:
        return pa.array(column, from_pandas=True)
    except UnicodeError:  # one cell is no Unicode text: whoever reads objects cell by cell counts it
        return column.to_numpy(dtype=object)
    except (pa.ArrowException, TypeError, ValueError):
        raise DataError(
            f"Column '{name}' holds values that Privet does not read.", "Turn it into text."
        ) from None


def refuse_lazy(data: Any) -> None:
    """Refuse a LazyFrame of polars: it has no rows yet, and each read might find others."""
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):
        raise DataError(
            "A lazy frame is a query that has not been run.",
            "Pass frame.collect(), or the file that it reads.",
        )


def as_source(
    data: Any, y: Any = None, *, names: Sequence[str] | None = None, target: str | None = None
) -> Source:
    """A source of whatever holds rows in memory; a source is returned as it is.

    >>> as_source(pa.table({"age": [30]})).names
    ('age',)
    """
    if y is None and isinstance(data, Source):
        return data
    refuse_lazy(data)
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return FrameSource(data, y, target)
    if hasattr(data, "__arrow_c_stream__"):
        table = data if isinstance(data, pa.Table) else pa.table(data)
        if y is not None:
            name = target or "target"
            blocks = list(Columns({name: _one_column(y)}).batches())
            if sum(block.num_rows for block in blocks) != table.num_rows:
                raise DataError("The table and the target do not have the same number of rows.")
            column = pa.Table.from_batches(blocks).column(0) if blocks else pa.nulls(0)
            table = table.append_column(name, column)
        return ArrowSource(table)
    return ArraySource(data, y, names, target)
