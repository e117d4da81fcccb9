"""Rounding to floats in a chosen direction: a guarantee must survive the last digit.

Samplers take their scale as a float. A scale rounded down by one digit would lose slightly more than is
claimed, so scales are computed in fractions and rounded up, and what is divided by is rounded down.

>>> from fractions import Fraction
>>> Fraction(down(Fraction(1, 10))) < Fraction(1, 10) < Fraction(up(Fraction(1, 10)))
True
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction

__all__ = ["down", "root_down", "root_up", "up"]


def up(value: Fraction) -> float:
    """The smallest float that is not below a fraction; infinity if there is none."""
    try:
        near = float(value)
    except OverflowError:
        return math.inf
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def down(value: Fraction) -> float:
    """The largest float that is not above a positive fraction."""
    try:
        near = float(value)
    except OverflowError:
        return sys.float_info.max
    return near if Fraction(near) <= value else math.nextafter(near, 0.0)


def root_up(value: Fraction) -> float:
    """A float just not below the square root of a positive fraction."""
    near = math.sqrt(up(value))
    while math.isfinite(near) and Fraction(near) ** 2 < value:
        near = math.nextafter(near, math.inf)
    return near


def root_down(value: Fraction) -> float:
    """A float just not above the square root of a positive fraction."""
    near = math.sqrt(down(value))
    while Fraction(near) ** 2 > value:
        near = math.nextafter(near, 0.0)
    return near
