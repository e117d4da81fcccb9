"""The bins of several numbers side by side, a record in each row: records then move with all their bins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.stats.coding_kernels import code_rows, turn_rows

__all__ = ["CodedRows", "Key", "coded_room"]

Key = tuple[str, tuple[float, ...]]
Bytes = NDArray[np.uint8]

WORD = 8  # bytes that are moved at once


@dataclass(frozen=True, eq=False)
class CodedRows:
    """``places`` says in which column of ``table`` a key's bins are; its rows are ``size`` from ``begin`` on.

    >>> matrix = np.array([[1.0, 30.0], [9.0, 10.0]])
    >>> columns = {("x", (5.0,)): (0, 0.0, 0.2), ("y", (20.0,)): (1, 0.0, 0.05)}
    >>> coded = CodedRows.of(matrix, columns, coded_room(2, 2), 0)
    >>> {key[0]: codes.tolist() for key, codes in coded.turned().items()}
    {'x': [0, 1], 'y': [1, 0]}
    """

    places: Mapping[Key, int]
    table: Bytes
    begin: int
    size: int

    @classmethod
    def of(
        cls,
        matrix: NDArray[np.float64],
        columns: Mapping[Key, tuple[int, float, float]],
        room: Bytes,
        begin: int,
    ) -> CodedRows:
        """Columns of a matrix by their cuts, which are even: each with its place, lowest value and 1 / width.

        Columns with values that are not numbers are left out.
        """
        places, lows, inverses = (np.array(each) for each in zip(*columns.values(), strict=True))
        lasts = np.array([len(cuts) for _, cuts in columns])
        cuts = np.full((len(columns), lasts.max()), np.inf)
        for own, (_, known) in zip(cuts, columns, strict=True):
            own[: len(known)] = known
        bins = room[begin : begin + len(matrix)]
        finite = code_rows(np.ascontiguousarray(matrix), places, lows, inverses, cuts, lasts, bins)
        found = {key: place for place, key in enumerate(columns) if finite[place]}
        return cls(found, room, begin, len(matrix))

    @property
    def bins(self) -> Bytes:
        """Records × columns."""
        return self.table[self.begin : self.begin + self.size]

    def turned(self) -> dict[Key, Bytes]:
        """The bins of each key."""
        order = np.arange(self.begin, self.begin + self.size, dtype=np.int32)
        return self.gathered(order, np.empty((self.table.shape[1], self.size), np.uint8))

    def gathered(self, order: NDArray[np.int32], columns: Bytes) -> dict[Key, Bytes]:
        """The bins of each key, of the records at these places of the whole table."""
        turn_rows(self.table.view(np.uint64), order, columns)
        return {key: columns[place] for key, place in self.places.items()}


def coded_room(size: int, width: int) -> Bytes:
    """Room for the bins of so many records, with columns up to whole words.

    For many batches it is made at once: fresh memory in large pieces costs a sixth of that in small ones.
    """
    return np.empty((size, -(-width // WORD) * WORD), np.uint8)
