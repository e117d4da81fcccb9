"""Noisy tables, pulled towards what simpler released tables foretell: post-processing, which is free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["proportions", "raked", "shrunk"]

Table = NDArray[np.float64]


def proportions(counts: Table, total: float | None = None) -> Table:
    """The nearest table without negative entries that adds up to ``total`` (its own, if None), over it.

    Noise lifts some empty cells above 0; all cells are lowered by the same amount until the total is right
    (Duchi et al. 2008), instead of cutting the negative ones off, which would add records out of nothing.

    >>> proportions(np.array([6.0, 3.0, 2.0, -1.0]), 8.0).tolist()
    [0.625, 0.25, 0.125, 0.0]
    """
    flat = np.asarray(counts, float).ravel()
    total = float(flat.sum()) if total is None else total
    if total <= 1:  # noise has eaten everything: nothing is known
        return np.full(np.shape(counts), 1 / flat.size)
    falling = -np.sort(-flat)
    excess = (falling.cumsum() - total) / np.arange(1, flat.size + 1)
    level = excess[np.flatnonzero(falling > excess)[-1]]
    kept = np.maximum(flat - level, 0)
    return (kept / kept.sum()).reshape(np.shape(counts))


def shrunk(noisy: Table, expected: Table, deviation: float) -> Table:
    """The table between a noisy and an expected one that is probably nearest to the exact one.

    A cell's distance from what is expected is taken to have a variance V = τ·expected^¾, where τ is
    what the noisy distances show beyond the noise. Then each cell keeps the share V/(V + σ²) of its
    distance: nearly all of it where cells are full, nearly nothing where noise rules.

    >>> shrunk(np.array([30.0, 2.0]), np.array([20.0, 12.0]), 1000.0).round().tolist()
    [20.0, 12.0]
    >>> shrunk(np.array([30.0, 2.0]), np.array([20.0, 12.0]), 0.1).round().tolist()
    [30.0, 2.0]
    """
    spread = np.maximum(expected, 1e-9) ** 0.75
    distance = noisy - expected
    # Weighted by what is expected: full cells say most about how far the table is from it.
    beyond = float((spread * (distance**2 - deviation**2)).sum() / (spread**2).sum())
    variance = max(beyond, 0.0) * spread
    return np.maximum(expected + distance * variance / (variance + deviation**2 + 1e-12), 0.0)


def raked(table: Table, margins: list[tuple[tuple[int, ...], Table]], rounds: int = 12) -> Table:
    """The table scaled until it has these margins: each is the axes that it keeps, and their proportions."""
    fitted = np.maximum(table, 1e-12)
    fitted = fitted / fitted.sum()
    for _ in range(rounds):
        for axes, margin in margins:
            others = tuple(axis for axis in range(fitted.ndim) if axis not in axes)
            now = fitted.sum(axis=others, keepdims=True)
            wanted = margin.reshape(now.shape)
            fitted = fitted * np.where(now > 0, wanted / np.where(now > 0, now, 1), 0)
    return fitted
