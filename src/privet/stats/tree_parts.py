"""The leaves of a tree as a partition of the records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.assignment import Assignment, Coded
from privet.stats.rows import Rows

__all__ = ["Branching", "TreeParts"]


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
        codes = np.stack([rows.codes(c.column, c.cuts).astype(np.uint16) for c in self._asked])
        asks, begins, children = self._layout
        part = np.empty(rows.size, np.int64)
        _descend(codes, asks, begins, children, part)
        return self._place_of_leaf[part]

    @cached_property
    def _place_of_leaf(self) -> NDArray[np.int64]:
        return np.cumsum([node is None for node in self.nodes]) - 1

    @cached_property
    def _layout(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        place = {coded: number for number, coded in enumerate(self._asked)}
        asks = np.array([place[node.coded] if node else -1 for node in self.nodes], np.int64)
        sizes = [len(node.children) if node else 0 for node in self.nodes]
        children = [child for node in self.nodes if node for child in node.children]
        return asks, np.concatenate([[0], np.cumsum(sizes)[:-1]]), np.array(children, np.int64)


@njit(nogil=True, cache=True)
def _descend(
    codes: NDArray[np.uint16],
    asks: NDArray[np.int64],
    begins: NDArray[np.int64],
    children: NDArray[np.int64],
    part: NDArray[np.int64],
) -> None:  # pragma: no cover
    """From the root along the children until a leaf."""
    for i in range(part.size):
        node = 0
        while asks[node] >= 0:
            node = children[begins[node] + codes[asks[node], i]]
        part[i] = node
