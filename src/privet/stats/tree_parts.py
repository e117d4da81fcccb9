"""The leaves of a tree as a partition of the records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

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
        rows.code_together((c.column, c.cuts) for c in self._asked)
        codes = np.stack([rows.codes(c.column, c.cuts) for c in self._asked])
        part = np.empty(rows.size, np.int64)
        _descend(codes, *self._layout, self._depth, part)
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
    def _layout(self) -> tuple[Whole, Whole, Whole, Whole]:
        """Of each node the column it asks, where its children begin (−1 for a leaf), and these; and leaves.

        Nodes that ask nothing stand for the first column, which the root asks.
        """
        place = {coded: number for number, coded in enumerate(self._asked)}
        asks = np.array([place[node.coded] if node else 0 for node in self.nodes], np.int64)
        sizes = np.array([len(node.children) if node else 0 for node in self.nodes], np.int64)
        begins = np.where(sizes > 0, np.cumsum(sizes) - sizes, -1)
        children = [child for node in self.nodes if node for child in node.children]
        places = np.cumsum([node is None for node in self.nodes]) - 1
        return asks, begins, np.array(children, np.int64), places


@njit(nogil=True, cache=True)
def _descend(
    codes: NDArray[Any], asks: Whole, begins: Whole, children: Whole, places: Whole, depth: int, part: Whole
) -> None:  # pragma: no cover
    """From the root along the children until a leaf: some records at a time, as none waits for another."""
    for begin in range(0, part.size, BLOCK):
        own = part[begin : begin + BLOCK]
        own[:] = 0
        for _ in range(depth):
            for i in range(own.size):
                node = own[i]
                first = begins[node]
                below = children[max(first, 0) + codes[asks[node], begin + i]]
                own[i] = below if first >= 0 else node
        for i in range(own.size):
            own[i] = places[own[i]]
