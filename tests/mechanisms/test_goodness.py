"""The test of the test: it accepts what is right, and rejects what is 10 % off, either way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats


def test_exact_frequencies_are_accepted(p_value):
    assert p_value(np.array([100, 200, 700]), np.array([0.1, 0.2, 0.7])) == pytest.approx(1.0)


def test_probabilities_must_add_up(p_value):
    with pytest.raises(AssertionError, match="add up"):
        p_value(np.array([100, 200, 700]), np.array([0.1, 0.2, 0.6]))


def test_false_alarms_are_as_rare_as_promised(noise_p_value):
    generator = np.random.default_rng(1)
    p_values = [
        noise_p_value(generator.normal(0, 3, size=2000), stats.norm(0, 3).logpdf, 3.0) for _ in range(200)
    ]
    # p-values of a right hypothesis are uniform.
    assert stats.kstest(p_values, "uniform").pvalue > 1e-6


@pytest.mark.parametrize("wrong", [0.9, 1.1])
@pytest.mark.parametrize("distribution", [stats.norm, stats.laplace])
def test_a_wrong_scale_is_rejected(noise_p_value, false_alarm, distribution, wrong):
    noise = distribution(0, 3).rvs(size=25_000, random_state=1)
    assert noise_p_value(noise, distribution(0, 3).logpdf, 3.0) > false_alarm
    assert noise_p_value(noise, distribution(0, 3 * wrong).logpdf, 3.0) < false_alarm


def test_a_shift_is_rejected(noise_p_value, false_alarm):
    noise = stats.laplace(0.3, 3).rvs(size=25_000, random_state=1)
    assert noise_p_value(noise, stats.laplace(0, 3).logpdf, 3.0) < false_alarm


def test_one_cell_is_no_test(p_value):
    with pytest.raises(AssertionError, match="nothing to compare"):
        p_value(np.array([1, 999]), np.array([0.001, 0.999]))
