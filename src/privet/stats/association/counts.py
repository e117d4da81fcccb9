"""Scores for both neighbour relations, or for a public number of records: majority and mutual information."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.stats.association.base import Association, Tables

__all__ = ["Majority", "MutualInformation", "mutual_information_sensitivity"]


@dataclass(frozen=True)
class Majority(Association):
    """How many records the attribute's own majority rule gets right: Σ over values of the largest class.

    **Sensitivity 1**, for both neighbour relations: a record added to a row raises its largest count by 0
    or 1; a record replaced takes 0 or 1 away from one row and adds 0 or 1 to another. Added records lower
    no score, so the score is monotonic under ``add_remove``, and choices need half the noise.
    """

    what: ClassVar[str] = "majority"
    unit: ClassVar[str] = "records"
    whole: ClassVar[bool] = True
    monotonic: ClassVar[bool] = True

    def evaluate(self, tables: Tables) -> NDArray[np.int64]:
        value: NDArray[np.int64] = tables.max(axis=1).sum(axis=1)
        return value

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return Fraction(1)


def mutual_information_sensitivity(records: int) -> float:
    """The most by which n·I(attribute; class), in nats, changes when one of n records is replaced.

    *Proof.* With f(k) = k·ln k, n·I = Σf(n_xy) − Σf(n_x) − Σf(n_y) + f(n). Let g(k) = f(k + 1) − f(k),
    which grows and is concave. Take the record out (both tables then are the same) and put it back in cell
    (x, y): n·I becomes a constant minus h, h = g(b) + g(c) − g(a), where a, b, c are the counts of the
    cell, its row and its column, without the record. So two neighbours differ by at most max h − min h. As
    a ≤ b, c: h ≥ g(max(b, c)) ≥ 0. As b + c − a ≤ n − 1, and a unit more of a and of b raises h by g(b+1) −
    g(b) − (g(a+1) − g(a)) ≤ 0, the largest h has a = 0 and b + c = n − 1, and is at most 2g((n − 1)/2) = (n
    + 1)·ln((n + 1)/2) − (n − 1)·ln((n − 1)/2). ∎

    *Records without a class* are not in the table; let n be the number of all records, m ≤ n that of those in
    the table. The bound grows with n, so it holds where m − 1 records stay and one is exchanged within the
    table. If the record comes into the table from outside, or leaves it, n·I changes by g(m − 1) − h with m
    counted with the record. Above, 0 ≤ h ≤ 2g((m − 1)/2); and as g is concave and g(0) = 0, also g(m − 1) ≤
    2g((m − 1)/2). So it changes by at most the same figure. ∎

    (Zhang et al. 2014, PrivBayes, have the same figure for I.)

    >>> round(mutual_information_sensitivity(1000), 3)
    14.429
    """
    up, down = records + 1, records - 1
    return up * math.log(up / 2) - (down * math.log(down / 2) if down else 0.0)


@dataclass(frozen=True)
class MutualInformation(Association):
    """n times the mutual information of attribute and class, in nats (half the G statistic).

    n counts the records with a class; the noise is for the number of all records, which is public where one
    record is exchanged for another.
    """

    what: ClassVar[str] = "mutual_information"
    unit: ClassVar[str] = "nats times records"
    needs: ClassVar = "replace"

    def evaluate(self, tables: Tables) -> NDArray[np.float64]:
        counts = np.asarray(tables, np.float64)

        def entropy(parts: NDArray[np.float64]) -> NDArray[np.float64]:
            with np.errstate(divide="ignore", invalid="ignore"):
                terms = np.where(parts > 0, parts * np.log(parts), 0.0)
            total: NDArray[np.float64] = terms.reshape(len(parts), -1).sum(axis=1)
            return total

        whole = counts.sum(axis=(1, 2))
        return (
            entropy(counts)
            - entropy(counts.sum(axis=1))
            - entropy(counts.sum(axis=2))
            + entropy(whole[:, None])
        )

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return Fraction(mutual_information_sensitivity(max(sum(sizes), 1)) * (1 + 1e-9))
