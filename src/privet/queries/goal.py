"""Accuracy first: the smallest ε with which no figure of an answer is off by more than a given error.

The error bars of counts, sums and quantiles' ranks follow from ε, the bounds and the number of questions
alone: no record is read to know them. They never grow with ε, so the smallest ε is found exactly, among all
numbers of three digits, by halving. The error of a mean or a variance depends on how many records there are,
which nobody knows before it is measured: it is refused.
"""

from __future__ import annotations

import math
import numbers
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np

from privet.errors import ParameterError
from privet.queries.measures import Count, CountDistinct, CountOf, Quantile, Sum
from privet.queries.program import Program

__all__ = ["MOST", "epsilon_for_error", "largest_error", "smallest_epsilon"]

#: An ε beyond this is never chosen by itself: it would protect nobody.
MOST = 10.0
_FORESEEN = (Count, CountOf, CountDistinct, Sum, Quantile)
_DIGITS = tuple(
    float(f"{digits}e{exponent}")
    for exponent in range(-6, 0)
    for digits in range(100, 1000)
    if 1e-4 <= digits * 10.0**exponent <= MOST
)


def largest_error(program: Program, epsilon: float, delta: float = 0.0) -> float:
    """The widest error bar (95 %) of any figure of the answers; nothing is read or spent."""
    for selection in program.selections:
        for measure in selection.measures:
            if not isinstance(measure, _FORESEEN):
                raise ParameterError(
                    f"How far off '{measure.name}' is depends on how many records there are.",
                    "Ask for counts, sums or quantiles with an error, or give an epsilon.",
                )
    with program.rehearsed(epsilon, delta) as curator:
        selections, told = program._told(curator)
    widest = 0.0
    for selection in selections:
        group = selection.group(program.schema)
        mine: dict[Any, Any] = {key: each for (view, key), each in told.items() if view == selection.view}
        for measure in selection.measures:
            widest = max(widest, float(np.max(measure.found(group, mine)[1])))
    return widest


def epsilon_for_error(program: Program, error: float, delta: float = 0.0) -> float:
    """The smallest ε of three digits with which no figure is off by more than ``error`` in 95 % of cases.

    >>> from privet.queries.table import query
    >>> people = query(None, {"age": (0, 120), "ward": ["a", "b"]}).group_by("ward").count()
    >>> people.epsilon_for(error=50), people.plan(people.epsilon_for(error=50)).steps[0].error
    (0.0594, 50.0)
    """
    if isinstance(error, bool) or not isinstance(error, numbers.Real) or not 0 < float(error) < math.inf:
        raise ParameterError("The error must be a number above 0.")
    least = largest_error(program, MOST, delta)
    if least > error:
        raise ParameterError(
            f"No epsilon up to {MOST:g} makes every figure that exact: even then one may be off by "
            f"{least:.3g} in 95 % of cases.",
            f"Allow an error of at least {least:.3g}, ask for less at once, or give an epsilon yourself.",
        )
    return smallest_epsilon(lambda each: largest_error(program, each, delta) <= error)


def smallest_epsilon(reached: Callable[[float], bool]) -> float:
    """The smallest ε of three digits that reaches a goal, which ``MOST`` and all between must reach too."""
    return _DIGITS[bisect_left(_DIGITS, True, key=reached)]
