"""Files as DuckDB tables, with the same values as the streams of Arrow batches give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import MissingExtra
from privet.schema.number_texts import NUMBER
from privet.sources.csv_header import Header

__all__ = ["csv_table", "parquet_table"]


def _connect() -> tuple[Any, Any]:
    try:
        import ibis

        return ibis, ibis.duckdb.connect()
    except ImportError:
        raise MissingExtra.of("sql", "Reading a file through DuckDB") from None


def parquet_table(paths: Sequence[Path], hive: bool = False) -> Any:
    """Parquet files as one lazy Ibis table."""
    _, connection = _connect()
    # Columns of folders' names are text, as Privet itself reads them.
    how = {"hive_partitioning": True, "hive_types_autocast": False} if hive else {"hive_partitioning": False}
    return connection.read_parquet([str(path) for path in paths], **how)


def csv_table(
    path: Path,
    types: Mapping[str, pa.DataType | None],
    header: Header,
    missing: Sequence[str],
    decimals: str = ".",
    counts: bool = False,
) -> Any:
    """A CSV file as a lazy Ibis table; ``types`` gives the Arrow type of each column, None for text.

    ``decimals`` are the signs that may mark decimals: a point, a comma, or either.

    Every cell is read as text and then trimmed, recognised as missing and cast by expressions, since DuckDB's
    own reader does these in ways of its own. If it ``counts``, a text in a number's column is missing;
    else it stops the query with an error that names the column; DuckDB's own cast would quote the text.
    """
    ibis, connection = _connect()

    @ibis.udf.scalar.builtin(name="error")
    def refuse(message: str) -> float:  # DuckDB's own function `error`
        raise NotImplementedError

    raw = connection.read_csv(
        str(path),
        columns=dict.fromkeys(types, "VARCHAR"),
        header=True,
        auto_detect=False,
        delim=header.delimiter,
        skip=header.skip,
        quote='"',
        escape='"',
        nullstr="",
    )
    cells = {}
    for name, kind in types.items():
        text = raw[name].strip()
        text = ibis.ifelse(text.isin(list(missing)), ibis.null("string"), text)
        if kind is None:
            cells[name] = text
            continue
        numeral = text
        if decimals == ",":
            numeral = ibis.ifelse(text.contains("."), ibis.null("string"), text)
        if "," in decimals:
            numeral = numeral.replace(",", ".")
        if counts:
            cells[name] = numeral.re_search(NUMBER).ifelse(numeral.try_cast("float64"), None)
            continue
        number = numeral.try_cast("int64" if pa.types.is_integer(kind) else "float64")
        refused = refuse(f"Column '{name}' of {path.name} holds text where the schema says number.")
        wrong = text.notnull() & number.isnull()
        cells[name] = ibis.ifelse(wrong, refused.cast(number.type()), number)
    return raw.select(**cells)
