"""The folds of public tables: the same for every algorithm and every ε, and with all classes in each."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.experiment.parts import Cell
from privet.experiment.value import Experiment
from privet.schema import Category, Schema

__all__ = ["Folds"]

#: Folds are kept up to so many bytes, for cells of the same repetition come again with every algorithm and ε.
MOST_BYTES = 64_000_000


class Folds:
    """Deals the records of tables into folds, and remembers what it has dealt."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._classes: dict[str, NDArray[Any] | None] = {}
        self._dealt: dict[tuple[str, int], NDArray[np.int32]] = {}

    def of(self, table: pa.Table, schema: Schema, cell: Cell) -> NDArray[np.int32]:
        """The fold of each record in the cell's repetition."""
        place = cell.data, cell.repetition
        if place not in self._dealt:
            while self._dealt and (len(self._dealt) + 1) * 4 * table.num_rows > MOST_BYTES:
                del self._dealt[next(iter(self._dealt))]
            self._dealt[place] = self._deal(table, schema, cell)
        return self._dealt[place]

    def _deal(self, table: pa.Table, schema: Schema, cell: Cell) -> NDArray[np.int32]:
        name = int.from_bytes(hashlib.sha256(cell.data.encode()).digest()[:4])
        source = np.random.default_rng([self._experiment.seed, cell.repetition, name])
        order = source.permutation(table.num_rows)
        if cell.data not in self._classes:
            self._classes[cell.data] = _classes(table, schema)
        if (classes := self._classes[cell.data]) is not None:
            order = order[np.argsort(classes[order], kind="stable")]
        fold = np.empty(table.num_rows, np.int32)
        fold[order] = np.arange(table.num_rows) % self._experiment.folds
        return fold


def _classes(table: pa.Table, schema: Schema) -> NDArray[Any] | None:
    """The class of each record as a number, in the order of the labels; None if the target is a number."""
    assert schema.target is not None
    if not isinstance(schema[schema.target], Category):
        return None
    labels = np.array([str(value) for value in table[schema.target].to_pylist()])
    codes = np.unique(labels, return_inverse=True)[1].reshape(-1)
    return codes.astype(np.int16) if codes.max(initial=0) < 2**15 else codes  # short numbers sort faster
