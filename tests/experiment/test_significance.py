"""The corrected t-test and the ranks, against published constants and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, ttest_1samp

from privet.experiment.significance import corrected_interval, corrected_p_value, ranked


def test_without_overlap_it_is_the_paired_t_test():
    differences = np.random.default_rng(0).normal(0.1, 1, 12)
    assert corrected_p_value(differences, 0) == pytest.approx(ttest_1samp(differences, 0).pvalue)


def test_the_correction_holds_its_level_where_the_plain_test_does_not():
    draw = np.random.default_rng(1)
    wrong = {0.0: 0, 1 / 9: 0}
    for _ in range(400):
        # Scores of resamples share what they were trained on: correlation test / (test + train).
        scores = draw.normal(0, np.sqrt(0.1)) + draw.normal(0, np.sqrt(0.9), 100)
        for ratio in wrong:
            wrong[ratio] += corrected_p_value(scores, ratio) < 0.05
    assert wrong[0.0] > 150
    assert wrong[1 / 9] < 60


def test_edges():
    assert corrected_p_value([0.1], 1) == 1
    assert corrected_interval([0.1], 1) == np.inf
    assert corrected_p_value([0.0, 0.0], 1) == 1
    assert corrected_p_value([0.1, 0.1], 1) == 0


def test_ranks_and_critical_differences_are_those_of_the_books():
    scores = np.random.default_rng(2).random((14, 4))
    found = ranked("abcd", scores)
    assert found.p_value == pytest.approx(friedmanchisquare(*scores.T).pvalue)
    # Demšar (2006): q(0.05, 4) = 2.569, and CD = 1.25 for 4 classifiers on 14 tables.
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
