"""The complete search behind ``trend_sensitivity``, and the exact p-value search, compiled."""

from __future__ import annotations

import numpy as np

from privet.compiled import njit

__all__ = ["largest_change", "largest_p_change"]


@njit
def _trend(a: float, b: float, q: float, cases: float, controls: float) -> float:  # pragma: no cover
    total = cases + controls
    u = controls * a - cases * b
    v = total * q - (a + b) * (a + b)
    return total * u * u / (cases * controls * v) if v > 0.5 else 0.0


@njit
def largest_change(cases: int, controls: int) -> float:  # pragma: no cover
    """The largest |change| of the trend χ² over all tables and all changes of one case."""
    worst = 0.0
    total = cases + controls
    for a in range(2 * cases + 1):
        # Squares of the cases: a + 2·(how many have two copies).
        low, high = a + 2 * max(0, a - cases), a + 2 * (a // 2)
        for up in range(3):
            rise, squares = (1, 1) if up == 0 else (1, 3) if up == 1 else (2, 4)
            new = a + rise
            if new > 2 * cases:
                continue
            # Both the old and the new cases must be possible: their squares differ by `squares`.
            least = max(low, new + 2 * max(0, new - cases) - squares)
            most = min(high, new + 2 * (new // 2) - squares)
            if least > most:
                continue
            for b in range(2 * controls + 1):
                start = least + b + 2 * max(0, b - controls)
                end = most + b + 2 * (b // 2)
                u, v = abs(controls * a - cases * b), abs(controls * new - cases * b)
                # V(q) = N·q − (a+b)², V′(q) = N·(q+squares) − (new+b)²; |u|·V′ = |v|·V at this q:
                middle = start
                if u != v:
                    gap = float(total * squares - (new + b) * (new + b))
                    middle = int(
                        np.floor((u * gap + v * float((a + b) * (a + b))) / (float(total) * (v - u)))
                    )
                    middle = min(max(middle - (middle - start) % 2, start), end)
                for place in range(4):
                    q = (
                        start
                        if place == 0
                        else end
                        if place == 1
                        else middle
                        if place == 2
                        else min(middle + 2, end)
                    )
                    change = abs(
                        _trend(new, b, q + squares, cases, controls) - _trend(a, b, q, cases, controls)
                    )
                    worst = max(worst, change)
    return worst


@njit
def largest_p_change(cases: int, controls: int) -> float:  # pragma: no cover
    """The largest |change| of the p-value of 3 × 2 tables when one case changes its value.

    Rows i (left) and j (entered) have x and y cases and u and v controls before; the third row has the rest.
    """
    total = float(cases + controls)
    factor = total * total / (cases * controls)
    worst = 0.0
    for u in range(controls + 1):
        for v in range(controls - u + 1):
            w = controls - u - v
            for x in range(1, cases + 1):
                before_i = x * x / (x + u)
                after_i = (x - 1) * (x - 1) / (x - 1 + u) if x - 1 + u > 0 else 0.0
                for y in range(cases - x + 1):
                    z = cases - x - y
                    rest = (z * z / (z + w) if z > 0 else 0.0) - cases * cases / total
                    before = before_i + (y * y / (y + v) if y > 0 else 0.0) + rest
                    after = after_i + (y + 1.0) * (y + 1) / (y + 1 + v) + rest
                    change = abs(np.exp(-factor * before / 2) - np.exp(-factor * after / 2))
                    if change > worst:
                        worst = change
    return worst
