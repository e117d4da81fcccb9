"""A total and its parts, made to add up: the likeliest numbers that do, given what was measured of each.

Parts v₁ … v_k have independent noise of variance e² each, the total t one of variance f². What adds up and
is nearest, weighted by the variances, has the total T = (t/f² + S/ke²)/(1/f² + 1/ke²) with S = Σvᵢ, and the
parts vᵢ + (T − S)/k. Of counts, which are not negative, the nearest such parts that add up to T are taken:
a projection on a simplex. All of this looks at released numbers only, and costs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.queries.measures import Found

__all__ = ["added_up"]


def added_up(parts: Found, total: Found, *, counts: bool) -> tuple[Found, Found]:
    """Parts and a total that add up, with their errors.

    >>> parts = (np.array([50.0, 30.0, -4.0]), np.full(3, 6.0))
    >>> (values, _), (whole, _) = added_up(parts, (np.array(84.0), np.array(6.0)), counts=True)
    >>> values.tolist(), float(whole)
    ([51.0, 31.0, 0.0], 82.0)
    """
    values, errors = (np.asarray(each, float) for each in parts)
    measured, off = (float(np.asarray(each)) for each in total)
    number, error = values.size, float(errors.flat[0])
    of_sum, of_total = number * error**2, off**2
    both = of_sum + of_total
    share = of_sum / both if both > 0 else 1.0  # how far the measured total is believed
    whole = share * measured + (1 - share) * values.sum()
    if counts:
        whole = max(whole, 0.0)
        values = _on_simplex(values.ravel(), whole).reshape(values.shape)
    else:
        values = values + (whole - values.sum()) / number
    variance = of_sum * of_total / both if both > 0 else 0.0
    each = np.sqrt(error**2 * (1 - 1 / number) + variance / number**2)
    return (values, np.full(values.shape, each)), (np.asarray(whole), np.asarray(np.sqrt(variance)))


def _on_simplex(values: NDArray[Any], whole: float) -> NDArray[Any]:
    """The nearest numbers that are not negative and add up to ``whole`` (Held, Wolfe, Crowder 1974)."""
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - whole) / np.arange(1, len(values) + 1)
    last = np.nonzero(falling - excess > 0)[0]
    return np.maximum(values - excess[last[-1]], 0.0) if len(last) else np.zeros(len(values))
