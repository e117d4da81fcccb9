"""What a record can cost under a Laplace tilt: its slope and its curvature are never largest at once.

Let q = 1 − P(the record's class) at the weights w at which densities are compared. The record's slope is at
most the part q of its largest L1 norm: Σ|P − [the class]| = 2q. The trace of its curvature is at most the
part c(q) of its largest trace T: with P(the class) = 1 − q the rest of the probabilities adds up to q, so
1 − ΣP² ≤ 1 − (1 − q)² − q²/(K − 1), and the largest is 1 − 1/K. With z = K/(K − 1),

    c(q) = z·(2q − z·q²).           (two classes: 4q(1 − q))

A record that is all wrong (q = 1) moves the slope most and, of two classes, brings no curvature at all.

So for one record that comes or goes (``perturbed_minimum`` has the density ratio, and r, its rank, and κ)

    log density ratio ≤ ε₁·q + r·log(1 + (κ/r)·c(q)).

Under ``replace``, ε₁ is for two slopes, that of the record that goes, with q, and that of the one that comes,
with a q′ ≤ 1; the curvature that counts is that of one of them, since the other's makes the ratio smaller:
ε₁·(1 + q)/2 instead of ε₁·q. Where a unit has k records, L1 and T are k times as large, the slope is at most
the part mean(q) and the trace the part mean(c(q)) ≤ c(mean(q)), c being concave: the same bound.

The price is the maximum over q from 0 to 1. The bound is concave in q (the logarithm of a concave function
plus a line), so at any point the tangent bounds it from above: the maximum need not be found exactly to be
safe. For two classes and records that come or go, the curvature is free as long as 4κ ≤ ε₁.
"""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["tilt_epsilon"]

# Relative; the floats' own error is some thousand times smaller.
SLACK = 2.0**-40


def tilt_epsilon(budget: Fraction, change: float, rank: int, classes: int, *, replaced: bool) -> Fraction:
    """The largest ε₁ for the slope, rounded down, with which both together cost no more than ``budget``.

    ``change`` is κ = T/λ.

    >>> float(tilt_epsilon(Fraction(1), 0.25, rank=1, classes=2, replaced=False)) > 0.999999
    True
    >>> round(float(tilt_epsilon(Fraction(1), 0.25, rank=1, classes=2, replaced=True)), 2)
    0.95
    """
    low, high = 0.0, float(budget)
    for _ in range(80):
        middle = (low + high) / 2
        if _price(middle, change, rank, classes, replaced) <= budget:
            low = middle
        else:
            high = middle
    return Fraction(low)


def _price(epsilon: float, change: float, rank: int, classes: int, replaced: bool) -> float:
    """The maximum over q, rounded up."""
    z = classes / (classes - 1)
    each = epsilon / 2 if replaced else epsilon

    def bound(q: float) -> tuple[float, float]:
        """The log density ratio at q, and its derivative."""
        part, falls = z * (2 * q - z * q * q), 2 * z * (1 - z * q)
        value = epsilon - each * (1 - q) + rank * math.log1p(change / rank * part)
        return value, each + change * falls / (1 + change / rank * part)

    low, high = 0.0, 1.0
    for _ in range(60):  # the derivative falls
        middle = (low + high) / 2
        low, high = (middle, high) if bound(middle)[1] > 0 else (low, middle)
    value, derivative = bound(high)
    above = derivative * (1 - high) if derivative > 0 else -derivative * high
    return (value + above) * (1 + SLACK) + SLACK * (epsilon + rank * math.log1p(change / rank))
