"""Writing rows to CSV, ARFF and Parquet files: as a stream, and replacing the file in one step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.sources.arff_header import quoted
from privet.sources.base import Source
from privet.sources.files import FilePath, replacing

__all__ = ["declared_cells", "write_arff", "write_csv", "write_ipc", "write_parquet"]

Rows = Source | Iterable[pa.RecordBatch]


def write_csv(rows: Rows, path: FilePath) -> None:
    """Write a CSV file (gzip, if its name ends in ``.gz``); missing cells and NaN are left empty.

    In a file of one column they are NA.

    A text that begins or ends with a blank, or that is one of the marks of a missing cell, does not come back
    from a CSV file as it was: ARFF and Parquet keep it.
    """
    first, batches = _peek(map(_csv_cells, _batches(rows)), rows)
    with replacing(path) as stream:
        if len(first) == 1:
            stream.write(f"{_in_quotes(pa.scalar(first.names[0]))}\n".encode())
            for batch in batches:
                stream.write(_lines_of_one_cell(batch.column(0).cast(first.types[0])))
            return
        with arrow_csv.CSVWriter(stream, first) as writer:
            for batch in batches:
                writer.write_batch(batch.cast(first))


def write_parquet(rows: Rows, path: FilePath) -> None:
    """Write a Parquet file, text as dictionaries."""
    from pyarrow import parquet

    first, batches = _without_dictionaries(rows)  # the Parquet writer makes its own
    with replacing(path) as stream, parquet.ParquetWriter(stream, first) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(first))


def write_ipc(rows: Rows, path: FilePath) -> None:
    """Write a Feather file (version 2), which is Arrow's own format."""
    first, batches = _without_dictionaries(rows)
    with replacing(path) as stream, pa.ipc.new_file(stream, first) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(first))


def _without_dictionaries(rows: Rows) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Batches with plain columns: dictionaries differ from batch to batch."""
    plain = (pa.RecordBatch.from_arrays([*map(_decoded, b)], names=b.schema.names) for b in _batches(rows))
    return _peek(plain, rows)


def write_arff(rows: Rows, path: FilePath, schema: Schema | None = None, relation: str | None = None) -> None:
    """Write an ARFF file that WEKA opens (gzip, if its name ends in ``.gz``).

    The domain of a nominal attribute comes from the schema, or from what the source itself declares. It is
    never collected from the rows: a header's domain is public by declaration, and would make them so.
    """
    domains = {c.name: c for c in _categories(schema, rows)}
    first, batches = _peek(_batches(rows), rows)
    writers = [_cell_writer(field, domains.get(field.name)) for field in first]
    with replacing(path) as stream:
        lines = [f"@relation {quoted(relation or Path(path).name.split('.')[0] or 'table')}", ""]
        lines += [
            f"@attribute {quoted(field.name)} {kind}" for field, (kind, _) in zip(first, writers, strict=True)
        ]
        stream.write("\n".join([*lines, "", "@data", ""]).encode())
        for batch in batches:
            if batch.num_rows:
                cells = [write(array) for (_, write), array in zip(writers, batch, strict=True)]
                text = pc.binary_join_element_wise(*cells, ",")
                stream.write(("\n".join(text.to_pylist()) + "\n").encode())


Record = tuple[str | None, ...]


def declared_cells(
    rows: Rows, schema: Schema | None
) -> tuple[list[tuple[str, tuple[str, ...] | None]], Iterator[Record]]:
    """The attributes, each with its labels if it is nominal, and the records' cells as text; None is missing.

    As for ARFF, domains are declared and never collected from the rows.
    """
    domains = {c.name: c for c in _categories(schema, rows)}
    first, batches = _peek(_batches(rows), rows)
    writers = [_cell_writer(field, domains.get(field.name), plain=True) for field in first]
    labels = [_labels_of(field, domains.get(field.name)) for field in first]

    def records() -> Iterator[Record]:
        for batch in batches:
            columns = [write(array).to_pylist() for (_, write), array in zip(writers, batch, strict=True)]
            yield from zip(*columns, strict=True)

    return list(zip(first.names, labels, strict=True)), records()


def _labels_of(field: pa.Field, category: Category | None) -> tuple[str, ...] | None:
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if category is None:
        return ("false", "true") if pa.types.is_boolean(kind) else None
    return tuple(_label(value) for value in category.labels)


def _batches(rows: Rows) -> Iterator[pa.RecordBatch]:
    return rows.batches() if isinstance(rows, Source) else iter(rows)


def _peek(batches: Iterator[pa.RecordBatch], rows: Rows) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The Arrow schema of the first batch, and all batches; a source without rows still has names."""
    for first in batches:
        return first.schema, chain([first], batches)
    if isinstance(rows, Source):
        return pa.schema([(name, pa.float64()) for name in rows.names]), iter(())
    raise DataError("There is nothing to write.", "Pass a source, whose columns are known without rows.")


def _decoded(array: pa.Array) -> pa.Array:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _without_nan(array: pa.Array) -> pa.Array:
    array = _decoded(array)
    if pa.types.is_floating(array.type):
        return pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
    return array


def _csv_cells(batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([*map(_without_nan, batch)], names=batch.schema.names)


def _lines_of_one_cell(array: pa.Array) -> bytes:
    """Missing cells as NA: an empty cell alone in its line would be an empty line, which readers skip."""
    text = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    cells = pc.fill_null(_in_quotes(array) if text else array.cast(pa.string()), "NA")
    return "".join(f"{cell}\n" for cell in cells.to_pylist()).encode()


def _in_quotes(text: pa.Array | pa.Scalar) -> pa.Array | pa.Scalar:
    return pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")


def _categories(schema: Schema | None, rows: Rows) -> list[Category]:
    schema = schema or (rows.declared() if isinstance(rows, Source) else None)
    return [column for column in schema.columns if isinstance(column, Category)] if schema else []


def _cell_writer(
    field: pa.Field, category: Category | None, plain: bool = False
) -> tuple[str, Callable[[pa.Array], pa.Array]]:
    """An attribute's kind as the header says it, and how an array of it becomes cells.

    ``plain`` cells have no quotes, and are null where they are missing.
    """
    missing = None if plain else "?"
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if category is None and pa.types.is_boolean(kind):
        category = Category(field.name, (False, True))
    if category is not None:
        words = [_label(value) if plain else quoted(_label(value)) for value in category.labels]
        return "{" + ",".join(words) + "}", lambda array: _nominal(category, words, array, missing)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numeric", lambda array: _numeric(array, missing)
    raise DataError(
        f"Column '{field.name}' is text without a declared domain, which this format needs.",
        "Write CSV or Parquet, or pass a schema in which it is a category.",
    )


def _label(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _numeric(array: pa.Array, missing: str | None) -> pa.Array:
    texts = _without_nan(array).cast(pa.string())
    return texts if missing is None else pc.fill_null(texts, missing)


def _nominal(category: Category, words: list[str], array: pa.Array, missing: str | None) -> pa.Array:
    array = _without_nan(array)
    if pa.types.is_floating(array.type) and pc.all(pc.equal(array, pc.floor(array))).as_py():
        array = array.cast(pa.int64())
    texts = array.cast(pa.string())
    codes = pc.index_in(texts, pa.array([_label(value) for value in category.labels]))
    unknown = pc.and_(pc.is_null(codes), pc.is_valid(texts))
    if category.other is not None:
        codes = pc.if_else(unknown, pa.scalar(len(category.values), codes.type), codes)
    elif pc.any(unknown).as_py():
        raise DataError(
            f"Column '{category.name}' holds a value outside its declared domain.",
            "Add the value to the schema, or set  other  there.",
        )
    texts = pa.array(words).take(codes)
    return texts if missing is None else pc.fill_null(texts, missing)
