"""Places drawn by shares, evenly: what a made-up table is made with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["chosen"]

Table = NDArray[np.float64]


def chosen(
    shares: Table, given: list[NDArray[np.int64]], records: int, draw: np.random.Generator
) -> NDArray[np.int64]:
    """One place for each record by the shares of its row, evenly: each place as often as its share says.

    The records of a row take levels at equal distances, in a random order; independent levels would add
    noise of their own to a table that has enough of it.
    """
    sizes = shares.shape[:-1]
    row = np.ravel_multi_index(given, sizes) if given else np.zeros(records, np.int64)
    order = draw.permutation(records)
    order = order[np.argsort(row[order], kind="stable")]
    number = np.bincount(row, minlength=max(int(np.prod(sizes)), 1))
    start = np.concatenate([[0], np.cumsum(number)[:-1]])
    rank = np.arange(records) - start[row[order]]
    offset = draw.random(len(number))
    level = np.empty(records)
    level[order] = (rank + offset[row[order]]) / number[row[order]]
    # All rows as one rising sequence: row r reaches from r to r + 1.
    reached = np.cumsum(shares.reshape(len(number), -1), axis=1)
    total = reached[:, -1:]
    reached = (
        np.where(total > 0, reached / np.where(total > 0, total, 1), 1.0) + np.arange(len(number))[:, None]
    )
    found = np.searchsorted(reached.ravel(), np.minimum(level, 1 - 1e-12) + row, side="right")
    return np.clip(found - row * shares.shape[-1], 0, shares.shape[-1] - 1)
