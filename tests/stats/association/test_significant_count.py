"""The scores of a private count: right, and of sensitivity 1."""

from __future__ import annotations

import numpy as np

from privet.stats.association.significant_count import count_scores


def test_count_scores_have_sensitivity_one_and_are_right():
    draw = np.random.default_rng(0)
    for _ in range(300):
        distances = draw.integers(-6, 7, draw.integers(1, 9))
        scores = count_scores(distances, len(distances))
        assert np.flatnonzero(scores == 0).tolist() == [(distances >= 1).sum()]
        moved = distances + draw.integers(-1, 2, len(distances))
        assert np.abs(count_scores(moved, len(distances)) - scores).max() <= 1
