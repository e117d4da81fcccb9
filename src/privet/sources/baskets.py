"""Basket files: a line for each basket, its items one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa

from privet.schema import Schema
from privet.sources.base import BATCH_ROWS
from privet.sources.files import FilePath, open_text
from privet.sources.named import Named
from privet.sources.projection import chosen

__all__ = ["BasketSource"]


class BasketSource(Named):
    """The baskets of a file: one column, ``items`` (or as the schema calls its only column), a text a line.

    What is between the items, the schema says; an empty line is an empty basket. A line is one record
    whatever it holds: there are no quotes that could join lines.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.basket"
    >>> _ = path.write_text("milk bread\\n\\nbread\\n")
    >>> next(BasketSource(path).batches()).to_pydict()
    {'items': ['milk bread', '', 'bread']}
    """

    def __init__(self, path: FilePath, schema: Schema | None = None) -> None:
        self.path = Path(path)
        only = schema.names if schema is not None and len(schema.names) == 1 else ("items",)
        self._names = tuple(only)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        with open_text(self.path) as file:
            lines = (line.rstrip("\r\n") for line in file)
            while block := list(islice(lines, BATCH_ROWS)):
                cells = pa.array(block, pa.string())
                yield pa.RecordBatch.from_arrays([cells for _ in wanted], names=list(wanted))
