"""Which reader reads which file: a table of name endings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from privet.errors import DataError
from privet.schema import Schema
from privet.sources.arff import ArffSource
from privet.sources.base import Source
from privet.sources.csv import CsvSource
from privet.sources.files import FilePath
from privet.sources.parquet import ParquetSource
from privet.sources.plink import PlinkSource
from privet.sources.vcf import VcfSource

__all__ = ["FORMATS", "open_source"]

FORMATS: dict[str, Callable[[FilePath, Schema | None], Source]] = {
    ".csv": CsvSource,
    ".csv.gz": CsvSource,
    ".tsv": lambda path, schema: CsvSource(path, schema, delimiter="\t"),
    ".tsv.gz": lambda path, schema: CsvSource(path, schema, delimiter="\t"),
    ".arff": ArffSource,
    ".arff.gz": ArffSource,
    ".parquet": lambda path, schema: ParquetSource(path),
    ".pq": lambda path, schema: ParquetSource(path),
    ".bed": lambda path, schema: PlinkSource(path),
    ".vcf": lambda path, schema: VcfSource(path),
    ".vcf.gz": lambda path, schema: VcfSource(path),
}


def open_source(path: FilePath, schema: Schema | None = None) -> Source:
    """The rows of a file, by the reader that its name asks for; a folder is one of Parquet files.

    >>> open_source("people.xlsx")
    Traceback (most recent call last):
    ...
    privet.errors.DataError: Privet does not know what kind of table people.xlsx is.
      What to do: Name it by what it holds: .csv, .csv.gz, .tsv, .tsv.gz, .arff, .arff.gz, .parquet, .pq, .bed, .vcf, .vcf.gz
    """
    name = Path(path).name.lower()
    for ending, reader in FORMATS.items():
        if name.endswith(ending):
            return reader(path, schema)
    if Path(path).is_dir():
        return ParquetSource(path)
    raise DataError(
        f"Privet does not know what kind of table {Path(path).name} is.",
        f"Name it by what it holds: {', '.join(FORMATS)}",
    )
