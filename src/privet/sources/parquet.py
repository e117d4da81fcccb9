"""Parquet files, and folders of them, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import DataError
from privet.schema import Schema
from privet.sources.base import BATCH_ROWS
from privet.sources.files import FilePath, reading
from privet.sources.projection import chosen, distinct

__all__ = ["ParquetSource"]


class ParquetSource:
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
        self._names = distinct(self._schema.names)
        self._texts = [
            f.name for f in self._schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
        ]

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def declared(self) -> Schema | None:
        return None

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        from pyarrow import parquet

        wanted = chosen(self._names, columns)
        for path in self._paths:
            with (
                _explained(path),
                # pre_buffer would hold a whole row group's bytes; mapping would count as resident memory.
                parquet.ParquetFile(path, read_dictionary=self._texts, pre_buffer=False) as file,
            ):
                if set(wanted) - set(file.schema_arrow.names):
                    raise DataError(
                        f"The file {path.name} lacks columns that {self._paths[0].name} has.",
                        "Keep files with different columns in different folders.",
                    )
                for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=wanted):
                    yield batch.select(wanted)

    def table(self) -> Any:
        from privet.sources.duckdb import parquet_table

        return parquet_table(self._paths)


# What each table format keeps beside its Parquet files.
_TABLE_FORMATS = {
    "Delta": ("_delta_log", "delta_scan"),
    "Iceberg": ("metadata/*.metadata.json", "iceberg_scan"),
    "Hudi": (".hoodie", None),
}


def _refuse_table_formats(path: Path) -> None:
    """Refuse a folder that holds such a table, and a part of one."""
    for kind, (mark, scan) in _TABLE_FORMATS.items():
        above = (folder for folder in path.absolute().parents if any(folder.glob(mark)))
        if any(above) or (path.is_dir() and any(path.rglob(mark))):
            how = f"DuckDB's {scan} reads it" if scan else "its own library reads it"
            raise DataError(
                f"{path.name} belongs to a {kind} table, whose files still hold rows that were deleted.",
                f"Export the table as it is now to a file such as people.parquet ({how}), or give Privet a "
                "table of a database that reads it.",
            )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the errors of a file that is damaged, or no Parquet file at all, into ones that say so."""
    try:
        with reading(path):
            yield
    except pa.ArrowException:
        raise DataError(f"The file {path.name} is no Parquet file or damaged.", "Copy it again.") from None
