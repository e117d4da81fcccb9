"""Perturbing files and pipes: the same methods on tables of every format."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import DataError, ParameterError
from privet.perturbation import METHODS, Condensation, Key
from privet.perturbation.base import Perturbation
from privet.perturbation.csv_filter import CsvFilter
from privet.perturbation.nominal import TextFilter
from privet.perturbation.tables import numbers_of
from privet.schema import Number, Schema, read_schema
from privet.service.tables import Watch
from privet.service.writers import writer_for
from privet.sources import open_source, write_arff

__all__ = ["build_perturbation", "key_path", "perturb_file", "perturb_pipe", "perturb_table", "read_table"]


def build_perturbation(
    method: str,
    *,
    schema: Schema | str | Path | None,
    columns: Sequence[str] | None,
    key: str | Path | None,
    seed: int | None,
    parameters: dict[str, Any],
) -> Perturbation:
    """The method with its parameters; a key that is there is used, and brings its bounds along."""
    found = Key.load(key) if key is not None and Path(key).exists() else None
    if schema is None:
        if found is None:
            raise ParameterError(
                "Without a schema the scale is not known.",
                "Give --schema FILE, or --key with a key that exists.",
            )
        schema = Schema(tuple(map(Number, found.columns, found.low, found.high)))
        columns = columns or found.columns
    schema = schema if isinstance(schema, Schema) else read_schema(schema)
    cls: Any = METHODS[method]
    model: Perturbation = cls(schema=schema, columns=columns, key=found, random_state=seed, **parameters)
    return model


def key_path(key: Path, window: int) -> Path:
    """Where the key of a window is kept: beside the first one, numbered.

    >>> str(key_path(Path("key.json"), 3))
    'key-000003.json'
    """
    return key if window == 0 else key.with_name(f"{key.stem}-{window:06d}{key.suffix}")


def perturb_file(
    model: Perturbation, data: str | Path, out: str | Path, *, watch: Watch | None = None
) -> int:
    """Write the perturbed table and return its number of records. Replaces the output in one step."""
    write = writer_for(out)
    schema = model._declared()
    source = open_source(data, schema)
    rows = 0

    def counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        nonlocal rows
        for batch in batches:
            rows += batch.num_rows
            if watch is not None:
                watch(rows, None)
            yield batch

    batches = source.batches()
    first = next(batches, None)
    if first is None or not first.num_rows:
        raise DataError("The table holds no records.", "Check that it is the right file, and all of it.")
    everything = chain([first], batches)
    if isinstance(model, Condensation) and model.key is None:  # groups are made from the whole table
        table = model.fit_transform(pa.concat_tables(map(_plain, everything), promote_options="permissive"))
        perturbed: Iterator[pa.RecordBatch] = iter(table.to_batches())
    else:
        chosen = model._chosen(schema, source.names)
        model.begin(source.names, numbers_of(first, source.names, chosen))
        perturbed = (model.transform(batch) for batch in everything)
    if write is write_arff:
        write_arff(counted(perturbed), out, schema)
    else:
        write(counted(perturbed), out)
    return rows


def perturb_pipe(
    model: Any,
    source: int,
    sink: int,
    *,
    row_by_row: bool = False,
    rekey_every: int | None = None,
    delimiter: str | None = None,
    keep: Callable[[int, Key], None] | None = None,
    watch: Watch | None = None,
) -> int:
    """Filter CSV between file descriptors until the input ends; interrupted, it leaves whole rows."""
    kind = CsvFilter if isinstance(model, Perturbation) else TextFilter
    work = kind(
        model, delimiter=delimiter, row_by_row=row_by_row, rekey_every=rekey_every, keep=keep, watch=watch
    )
    with _interrupted_between_writes(work):
        return work.run(source, sink)


@contextmanager
def _interrupted_between_writes(work: CsvFilter) -> Iterator[None]:
    """Let an interruption wait until the rows that are being written are out."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        if not work.busy or waiting:  # asked twice: the reader of our output does not read
            raise KeyboardInterrupt
        waiting.append(number)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    work.pending = waiting
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _plain(batch: pa.RecordBatch) -> pa.Table:
    """A batch without dictionaries, which differ from batch to batch."""
    arrays = [a.dictionary_decode() if pa.types.is_dictionary(a.type) else a for a in batch.columns]
    return pa.Table.from_batches([pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)])


def read_table(path: str | Path, schema: Schema | None) -> pa.Table:
    """A whole file as an Arrow table, for what needs all of it at once."""
    parts = [_plain(batch) for batch in open_source(path, schema).batches()]
    if not parts:
        raise DataError("The table holds no records.", "Check that it is the right file, and all of it.")
    return pa.concat_tables(parts, promote_options="permissive")


def perturb_table(model: Any, data: str | Path, out: str | Path, schema: str | Path | None) -> int:
    """Perturb a whole table with a transformer that needs all of it, and write it; returns its records."""
    write = writer_for(out)
    declared = None if schema is None else read_schema(schema)
    table = model.fit_transform(read_table(data, declared))
    if write is write_arff:
        write_arff(iter(table.to_batches()), out, declared)
    else:
        write(iter(table.to_batches()), out)
    return int(table.num_rows)
