"""The stratified trend test: its value, and its sensitivity over every pair of neighbours."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from privet.errors import DataError
from privet.stats.association.alleles import trend_chi_square
from privet.stats.association.mantel import MantelTrend, mantel_chi_square, mantel_sensitivity


def rows(size):
    return [(a, b, size - a - b) for a in range(size + 1) for b in range(size + 1 - a)]


def all_stratified(sizes):
    return np.array(list(product(*(rows(size) for size in sizes))), np.int64)


def largest_change(sizes):
    tables = all_stratified(sizes)
    values = mantel_chi_square(tables)
    place = {table.tobytes(): number for number, table in enumerate(tables)}
    worst = 0.0
    for row, old, new in product(range(len(sizes)), range(3), range(3)):
        able = np.flatnonzero(tables[:, row, old] > 0)
        if old == new or not len(able):
            continue
        moved = tables[able].copy()
        moved[:, row, old] -= 1
        moved[:, row, new] += 1
        others = [place[table.tobytes()] for table in moved]
        worst = max(worst, float(np.abs(values[able] - values[others]).max()))
    return worst


@pytest.mark.parametrize(
    "sizes",
    [(2, 2, 2, 2), (1, 3, 3, 1), (1, 4, 2, 3), (5, 1, 2, 3), (1, 1, 4, 4), (3, 3, 3, 2), (2, 2, 1, 1, 2, 1)],
)
def test_no_change_of_one_subject_exceeds_the_sensitivity(sizes):
    worst, bound = largest_change(sizes), float(mantel_sensitivity(sizes))
    assert worst <= bound + 1e-9
    assert bound < 12 * worst  # not so loose that a wrong factor would go unnoticed


def test_one_stratum_is_the_trend_test():
    draw = np.random.default_rng(0)
    tables = np.stack([draw.multinomial(n, [0.5, 0.3, 0.2], 50) for n in (40, 60)], axis=1)
    assert np.allclose(mantel_chi_square(tables), trend_chi_square(tables) * 99 / 100)
    assert largest_change((4, 3)) <= float(mantel_sensitivity((4, 3)))


def test_strata_without_a_comparison_tell_nothing():
    tables = np.array([[[3, 2, 1], [1, 2, 3], [4, 0, 3], [0, 0, 0]]])
    assert np.allclose(mantel_chi_square(tables), mantel_chi_square(tables[:, :2]))
    assert mantel_sensitivity((6, 6, 7, 0)) == mantel_sensitivity((6, 6))
    with pytest.raises(DataError, match="both cases and controls"):
        mantel_sensitivity((5, 0, 0, 4))


def test_confounding_by_the_stratum_disappears():
    """Two populations with other frequencies and other shares of cases; no effect within them."""
    draw = np.random.default_rng(0)
    sizes = ((300, 100), (100, 300))
    frequency = draw.uniform(0.1, 0.9, (400, 2))
    parts = []
    for stratum, group in product(range(2), range(2)):
        f = frequency[:, stratum]
        shares = np.stack([(1 - f) ** 2, 2 * f * (1 - f), f * f], axis=1)
        parts.append(draw.multinomial(sizes[stratum][group], shares))
    tables = np.stack(parts, axis=1)
    pooled = tables.reshape(400, 2, 2, 3).sum(axis=1)
    assert np.median(trend_chi_square(pooled)) > 5
    assert 0.3 < np.median(mantel_chi_square(tables)) < 0.65  # 0.455 is the median of χ² with one degree


def test_fixed_point_scores_follow_the_sensitivity():
    from privet.schema import Unit

    tables = all_stratified((2, 2, 2, 1))
    judged = MantelTrend().judge([tables], Unit("replace"))
    assert judged.sensitivity >= largest_change((2, 2, 2, 1)) * judged.scale


def test_the_bound_is_approached():
    """Cases of one stratum have one copy, its controls none; in the other one case is unlike the rest."""
    size = 200
    before = np.array([[[0, size, 0], [size, 0, 0], [1, 0, size - 1], [0, 0, size]]])
    after = np.array([[[0, size, 0], [size, 0, 0], [0, 0, size], [0, 0, size]]])
    rise = float(mantel_chi_square(after)[0] - mantel_chi_square(before)[0])
    bound = float(mantel_sensitivity((size,) * 4))
    assert 0.93 * bound < rise <= bound
