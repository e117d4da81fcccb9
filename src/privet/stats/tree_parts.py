"""The leaves of a tree as a partition of the records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit
from privet.schema import Schema
from privet.stats.assignment import Assignment, Coded
from privet.stats.rows import Rows

__all__ = ["Branching", "TreeParts"]

Whole = NDArray[np.int64]

BLOCK = 1024  # records that stay in the nearest cache


@dataclass(frozen=True)
class Branching:
    """A node that asks a column: ``children`` has the next node for each code, last for missing values."""

    coded: Coded
    children: tuple[int, ...]


@dataclass(frozen=True)
class TreeParts(Assignment):
    """Nodes from the root, which is the first; None is a leaf. A record's part is its leaf, in their order.

    A child comes after its parent, so that every path ends.

    >>> import pyarrow as pa
    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]})
    >>> rows = Rows(pa.record_batch({"age": [30, 70, None]}), schema)
    >>> TreeParts((Branching(Coded("age", (60.0,)), (1, 2, 2)), None, None))(rows).tolist()
    [0, 1, 1]
    """

    nodes: tuple[Branching | None, ...]

    def __post_init__(self) -> None:
        for place, node in enumerate(self.nodes):
            if node and not (place < min(node.children) and max(node.children) < len(self.nodes)):
                raise ValueError("A child of a tree's node must come after it.")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(coded.column for coded in self._asked))

    @cached_property
    def _asked(self) -> tuple[Coded, ...]:
        return tuple(dict.fromkeys(node.coded for node in self.nodes if node))

    @property
    def leaves(self) -> list[int]:
        """The nodes that are leaves."""
        return [place for place, node in enumerate(self.nodes) if node is None]

    def parts(self, schema: Schema) -> int:
        return len(self.leaves)

    def part_of(self, rows: Rows) -> NDArray[np.int64]:
        if not self._asked:
            return np.zeros(rows.size, np.int64)
        keys = [(each.column, each.cuts) for each in self._asked]
        coded = rows.coded_rows(keys[0]) or rows.coded_beside(keys)
        asks, following, places = self._layout
        part = np.empty(rows.size, np.int64)
        if coded is not None and all(key in coded.places for key in keys):
            asks = np.array([coded.places[key] for key in keys], np.uint32)[asks]
            _descend(coded.bins, asks, following, places, self._depth, part)
        else:
            codes = np.stack([rows.codes(*key) for key in keys])
            _descend(codes.T, asks, following, places, self._depth, part)
        return part

    @cached_property
    def _depth(self) -> int:
        """How many nodes the longest path asks."""
        depth = [0] * len(self.nodes)
        for place, node in enumerate(self.nodes):
            for child in node.children if node else ():
                depth[child] = max(depth[child], depth[place] + 1)
        return max(depth)

    @cached_property
    def _layout(self) -> tuple[NDArray[Any], NDArray[Any], Whole]:
        """Of each node the column it asks, and the next node for each code; and the parts of the leaves.

        A leaf asks the first column, and is itself what comes next, whatever the code.
        """
        place = {coded: number for number, coded in enumerate(self._asked)}
        width = max(len(node.children) for node in self.nodes if node)
        kind = np.uint16 if len(self.nodes) <= 1 << 16 else np.uint32
        following = np.repeat(np.arange(len(self.nodes), dtype=kind)[:, None], width, axis=1)
        asks = np.zeros(len(self.nodes), np.uint32)
        for number, node in enumerate(self.nodes):
            if node:
                asks[number] = place[node.coded]
                following[number, : len(node.children)] = node.children
        places = np.cumsum([node is None for node in self.nodes]) - 1
        return asks, following, places


@njit
def _descend(
    codes: NDArray[Any], asks: NDArray[Any], following: NDArray[Any], places: Whole, depth: int, part: Whole
) -> None:  # pragma: no cover
    """From the root along the children until a leaf: some records at a time, as none waits for another."""
    width, table = np.uint32(following.shape[1]), following.ravel()
    own = np.empty(BLOCK, following.dtype)
    for begin in range(0, part.size, BLOCK):
        size = min(BLOCK, part.size - begin)
        block = codes[begin : begin + size]
        own[:] = 0
        for _ in range(depth):
            for i in range(size):
                node = own[i]
                own[i] = table[node * width + block[i, asks[node]]]
        for i in range(size):
            part[begin + i] = places[own[i]]
