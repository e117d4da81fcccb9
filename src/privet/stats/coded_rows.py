"""The bins of several numbers side by side, a record in each row: records then move with all their bins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.stats.coding_kernels import code_rows, turn_rows

__all__ = ["CodedRows", "Even", "Key", "Places", "code_into", "coded_room", "turned"]

Key = tuple[str, tuple[float, ...]]
Even = tuple[
    int, float, float
]  # a column of a matrix, the lowest value of its even bins, and 1 / their width
Bytes = NDArray[np.uint8]
Places = NDArray[np.int32]

WORD = 8  # bytes that are moved at once


@dataclass(frozen=True, eq=False)
class CodedRows:
    """``places`` says in which column of ``bins`` (records × columns) those of a key are.

    >>> columns = {("x", (5.0,)): (0, 0.0, 0.2), ("y", (20.0,)): (1, 0.0, 0.05)}
    >>> room, order = coded_room(2, 2), np.arange(2, dtype=np.int32)
    >>> places = code_into(np.array([[1.0, 30.0], [9.0, 10.0]]), columns, room, order)
    >>> {key[0]: codes.tolist() for key, codes in CodedRows(places, room).turned().items()}
    {'x': [0, 1], 'y': [1, 0]}
    """

    places: Mapping[Key, int]
    bins: Bytes

    def turned(self) -> dict[Key, Bytes]:
        """The bins of each key."""
        columns = turned(self.bins)
        return {key: columns[place] for key, place in self.places.items()}


def code_into(
    matrix: NDArray[np.float64], columns: Mapping[Key, Even], room: Bytes, to: Places, missing: bool = False
) -> dict[Key, int]:
    """Writes the bins of each row of a matrix into the row of ``room`` that ``to`` says.

    Tells in which column there those of each key are. Columns with values that are not numbers (nor
    ``missing``, if they may be) are left out.
    """
    places, lows, inverses = (np.array(each) for each in zip(*columns.values(), strict=True))
    lasts = np.array([len(cuts) for _, cuts in columns])
    cuts = np.full((len(columns), lasts.max()), np.inf)
    for own, (_, known) in zip(cuts, columns, strict=True):
        own[: len(known)] = known
    matrix = np.ascontiguousarray(matrix)
    finite = code_rows(matrix, places, lows, inverses, cuts, lasts, missing, to, room)
    return {key: place for place, key in enumerate(columns) if finite[place]}


def turned(room: Bytes) -> Bytes:
    """The columns of a room, each in one piece."""
    columns = np.empty(room.shape[::-1], np.uint8)
    turn_rows(room.view(np.uint64), columns)
    return columns


def coded_room(size: int, width: int) -> Bytes:
    """Room for the bins of so many records, with columns up to whole words.

    For many batches it is made at once: fresh memory in large pieces costs a sixth of that in small ones.
    """
    return np.empty((size, -(-width // WORD) * WORD), np.uint8)
