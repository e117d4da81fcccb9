"""How anonymous a table is: the sizes of its groups, and what they tell about a sensitive column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Anonymity", "grouped", "measured"]


@dataclass(frozen=True)
class Anonymity:
    """The smallest group (k), its fewest different sensitive values (l), the farthest distribution (t)."""

    k: int
    l: int | None  # noqa: E741 - the literature's name
    t: float | None
    groups: int

    def sentence(self) -> str:
        more = (
            f", at least {self.l} sensitive values in each, at most {self.t:.3f} away from all"
            if self.l
            else ""
        )
        return f"{self.groups} groups of at least {self.k} records{more}."


def grouped(columns: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    """The number of the group of each record: records that agree in all columns are in one."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, own = np.unique(np.asarray(column, dtype=object).astype(str), return_inverse=True)
        _, codes = np.unique(codes * (own.max(initial=0) + 1) + own, return_inverse=True)
    return codes


def spread(
    groups: NDArray[np.int64], sensitive: Sequence[Any]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each group its number of different sensitive values, and how far their shares are from the table's.

    The distance is half the sum of absolute differences: the earth mover's between values that are all
    equally far apart (Li, Li and Venkatasubramanian 2007).
    """
    _, values = np.unique(np.asarray(sensitive, dtype=object).astype(str), return_inverse=True)
    table = np.zeros((groups.max() + 1, values.max() + 1))
    np.add.at(table, (groups, values), 1)
    shares = table / table.sum(axis=1, keepdims=True)
    away = np.abs(shares - table.sum(axis=0) / table.sum()).sum(axis=1) / 2
    return (table > 0).sum(axis=1), away


def measured(columns: Sequence[Sequence[Any]], sensitive: Sequence[Any] | None = None) -> Anonymity:
    """What these quasi-identifying columns, and a sensitive one, amount to.

    >>> measured([["30", "30", "40", "40"]], ["flu", "cold", "flu", "flu"])
    Anonymity(k=2, l=1, t=0.25, groups=2)
    """
    groups = grouped(columns)
    sizes = np.bincount(groups)
    if sensitive is None:
        return Anonymity(int(sizes.min()), None, None, len(sizes))
    different, away = spread(groups, sensitive)
    return Anonymity(int(sizes.min()), int(different.min()), float(away.max()), len(sizes))
