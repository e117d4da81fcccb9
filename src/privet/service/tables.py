"""Tables as a run needs them: read by the engine asked for, and watched.

Before a run is paid for, no record is read: the file must be there and have the schema's columns. If the
schema counts what is outside it, as it does in every run that a ledger pays for, no cell can stop the run:
whoever may vary the schema would otherwise learn from refusals, for free, whether a value occurs.

Whoever runs without a ledger holds the table, and is helped by refusals: a table that does not fit its schema
is refused at its first reading, and one without any record when it is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import DataError, ParameterError
from privet.schema import Items, Schema
from privet.service.common import ENGINES
from privet.service.session import Watch
from privet.sources import Source, TableSource, open_source
from privet.sources.around import Around
from privet.sources.options import PLAIN, ReadOptions
from privet.sources.parts import PartedSource
from privet.sources.processes import Processes
from privet.sources.spark import SparkSource
from privet.stats import Rows
from privet.stats.item_sets import sets_of

__all__ = [
    "CheckedSource",
    "CheckedTable",
    "check_batch",
    "columns_of_file",
    "database_errors",
    "open_table",
    "read_table",
    "require_columns",
]


def open_table(
    path: str | Path,
    schema: Schema | None = None,
    *,
    engine: str = "auto",
    watch: Watch | None = None,
    options: ReadOptions | None = None,
) -> Source:
    """The table in a file, to be read by Privet itself (``auto``, ``memory``) or by DuckDB.

    >>> open_table("people.csv", engine="abacus")
    Traceback (most recent call last):
    ...
    privet.errors.ParameterError: There is no engine 'abacus'.
      What to do: Choose one of: auto, memory, duckdb, processes, spark.
    """
    if engine not in ENGINES:
        raise ParameterError(f"There is no engine '{engine}'.", f"Choose one of: {', '.join(ENGINES)}.")
    source = open_source(path, schema, options or PLAIN)
    if schema is not None:
        schema.require_columns(source.names)
    if schema is None or schema.outside != "count":
        _require_records(source, source.names[:1] if schema is None else schema.names[:1])
    if isinstance(source, TableSource):
        if engine == "memory":
            return CheckedSource(source, schema, watch)
        if engine != "auto":
            raise ParameterError(
                f"The engine '{engine}' is for files, and this is a table of a database.",
                "Use the engine auto, which lets the database answer, or memory.",
            )
        return CheckedTable(source, schema, watch)
    if isinstance(source, SparkSource):
        return source  # answered by the cluster, where the rows are
    if engine in ("processes", "spark"):
        return _in_parts(source, engine)
    if engine != "duckdb":
        return CheckedSource(source, schema, watch)
    if len({name.casefold() for name in source.names}) < len(source.names):
        raise DataError(
            "Two columns differ by capitals alone, and DuckDB takes them for one.",
            "Use the engine memory, or give one of them another name.",
        )
    with database_errors():
        table = source.table()
        if table is None:
            raise ParameterError(
                f"DuckDB cannot read {Path(path).name}.", "Use the memory engine, or a CSV or Parquet file."
            )
        return CheckedTable(TableSource(table), schema, watch)


def _in_parts(source: Source, engine: str) -> Source:
    """The table in parts, for processes of this machine or the executors of Spark."""
    if engine == "spark":
        from privet.sources.spark import SparkMap

        apply = SparkMap()
        return PartedSource(source, apply, 4 * apply.slots)
    processes = Processes()
    return PartedSource(source, processes, 4 * processes.number)


def require_columns(path: str | Path, schema: Schema, options: ReadOptions | None = None) -> None:
    """Refuse a file that is not there, or has not the schema's columns. No record is read."""
    schema.require_columns(open_source(path, schema, options or PLAIN).names)


def read_table(path: str | Path, schema: Schema | None) -> pa.Table:
    """A whole file as an Arrow table, for what needs all of it at once."""
    from privet.perturbation.parts import whole_table

    parts = list(open_source(path, schema).batches())
    if not parts:
        raise DataError("The table holds no records.", "Check that it is the right file, and all of it.")
    return whole_table(parts)


def _require_records(source: Source, columns: Sequence[str]) -> None:
    """Refuse a file without records. Only its beginning is read, by Privet whatever the engine is."""
    if not any(batch.num_rows for batch in source.batches(columns)):
        raise DataError("The table holds no records.", "Check that it is the right file, and all of it.")


class CheckedSource(Around):
    """A source whose first reading is checked against a schema that refuses; every reading is watched."""

    def __init__(self, source: Source, schema: Schema | None, watch: Watch | None = None) -> None:
        super().__init__(source)
        self._reading = _Reading(schema, watch)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        return self._reading.of(self._source.batches(columns))

    def table(self) -> None:
        """Nothing: whoever chose this engine wants no database."""

    def declared(self) -> Schema | None:
        return self._source.declared()


class CheckedTable(TableSource):
    """The same for a table of a database; being a ``TableSource``, it is answered by the database."""

    def __init__(self, source: TableSource, schema: Schema | None, watch: Watch | None = None) -> None:
        super().__init__(source.table())
        self._source = source
        self._reading = _Reading(schema, watch)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        with database_errors():
            yield from self._reading.of(self._source.batches(columns))

    def execute(self, expression: Any) -> pa.Table:
        return self._source.execute(expression)

    def require_exact(self, name: str | None) -> None:
        if (require := getattr(self._source, "require_exact", None)) is not None:
            require(name)


class _Reading:
    """What is known from earlier readings of one table: whether it was checked, and how long it is."""

    def __init__(self, schema: Schema | None, watch: Watch | None) -> None:
        self._schema = None if schema is None or schema.outside == "count" else schema
        self._watch = watch
        self._rows: int | None = None

    def of(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in batches:
            if self._rows is None and self._schema is not None:
                check_batch(batch, self._schema)
            rows += batch.num_rows
            if self._watch is not None:
                self._watch(rows, self._rows)
            yield batch
        self._rows = rows


def check_batch(batch: pa.RecordBatch, schema: Schema) -> None:
    """Raise, without saying which value was at fault, unless these columns fit the schema."""
    rows = Rows(batch, schema)
    for name in batch.schema.names:
        if name in schema and isinstance(schema[name], Items):
            sets_of(rows, name)
        elif name in schema:
            rows.codes(name, getattr(schema[name], "cuts", ()))


@contextmanager
def database_errors() -> Iterator[None]:
    """Turn a database's own errors, which quote cells of the table, into ones that do not."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("duckdb", "_duckdb", "ibis"):
            raise
        raise DataError(
            "The database could not read the table as its schema describes it.",
            "Check the table against its schema: that finds the column, and says what is wrong with it.",
            "check-schema",
        ) from None


def columns_of_file(path: str | Path, *, most_cells: int | None = None) -> tuple[str, ...]:
    """The names of the columns in a file, which must hold a record; an error if it is not what its name says.

    A Parquet file says how many cells it holds, and a few bytes can stand for any number of them: one that
    says more than ``most_cells`` is refused before it is read.
    """
    place = Path(path)
    if most_cells is not None and place.name.lower().endswith((".parquet", ".pq")):
        import pyarrow.parquet as pq

        try:
            about = pq.read_metadata(place)
        except (pa.ArrowException, OSError):
            raise DataError("The file is no Parquet file, or is damaged.", "Write it again.") from None
        if about.num_rows * max(about.num_columns, 1) > most_cells:
            raise DataError("The table holds more cells than are taken here.", "Store a part of it.")
    source = open_source(place)
    _require_records(source, source.names[:1])
    return source.names
