"""The most that fits: which epsilon to ask for where what was asked for is too much."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_FLOOR, Context
from fractions import Fraction

from privet.budget import Amount, Approximate, Pure

__all__ = ["most_that_fits"]

_TWO_DIGITS = Context(prec=2, rounding=ROUND_FLOOR)


def most_that_fits(
    given: float | None,
    price: Amount | None,
    left: Pure | Approximate,
    price_at: Callable[[float], Amount | None],
) -> float | None:
    """The largest epsilon whose price is left; None if there is none that can be named.

    Mostly the epsilon that is asked for is the price. Where it is not, the price grows in step with it: ten
    folds cost nine times as much, and their scores a little more. So two prices tell the third.

    >>> left = Pure(Fraction(3, 2))
    >>> most_that_fits(5.0, Pure(Fraction(5)), left, lambda epsilon: None)
    1.5
    >>> nine = lambda epsilon: Pure(9 * Fraction(epsilon) + Fraction(1, 10))
    >>> most_that_fits(0.5, nine(0.5), left, nine)
    0.15
    """
    if not isinstance(price, Pure | Approximate) or given is None or float(price.epsilon) == float(given):
        return float(left.epsilon)
    half = price_at(given / 2)
    if not isinstance(half, Pure | Approximate) or half.epsilon >= price.epsilon:
        return None
    each = (price.epsilon - half.epsilon) / Fraction(given / 2)
    most = (left.epsilon - (price.epsilon - each * Fraction(given))) / each
    return float(_TWO_DIGITS.create_decimal_from_float(float(most))) if most > 0 else None
