"""LIBSVM's and SVMlight's text: a label, and the numbers that are not zero with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from privet.errors import DataError
from privet.schema import Schema
from privet.sources.base import BATCH_ROWS
from privet.sources.files import FilePath, open_text
from privet.sources.named import Named
from privet.sources.projection import chosen

__all__ = ["LibsvmSource"]


class LibsvmSource(Named):
    """The records of a LIBSVM file: columns ``att_1`` … and ``class``, as WEKA names them.

    The file does not say how many columns there are. It is the largest place in it, found in a first reading;
    with a schema, at least as many as the schema names. A column that is not written is 0.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.libsvm"
    >>> _ = path.write_text("1 1:3 3:0.5\\n-1 2:2\\n")
    >>> next(LibsvmSource(path).batches(["att_3", "class"])).to_pydict()
    {'att_3': [0.5, 0.0], 'class': [1.0, -1.0]}
    """

    def __init__(self, path: FilePath, schema: Schema | None = None) -> None:
        self.path = Path(path)
        named = [name for name in (schema.names if schema is not None else ()) if name.startswith("att_")]
        width = max((int(n[4:]) for n in named if n[4:].isdigit()), default=0)
        for _, cells in self._records():
            width = max(width, max(cells, default=0))
        self._names = (*(f"att_{place}" for place in range(1, width + 1)), "class")

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        places = {int(name[4:]): place for place, name in enumerate(wanted) if name != "class"}
        records = self._records()
        while block := list(islice(records, BATCH_ROWS)):
            matrix = np.zeros((len(wanted), len(block)))
            for row, (label, cells) in enumerate(block):
                for index, value in cells.items():
                    if index in places:
                        matrix[places[index], row] = value
                if "class" in wanted:
                    matrix[wanted.index("class"), row] = label
            yield pa.RecordBatch.from_arrays([pa.array(line) for line in matrix], names=wanted)

    def _records(self) -> Iterator[tuple[float, dict[int, float]]]:
        with open_text(self.path) as file:
            for number, line in enumerate(file, start=1):
                words = line.partition("#")[0].split()
                if not words:
                    continue
                try:
                    cells = {}
                    for word in words[1:]:
                        place, _, value = word.partition(":")
                        if place == "qid":
                            continue
                        if int(place) < 1 or int(place) in cells:
                            raise ValueError
                        cells[int(place)] = float(value)
                    record = float(words[0]), cells
                except ValueError:
                    raise DataError(
                        f"Line {number} of {self.path.name} is not a label and pairs place:number.",
                        "Places count from 1, each is there once.",
                    ) from None
                yield record
