"""Which reader reads which file: a table of name endings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from privet.errors import DataError, ParameterError
from privet.schema import Schema
from privet.sources.arff import ArffSource
from privet.sources.arrays import as_source
from privet.sources.base import Source
from privet.sources.csv import CsvSource
from privet.sources.excel import ExcelSource
from privet.sources.files import FilePath
from privet.sources.options import PLAIN, ReadOptions
from privet.sources.parquet import ParquetSource
from privet.sources.plink import PlinkSource
from privet.sources.sql import TableSource
from privet.sources.vcf import VcfSource

__all__ = ["FORMATS", "any_source", "open_source"]

Reader = Callable[[FilePath, Schema | None, ReadOptions], Source]


def _csv(path: FilePath, schema: Schema | None, options: ReadOptions) -> Source:
    return CsvSource(path, schema, options=options)


def _tsv(path: FilePath, schema: Schema | None, options: ReadOptions) -> Source:
    return CsvSource(path, schema, options=replace(options, delimiter=options.delimiter or "\t"))


def _without_options(reader: Callable[[FilePath, Schema | None], Any]) -> Reader:
    """A reader of a format that leaves nothing to say about how its file is written."""

    def read(path: FilePath, schema: Schema | None, options: ReadOptions) -> Source:
        if options != PLAIN:
            raise ParameterError(
                f"Encoding, decimal sign and delimiter are for CSV files, and {Path(path).name} is none.",
                "Leave them out.",
            )
        source: Source = reader(path, schema)
        return source

    return read


FORMATS: dict[str, Reader] = {
    ".csv": _csv,
    ".csv.gz": _csv,
    ".tsv": _tsv,
    ".tsv.gz": _tsv,
    ".xlsx": _without_options(ExcelSource),
    ".arff": _without_options(ArffSource),
    ".arff.gz": _without_options(ArffSource),
    ".parquet": _without_options(lambda path, schema: ParquetSource(path)),
    ".pq": _without_options(lambda path, schema: ParquetSource(path)),
    ".bed": _without_options(lambda path, schema: PlinkSource(path)),
    ".bed.gz": _without_options(lambda path, schema: PlinkSource(path)),
    ".vcf": _without_options(lambda path, schema: VcfSource(path)),
    ".vcf.gz": _without_options(lambda path, schema: VcfSource(path)),
}


def open_source(path: FilePath, schema: Schema | None = None, options: ReadOptions = PLAIN) -> Source:
    """The rows of a file, by the reader that its name asks for; a folder is one of Parquet files.

    ``options`` say how a text file is written (``ReadOptions``). A sheet of an Excel file is named after a
    ``#``: ``people.xlsx#Ward 3``.

    >>> open_source("people.docx")
    Traceback (most recent call last):
    ...
    privet.errors.DataError: Privet does not know what kind of table people.docx is.
      What to do: Name it by what it holds: .csv, .csv.gz, .tsv, .tsv.gz, .xlsx, .arff, .arff.gz, .parquet, .pq, .bed, .bed.gz, .vcf, .vcf.gz
    """
    name = Path(path).name.lower()
    if ".xlsx#" in name:
        name = name.partition("#")[0]
    for ending, reader in FORMATS.items():
        if name.endswith(ending):
            return reader(path, schema, options)
    if Path(path).is_dir():
        return _without_options(lambda path, schema: ParquetSource(path))(path, schema, options)
    raise DataError(
        f"Privet does not know what kind of table {Path(path).name} is.",
        f"Name it by what it holds: {', '.join(FORMATS)}",
    )


def any_source(data: Any) -> Source:
    """The source that a file, a table of a database, a frame or an array stands for."""
    if isinstance(data, str | Path):
        return open_source(data)
    return TableSource(data) if hasattr(data, "to_pyarrow_batches") else as_source(data)
