"""Steps of additive models: neighbours help where noise rules, and error bars hold the noise."""

from __future__ import annotations

import numpy as np
import pytest

from privet.learning.additive import steps
from privet.learning.additive.steps import step
from privet.stats import Coded
from privet.stats.boosting import Grouped, Grouping

SPREADS = np.array([0.1, 0.17, 0.3])
NUMBER = Grouping((Grouped(Coded("age", tuple(map(float, range(1, 20)))), tuple(range(21))),))
CATEGORY = Grouping((Grouped(Coded("ward"), tuple(range(21))),))
PAIR = Grouping(
    tuple(Grouped(Coded(name, tuple(map(float, range(1, 8)))), tuple(range(9))) for name in ("age", "dose"))
)
WAVE = 0.5 * np.sin(np.arange(21) / 4)[:, None]


def released(draw, move, height, noise):
    """Residuals of cells that should move so far, with chance; and with the noise besides."""
    exact = height * move + np.sqrt(height) * draw.standard_normal(move.shape)
    return exact, exact + draw.laplace(0, noise / np.sqrt(2), move.shape)


def missed(grouping, draw, move, height=60.0, noise=20.0):
    """How far a step ends from where it should, on the average of many tables."""
    heights, off = np.full(move.shape, height), []
    for _ in range(100):
        _, noisy = released(draw, move, height, noise)
        found, _ = step(noisy, heights, noise**2 + heights, noise, grouping, SPREADS)
        off.append(((found - move) ** 2).mean())
    return np.mean(off)


def test_neighbours_help_where_noise_rules():
    draw = np.random.default_rng(0)
    assert missed(NUMBER, draw, WAVE) < 0.8 * missed(CATEGORY, draw, WAVE)


def test_values_of_a_category_have_no_neighbours():
    residual, ones = np.zeros((21, 1)), np.ones((21, 1))
    residual[:10] = 60.0
    residual[4] = 0.0
    moves = {
        grouping: step(residual, 30 * ones, 400 * ones, 18.0, grouping, SPREADS)[0][4, 0]
        for grouping in (NUMBER, CATEGORY)
    }
    assert moves[CATEGORY] == 0
    assert moves[NUMBER] > 0.3


@pytest.mark.parametrize("grouping", [NUMBER, CATEGORY, PAIR], ids=["number", "category", "pair"])
def test_error_bars_hold_the_noise(grouping):
    """How far noise moves a cell beside the step that the exact residuals would make by the same weights."""
    draw = np.random.default_rng(1)
    place = np.arange(grouping.size) % 21
    move, heights, noise = WAVE[place], np.full((grouping.size, 1), 40.0), 8.0
    held, exact_held = [], []
    for _ in range(200):
        exact, noisy = released(draw, move, 40.0, noise)
        (found, error), (right, _) = (
            step(each, heights, noise**2 + heights, noise, grouping, SPREADS) for each in (noisy, exact)
        )
        held.append(np.abs(found - right) <= 1.96 * error)
        exact_held.append(error > 0)
    assert np.all(exact_held)
    assert np.mean(held) > 0.9


@pytest.mark.parametrize(("height", "size"), [(10_000.0, 21), (10.0, 900)])
def test_where_cells_are_clear_or_too_many_neighbours_are_not_asked(monkeypatch, height, size):
    """Solving for all cells at once takes time that grows with the third power of their number."""
    monkeypatch.setattr(steps, "_likeness", lambda *_: pytest.fail("neighbours were asked"))
    many = Grouping((Grouped(Coded("age", tuple(map(float, range(size - 2)))), tuple(range(size))),))
    ones = np.ones((size, 1))
    found, error = step(height * 0.1 * ones, height * ones, (height + 100) * ones, 10.0, many, SPREADS)
    assert np.isfinite(found).all()
    assert np.isfinite(error).all()
