"""Shares for outputs, resampled blocks and loose ranges: what is lost stays within the budget."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.budget import Pure, Zcdp
from privet.mechanisms.weighted_mean import WeightedMean
from privet.randomness import seeded

GRID = 1000
HALF = Fraction(1, 2)


def rows(blocks, copies=1, moved=0):
    """Outputs in the lower half; ``moved`` of them jump to the top."""
    matrix = np.tile(np.linspace(100, 500, blocks * copies).astype(np.int64)[:, None], (1, 2))
    matrix[:moved] = GRID
    return matrix


def seen_loss(mechanism, one, two, draws=600):
    """The largest log-ratio of a threshold's probabilities that the draws are sure of (4 deviations)."""
    random = seeded(5)
    found = [np.array([mechanism.released(m, random)[0].sum() for _ in range(draws)]) for m in (one, two)]
    largest = 0.0
    for cut in np.linspace(0.2, 1.8, 33):
        q, p = ((each > cut).mean() for each in found)
        low = p - 4 * math.sqrt(max(p * (1 - p), 1e-3) / draws)
        high = q + 4 * math.sqrt(max(q * (1 - q), 1e-3) / draws)
        if low > 0:
            largest = max(largest, math.log(low / high))
    return largest


@pytest.mark.parametrize("loose", [False, True])
def test_neighbours_are_within_epsilon_and_too_few_copies_are_found(loose):
    honest = WeightedMean(Pure(Fraction(1)), 4, GRID, (HALF, HALF), copies=3, loose=loose)
    assert seen_loss(honest, rows(4, 3), rows(4, 3, moved=3)) <= 1
    if not loose:  # noise for one row, where three change
        planted = WeightedMean(Pure(Fraction(2)), 12, GRID, (HALF, HALF), copies=1)
        assert seen_loss(planted, rows(12), rows(12, moved=9)) > 2


def test_shares_decide_who_gets_the_noise():
    mean = WeightedMean(Pure(Fraction(4)), 100, GRID, (Fraction(1, 5), Fraction(4, 5)))
    _, errors = mean.released(rows(100), seeded(1))
    assert errors[0] > 3 * errors[1]
    assert mean.error() == pytest.approx(errors[0])
    with pytest.raises(ValueError, match="add up"):
        WeightedMean(Pure(Fraction(4)), 100, GRID, (Fraction(1, 5), Fraction(9, 10)))


def test_a_loose_range_is_tightened_and_pays_off():
    narrow = np.tile(np.linspace(480, 520, 400).astype(np.int64)[:, None], (1, 1))
    amounts = (Pure(Fraction(2)), Zcdp(Fraction(1, 2)))
    for amount in amounts:
        loose = WeightedMean(amount, 400, GRID, (Fraction(1),), loose=True)
        tight = WeightedMean(amount, 400, GRID, (Fraction(1),))
        off = {
            each.loose: np.mean([abs(each.released(narrow, seeded(n))[0][0] - 0.5) for n in range(40)])
            for each in (loose, tight)
        }
        assert off[True] <= 1.5 * off[False]
        assert loose.released(narrow, seeded(3))[1][0] < tight.released(narrow, seeded(3))[1][0] / 3
