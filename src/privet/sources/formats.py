"""Which reader reads which file: a table of name endings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from privet.errors import DataError, ParameterError
from privet.schema import Schema
from privet.sources.address import scheme_of, without_password
from privet.sources.arff import ArffSource
from privet.sources.arrays import as_source
from privet.sources.base import Source
from privet.sources.baskets import BasketSource
from privet.sources.c45 import C45Source
from privet.sources.csv import CsvSource
from privet.sources.delta import DeltaSource
from privet.sources.excel import ExcelSource
from privet.sources.files import COMPRESSED, FilePath
from privet.sources.iceberg import IcebergSource
from privet.sources.ipc import IpcSource
from privet.sources.json_arff import JsonArffSource
from privet.sources.libsvm import LibsvmSource
from privet.sources.matlab import MatlabSource
from privet.sources.options import PLAIN, ReadOptions
from privet.sources.parquet import ParquetSource, table_format
from privet.sources.plink import PlinkSource
from privet.sources.postgres import PostgresSource
from privet.sources.remote import fetched, from_standard_input
from privet.sources.spark import spark_table
from privet.sources.sql import TableSource
from privet.sources.vcf import VcfSource
from privet.sources.weka_writers import write_c45, write_json_arff, write_libsvm, write_xrff
from privet.sources.writers import write_arff, write_csv, write_ipc, write_parquet
from privet.sources.xrff import XrffSource

__all__ = ["FORMATS", "WRITERS", "any_source", "open_source"]

Reader = Callable[[FilePath, Schema | None, ReadOptions], Source]


def _name(path: FilePath) -> str:
    return Path(path).name if scheme_of(path) is None else without_password(path)


def _csv(path: FilePath, schema: Schema | None, options: ReadOptions) -> Source:
    return CsvSource(path, schema, options=options)


def _tsv(path: FilePath, schema: Schema | None, options: ReadOptions) -> Source:
    return CsvSource(path, schema, options=replace(options, delimiter=options.delimiter or "\t"))


def _without_options(reader: Callable[[FilePath, Schema | None], Any]) -> Reader:
    """A reader of a format that leaves nothing to say about how its file is written."""

    def read(path: FilePath, schema: Schema | None, options: ReadOptions) -> Source:
        if options != PLAIN:
            raise ParameterError(
                f"Encoding, decimal sign and delimiter are for CSV files, and {_name(path)} is none.",
                "Leave them out.",
            )
        source: Source = reader(path, schema)
        return source

    return read


def _compressed(ending: str, reader: Reader) -> dict[str, Reader]:
    return {ending: reader} | {ending + how: reader for how in COMPRESSED}


FORMATS: dict[str, Reader] = {
    **_compressed(".csv", _csv),
    **_compressed(".tsv", _tsv),
    ".xlsx": _without_options(ExcelSource),
    **_compressed(".arff", _without_options(ArffSource)),
    **_compressed(".xrff", _without_options(XrffSource)),
    ".metadata.json": _without_options(lambda path, schema: IcebergSource(path)),
    **_compressed(".json", _without_options(JsonArffSource)),
    **_compressed(".libsvm", _without_options(LibsvmSource)),
    **_compressed(".basket", _without_options(BasketSource)),
    ".names": _without_options(C45Source),
    ".data": _without_options(C45Source),
    ".mat": _without_options(lambda path, schema: MatlabSource(path)),
    ".feather": _without_options(lambda path, schema: IpcSource(path)),
    ".arrow": _without_options(lambda path, schema: IpcSource(path)),
    ".parquet": _without_options(lambda path, schema: ParquetSource(path)),
    ".pq": _without_options(lambda path, schema: ParquetSource(path)),
    ".bed": _without_options(lambda path, schema: PlinkSource(path)),
    ".bed.gz": _without_options(lambda path, schema: PlinkSource(path)),
    ".vcf": _without_options(lambda path, schema: VcfSource(path)),
    ".vcf.gz": _without_options(lambda path, schema: VcfSource(path)),
}


#: What is written, by the ending of the name. All of it is read, too.
WRITERS: dict[str, Callable[..., None]] = {
    ".csv": write_csv,
    ".csv.gz": write_csv,
    ".parquet": write_parquet,
    ".pq": write_parquet,
    ".feather": write_ipc,
    ".arrow": write_ipc,
    ".arff": write_arff,
    ".arff.gz": write_arff,
    ".xrff": write_xrff,
    ".xrff.gz": write_xrff,
    ".json": write_json_arff,
    ".json.gz": write_json_arff,
    ".names": write_c45,
    ".data": write_c45,
    ".libsvm": write_libsvm,
}

#: Folders of a table format, by its name; any other is one of Parquet files.
FOLDERS: dict[str | None, Callable[[FilePath], Source]] = {"Delta": DeltaSource, "Iceberg": IcebergSource}

#: What is read by its address.
ADDRESSES: dict[str, Reader] = {
    "postgresql": _without_options(PostgresSource),
    "postgres": _without_options(PostgresSource),
    "spark": _without_options(lambda place, schema: spark_table(place)),
    "https": lambda place, schema, options: open_source(fetched(place), schema, options),
    "http": lambda place, schema, options: open_source(fetched(place), schema, options),
    "s3": lambda place, schema, options: open_source(fetched(place), schema, options),
}


def open_source(path: FilePath, schema: Schema | None = None, options: ReadOptions = PLAIN) -> Source:
    """The rows of a file, by the reader that its name asks for; a folder is one of Parquet files, or of a
    Delta or Iceberg table.

    An address is one of ``ADDRESSES``; ``-`` is CSV on standard input.

    ``options`` say how a text file is written (``ReadOptions``). A sheet of an Excel file is named after a
    ``#``: ``people.xlsx#Ward 3``.

    >>> open_source("people.docx")
    Traceback (most recent call last):
    ...
    privet.errors.DataError: Privet does not know what kind of table people.docx is.
      What to do: Name it by what it holds: .csv, .csv.gz, ..., .vcf, .vcf.gz
    """
    if str(path) == "-":
        return CsvSource(from_standard_input(), schema, options=options)
    if (scheme := scheme_of(path)) is not None:
        if scheme in ADDRESSES:
            return ADDRESSES[scheme](path, schema, options)
        raise DataError(
            f"Privet does not know how to read from {scheme}://.",
            f"What it reads besides files: {', '.join(f'{known}://' for known in ADDRESSES)}",
        )
    name = Path(path).name.lower()
    if ".xlsx#" in name:
        name = name.partition("#")[0]
    for ending, reader in FORMATS.items():
        if name.endswith(ending):
            return reader(path, schema, options)
    if Path(path).is_dir():
        kind = FOLDERS.get(table_format(Path(path)), ParquetSource)
        return _without_options(lambda path, schema: kind(path))(path, schema, options)
    raise DataError(
        f"Privet does not know what kind of table {Path(path).name} is.",
        f"Name it by what it holds: {', '.join(FORMATS)}",
    )


def any_source(data: Any) -> Source:
    """The source that a file, a table of a database, a frame or an array stands for."""
    if isinstance(data, str | Path):
        return open_source(data)
    return TableSource(data) if hasattr(data, "to_pyarrow_batches") else as_source(data)
