from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.budget.events import PureEvent
from privet.errors import DataError, ParameterError
from privet.mechanisms import Mechanism, RandomisedResponse
from privet.randomness import secure, seeded

SOURCES = {"secure": secure, "seeded": lambda: seeded(20_240_601)}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("size", [2, 5])
def test_codes_have_their_distribution_and_no_other(source, size, p_value, false_alarm):
    right = RandomisedResponse(Fraction(1), size)
    randomness = SOURCES[source]()
    for code in range(size):
        randomised = right.randomise(np.full(100_000, code), randomness)
        observed = np.bincount(randomised, minlength=size)

        def fit(mechanism, code=code, observed=observed):
            probabilities = np.full(size, float(mechanism.probability_other))
            probabilities[code] = float(mechanism.probability_same)
            return p_value(observed, probabilities)

        assert fit(right) > false_alarm
        assert fit(RandomisedResponse(Fraction(9, 10), size)) < false_alarm
        assert fit(RandomisedResponse(Fraction(11, 10), size)) < false_alarm


@given(epsilon=st.fractions(Fraction(1, 10**9), 100), size=st.integers(2, 10**9))
def test_loss_is_at_most_epsilon_exactly(epsilon, size):
    mechanism = RandomisedResponse(epsilon, size)
    same, other = mechanism.probability_same, mechanism.probability_other
    assert same + (size - 1) * other == 1
    assert 2**64 % mechanism.gamma.denominator == 0  # the source can draw it without rounding
    # e^ε to 100 digits, independently of the 60 that the mechanism uses, and from below
    context = Context(prec=100)
    power = Fraction(context.exp(context.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))))
    assert 1 <= same / other <= power * (1 - Fraction(1, 10**90))
    # not needlessly noisy: the next multiple of 2^-64 would lose too much
    gamma = mechanism.gamma + Fraction(2, 2**64)
    assert gamma >= 1 or 1 + size * gamma / (1 - gamma) > power


def test_event_and_contract():
    mechanism = RandomisedResponse(Fraction(1, 2), 4)
    assert isinstance(mechanism, Mechanism)
    assert mechanism.event == PureEvent(Fraction(1, 2), "randomised_response")


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_keeps_shape_type_and_input(kind):
    codes = np.array([[0, 1, 2], [2, 1, 0]], dtype=kind)
    codes.flags.writeable = False
    for source in (secure(), seeded(1)):
        randomised = RandomisedResponse(Fraction(1), 3).randomise(codes, source)
        assert randomised.shape == (2, 3)
        assert randomised.dtype == kind
        assert set(randomised.ravel()) <= {0, 1, 2}


def test_a_narrow_type_is_widened_for_many_categories():
    codes = np.zeros(3000, dtype=np.int8)
    randomised = RandomisedResponse(Fraction(1, 1000), 300).randomise(codes, secure())
    assert randomised.min() >= 0
    assert randomised.max() > 127
    assert randomised.max() < 300


def test_empty_and_extreme():
    assert RandomisedResponse(Fraction(1), 3).randomise([], secure()).shape == (0,)
    codes = np.arange(1000) % 7
    np.testing.assert_array_equal(RandomisedResponse(Fraction(10**6), 7).randomise(codes, secure()), codes)
    assert (RandomisedResponse(Fraction(1, 10**9), 7).randomise(codes, secure()) == codes).mean() < 0.3


def test_estimated_counts_are_right_on_average():
    mechanism = RandomisedResponse(Fraction(1), 4)
    truth = np.array([70_000, 20_000, 10_000, 0])
    randomised = mechanism.randomise(np.repeat(np.arange(4), truth), seeded(5))
    estimate = mechanism.estimate_counts(randomised)
    assert estimate.sum() == pytest.approx(truth.sum())
    # The deviation is that of a rare category; a common one's is larger by less than half.
    assert np.abs(estimate - truth).max() < 1.5 * 5 * mechanism.standard_deviation(100_000)
    assert math.isclose(mechanism.standard_deviation(400), 2 * mechanism.standard_deviation(100))


@pytest.mark.parametrize("bad", [[0, 3], [-1, 0], [0.0, 1.0], ["a"], [True, False]])
def test_refuses_codes_outside_the_domain(bad):
    with pytest.raises(DataError, match="codes from 0 to 2"):
        RandomisedResponse(Fraction(1), 3).randomise(np.array(bad), secure())


@pytest.mark.parametrize(("epsilon", "size"), [(0, 3), (-1, 3), (1, 1), (1, 0), (1, 2.5), (float("nan"), 3)])
def test_refuses_bad_parameters(epsilon, size):
    with pytest.raises(ParameterError):
        RandomisedResponse(epsilon, size)
