"""How good a rule is, from what it covers: p records of its class and n others, out of S and N in all.

Functions of arrays, so that a whole swarm of rules is judged at once. Thesis, equations 4.4 to 4.7.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError

__all__ = ["Measure", "check_weights", "mutual_support", "quality", "weighted_laplace"]

Numbers = NDArray[np.float64]
Measure = Literal["wLap", "MS", "wMS", "wLapMS"]


def weighted_laplace(p: Any, n: Any, own: float, others: float) -> Numbers:
    """wLap = (p + 1)(S + N) / ((p + n + 2) S): high for precise rules, also of rare classes (4.4)."""
    return np.asarray((p + 1) * (own + others) / ((p + n + 2) * own))


def mutual_support(p: Any, n: Any, own: float, alpha: float = 1.0, beta: float = 1.0) -> Numbers:
    """wMS = p / (αS + βn): high for rules that cover much of their class (4.6); MS has α = β = 1 (4.5).

    >>> mutual_support(np.array([30, 40]), np.array([0, 20]), own=50).round(3)
    array([0.6  , 0.571])
    """
    check_weights(alpha, beta)
    below = np.asarray(alpha * own + beta * np.asarray(n, float))
    return np.divide(p, below, out=np.zeros_like(below), where=below > 0)


def quality(
    measure: Measure, p: Any, n: Any, own: float, others: float, alpha: float = 0.4, beta: float = 0.6
) -> Numbers:
    """The measure of that name; wLapMS is the product of wLap and wMS (4.7)."""
    if own <= 0:
        raise ParameterError(
            "A class without a record has no rules.", "Leave it out of the domain of the class."
        )
    if measure == "wLap":
        return weighted_laplace(p, n, own, others)
    if measure == "MS":
        return mutual_support(p, n, own)
    support = mutual_support(p, n, own, alpha, beta)
    return support if measure == "wMS" else weighted_laplace(p, n, own, others) * support


def check_weights(alpha: float, beta: float) -> None:
    """Both from 0 to 1, and not both 0."""
    if not (0 <= alpha <= 1 and 0 <= beta <= 1):
        raise ParameterError("α and β must lie between 0 and 1.")
    if alpha == beta == 0:
        raise ParameterError("With α = β = 0 the quality of a rule is p / 0.", "Raise one of them above 0.")
