"""A published way to find the values of a category: a name that one person has may be told."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privet.mechanisms.threshold import Threshold
from reproduction.peers.private_names import chance_of_a_name, deviation, names_told

EPSILON, DELTA, BINS = 0.1, 5e-6, 31  # of the binning, of ε = 1 and δ = 1e-5 for the whole


@pytest.mark.parametrize(("records", "chance"), [(100, 0.47), (1000, 0.17), (3000, 0.0016)])
def test_a_name_that_one_record_has_is_told_far_more_often_than_claimed(records, chance):
    """Without the record it is never told, so its chance is at most δ; it is thousands of times that."""
    found = chance_of_a_name(records, deviation(1, EPSILON, DELTA), BINS)
    assert found == pytest.approx(chance, rel=0.05)
    assert found > 100 * DELTA


def test_that_is_how_often_it_happens():
    draw, noise = np.random.default_rng(0), deviation(1, EPSILON, DELTA)
    without = ["flu"] * 999
    told = [names_told([*without, "a rare disease"], noise, BINS, draw) for _ in range(4000)]
    assert np.mean(["a rare disease" in names for names in told]) == pytest.approx(0.17, abs=0.03)


def test_a_threshold_for_delta_keeps_its_promise():
    """Privet's own: what one record alone has is named with a chance below δ."""
    own = Threshold(Fraction(1, 10), Fraction(5, 10**6))
    passes = -np.expm1(own.log_probability({"a rare disease": 1}, {}))
    assert 0 < passes < DELTA
