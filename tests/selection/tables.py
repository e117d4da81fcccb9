"""Every table of small classes, and every change of one record."""

from __future__ import annotations

from itertools import product

import numpy as np


def rows_of(total: int, cells: int) -> list[tuple[int, ...]]:
    if cells == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in rows_of(total - first, cells - 1)]


def all_tables(sizes: tuple[int, ...], values: int) -> np.ndarray:
    """Every table of classes of these sizes."""
    return np.array(list(product(*(rows_of(size, values) for size in sizes))), np.int64)


def changes(tables: np.ndarray):
    """Every single change: the changed tables, and which of them are tables (no count below zero)."""
    classes, values = tables.shape[1:]
    for group, source, destination in product(range(classes), range(values), range(values)):
        if source != destination:
            moved = tables.copy()
            moved[:, group, source] -= 1
            moved[:, group, destination] += 1
            there = np.flatnonzero(moved[:, group, source] >= 0)
            if there.size:
                yield moved, there
