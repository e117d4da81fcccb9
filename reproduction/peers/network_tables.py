"""A Bayesian network "after PrivBayes" (DataSynthesizer 0.1.13), as it is implemented: what is released of ε.

Three things are released: every column by itself, for ε; the network, for ε/2; and the tables of the network, for
another ε/2, with Laplace noise of scale (d − k)·2/ε on counts, where d is the number of columns and k that of
parents. Neighbours have the same number of records, which the choice of the network needs, so that a record is
exchanged and moves two counts of a table. Written anew from what the code does; it is refuted in
``tests/audit/planted``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["loss_of_columns", "loss_of_tables"]

Records = NDArray[np.int64]


def loss_of_columns(one: Records, other: Records, epsilon: float) -> float:
    """What the shares of each column lose between two tables, in the worst case: all of it in one answer."""
    scale = one.shape[1] * 2 / (len(one) * epsilon)
    places = range(one.shape[1])
    return sum(_moved(one[:, [place]], other[:, [place]]) / len(one) / scale for place in places)


def loss_of_tables(
    one: Records, other: Records, epsilon: float, tables: Sequence[Sequence[int]] | None = None
) -> float:
    """The same for the tables of a chain of columns (k = 1), or of others with one parent each."""
    tables = list(pairwise(range(one.shape[1]))) if tables is None else tables
    scale = (one.shape[1] - 1) / (epsilon / 2)
    return sum(_moved(one[:, list(places)], other[:, list(places)]) / scale for places in tables)


def _moved(one: Records, other: Records) -> float:
    """By how much the counts of all combinations of values differ, in L1."""
    _, codes = np.unique(np.concatenate([one, other]), axis=0, return_inverse=True)
    codes = codes.ravel()
    counts = [
        np.bincount(part, minlength=int(codes.max()) + 1) for part in (codes[: len(one)], codes[len(one) :])
    ]
    return float(np.abs(counts[0] - counts[1]).sum())
