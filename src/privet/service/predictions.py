"""Predictions for a file of records, written as they are made: constant memory, whatever its length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import DataError, ParameterError
from privet.schema import Category, Schema
from privet.service.tables import Watch
from privet.sources import ArrowSource, open_source, write_arff, write_csv, write_parquet

__all__ = ["WRITERS", "predict"]

WRITERS: dict[str, Callable[..., None]] = {
    ".csv": write_csv,
    ".csv.gz": write_csv,
    ".parquet": write_parquet,
    ".pq": write_parquet,
    ".arff": write_arff,
    ".arff.gz": write_arff,
}
PREDICTED = "predicted"


def predict(
    model: Any,
    data: str | Path,
    out: str | Path,
    *,
    probabilities: bool = False,
    keep: Sequence[str] = (),
    watch: Watch | None = None,
) -> int:
    """Write the predicted class (or number) of each record, and return how many there were.

    ``keep`` names columns of the data to copy beside the predictions. A value that the model's schema does
    not know counts as missing. Predictions say something about the records they were made for: they are as
    private as that file.
    """
    write = writer_for(out)
    schema: Schema = model.schema_
    source = open_source(data, schema)
    wanted = [column.name for column in schema.attributes]
    if missing := [name for name in (*wanted, *keep) if name not in source.names]:
        raise DataError(
            f"The table has no column '{missing[0]}'.",
            "Predict from a table with the same attributes as the model's (privet model show).",
        )
    labels = [str(label) for label in getattr(model, "classes_", ())]
    if probabilities and not labels:
        raise ParameterError("A regression predicts a number, which has no probabilities.", "Leave them out.")
    added = [PREDICTED, *([f"probability_{label}" for label in labels] if probabilities else [])]
    if clash := [name for name in keep if name in added]:
        raise ParameterError(f"'{clash[0]}' is the name of a column that this writes.", "Leave it out.")
    count = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal count
        for batch in source.batches(list(dict.fromkeys([*wanted, *keep]))):
            records = ArrowSource(pa.Table.from_batches([batch.select(wanted)]))
            columns = [batch.column(name) for name in keep]
            if labels:
                chances = model.predict_proba(records)
                columns.append(pa.array(labels).take(pa.array(chances.argmax(axis=1))))
                columns += [pa.array(column) for column in chances.T] if probabilities else []
            else:
                columns.append(pa.array(model.predict(records)))
            count += batch.num_rows
            if watch is not None:
                watch(count, None)
            yield pa.RecordBatch.from_arrays(columns, names=[*keep, *added])
        if count == 0:
            raise DataError("The table holds no records.", "Check that it is the right file.")

    if write is write_arff:
        target = schema[str(schema.target)]
        what = Category(PREDICTED, tuple(labels)) if labels else replace(target, name=PREDICTED)
        kept = tuple(column for column in schema.columns if column.name in keep)
        write_arff(batches(), out, replace(schema, columns=(*kept, what), target=None))
    else:
        write(batches(), out)
    return count


def writer_for(out: str | Path) -> Callable[..., None]:
    """The writer that a file's name asks for."""
    for ending, writer in WRITERS.items():
        if Path(out).name.lower().endswith(ending):
            return writer
    raise ParameterError(
        f"Privet does not know how to write {Path(out).name}.",
        f"Name it by what it shall hold: {', '.join(WRITERS)}",
    )
