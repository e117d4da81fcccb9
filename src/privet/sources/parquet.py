"""Parquet files, and folders of them, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from privet.errors import DataError
from privet.sources.base import BATCH_ROWS
from privet.sources.files import FilePath, reading
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct

__all__ = ["ParquetSource", "table_format"]

CELLS = 1 << 20
_BUFFER = 1 << 18  # bytes of a column that are read at a time


class ParquetSource(Named):
    """The rows of a Parquet file, or of the ``.parquet`` files of a folder in the order of their names.

    A folder of a table format (Delta, Iceberg, Hudi) is refused: beside its rows it keeps those that were
    deleted, and only its log says which are which.

    Text comes as Arrow dictionaries, so that a repeated value is stored and looked up once a batch.

    >>> import tempfile
    >>> from pyarrow import parquet
    >>> path = Path(tempfile.mkdtemp()) / "people.parquet"
    >>> parquet.write_table(pa.table({"age": [30, 40], "sex": ["f", "m"]}), path)
    >>> [batch.to_pydict() for batch in ParquetSource(path).batches(["sex"])]
    [{'sex': ['f', 'm']}]
    """

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        self._paths = [self.path]
        _refuse_table_formats(self.path)
        if self.path.is_dir():
            self._paths = sorted(p for p in self.path.rglob("*") if p.suffix in (".parquet", ".pq"))
            if not self._paths:
                raise DataError(f"The folder {self.path.name} holds no .parquet file.", "Check its path.")
        # Imported where it is used: it brings in remote file systems, which counting a genome does without.
        from pyarrow import parquet

        with _explained(self._paths[0]), parquet.ParquetFile(self._paths[0]) as file:
            self._schema = file.schema_arrow
        self._fixed = [_partition(path, self.path) for path in self._paths]
        if len({tuple(name for name, _ in fixed) for fixed in self._fixed}) > 1:
            raise DataError(
                f"Some files of {self.path.name} are in partitions (folders name=value), and some are not.",
                "Keep all files in folders of the same depth.",
            )
        self._names = distinct([*self._schema.names, *(name for name, _ in self._fixed[0])])
        self._texts = [
            f.name for f in self._schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
        ]

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        for path, fixed in zip(self._paths, self._fixed, strict=True):
            yield from ParquetPart(path, None, tuple(self._texts), fixed).batches(wanted)

    def parts(self, wanted: int) -> list[ParquetPart]:
        """About so many parts of whole row groups, in the order of the rows; none spans two files."""
        from pyarrow import parquet

        sizes = []
        for path in self._paths:
            with _explained(path), parquet.ParquetFile(path) as file:
                groups = file.metadata.num_row_groups
                sizes.append([file.metadata.row_group(group).num_rows for group in range(groups)])
        most = -(-sum(map(sum, sizes)) // max(wanted, 1))
        parts = []
        for path, fixed, rows in zip(self._paths, self._fixed, sizes, strict=True):
            held: list[int] = []
            for group, number in enumerate(rows):
                if held and sum(rows[each] for each in held) + number > most:
                    parts.append(ParquetPart(path, tuple(held), tuple(self._texts), fixed))
                    held = []
                held.append(group)
            if held:
                parts.append(ParquetPart(path, tuple(held), tuple(self._texts), fixed))
        return parts

    def table(self) -> Any:
        from privet.sources.duckdb import parquet_table

        return parquet_table(self._paths, hive=bool(self._fixed[0]))


@dataclass(frozen=True)
class ParquetPart:
    """Some row groups of one file, or all of them; a value, which can be sent to other processes."""

    path: Path
    groups: tuple[int, ...] | None
    texts: tuple[str, ...]
    #: What the folders' names say of all its rows.
    fixed: tuple[tuple[str, str | None], ...] = ()

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        from pyarrow import parquet

        with (
            _explained(self.path),
            # pre_buffer would hold a whole row group's bytes, and no buffer_size a whole column: memory that
            # is new each time. A mapped file would end this process if somebody cut it off meanwhile.
            parquet.ParquetFile(
                self.path, read_dictionary=list(self.texts), pre_buffer=False, buffer_size=_BUFFER
            ) as file,
        ):
            fixed = dict(self.fixed)
            wanted = list((*file.schema_arrow.names, *fixed) if columns is None else columns)
            stored = [name for name in wanted if name not in fixed]
            if set(stored) - set(file.schema_arrow.names):
                raise DataError(
                    f"The file {self.path.name} lacks columns that the first file of its folder has.",
                    "Keep files with different columns in different folders.",
                )
            # Of few columns more rows stay in the cache, and each batch costs the same.
            rows = min(max(CELLS // max(len(stored), 1), BATCH_ROWS), 4 * BATCH_ROWS)
            # Decoding few columns on several cores costs a sixth more than it is worth.
            batches = file.iter_batches(
                batch_size=rows, row_groups=self.groups, columns=stored, use_threads=len(stored) > 4
            )
            for batch in batches:
                for name in set(fixed) & set(wanted):
                    batch = batch.append_column(name, _repeated(fixed[name], batch.num_rows))
                batch = batch.select(wanted)
                yield batch
                del batch  # else it would stay while the next is read


def _repeated(value: str | None, rows: int) -> pa.Array:
    """The same text in all rows, stored once."""
    codes = pa.array(np.zeros(rows, np.int32), mask=np.full(rows, value is None))
    return pa.DictionaryArray.from_arrays(codes, pa.array([value or ""]))


def _partition(path: Path, folder: Path) -> tuple[tuple[str, str | None], ...]:
    """The columns that Hive's way of naming folders declares, as texts.

    >>> _partition(Path("t/year=2026/ward=a%20b/x.parquet"), Path("t"))
    (('year', '2026'), ('ward', 'a b'))
    """
    if path == folder:
        return ()
    named = [part.partition("=") for part in path.relative_to(folder).parts[:-1] if "=" in part]
    return tuple((unquote(name), None if value == _NULL else unquote(value)) for name, _, value in named)


_NULL = "__HIVE_DEFAULT_PARTITION__"


# What each table format keeps beside its Parquet files.
_TABLE_FORMATS = {"Delta": "_delta_log", "Iceberg": "metadata/*.metadata.json", "Hudi": ".hoodie"}


def table_format(folder: Path) -> str | None:
    """The format of the table that this folder is; None if it is not one."""
    return next((kind for kind, mark in _TABLE_FORMATS.items() if any(folder.glob(mark))), None)


def _refuse_table_formats(path: Path) -> None:
    """Refuse a folder that holds such a table, and a part of one."""
    for kind, mark in _TABLE_FORMATS.items():
        above = (folder for folder in path.absolute().parents if any(folder.glob(mark)))
        if any(above) or (path.is_dir() and any(path.rglob(mark))):
            raise DataError(
                f"{path.name} belongs to a {kind} table, whose files still hold rows that were deleted.",
                "Give the folder of a Delta or Iceberg table itself. Or export the table as it is now to a "
                "file such as people.parquet.",
            )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the errors of a file that is damaged, or no Parquet file at all, into ones that say so."""
    try:
        with reading(path):
            yield
    except pa.ArrowException:
        raise DataError(f"The file {path.name} is no Parquet file or damaged.", "Copy it again.") from None
