"""Staircase noise: its exact probabilities, its loss, and that no other step width does better."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget.events import PureEvent
from privet.errors import DataError, ParameterError
from privet.mechanisms import Additive, GeometricNoise, Staircase
from privet.randomness import secure, seeded

NOISE = Staircase(Fraction(3, 2), sensitivity=12)
SOURCES = {"secure": secure, "seeded": lambda: seeded(20_240_601)}


def support(noise: Staircase) -> np.ndarray:
    reach = math.ceil(60 * noise.scale) + 2 * noise.sensitivity
    return np.arange(-reach, reach + 1)


@pytest.mark.parametrize("source", SOURCES)
def test_noise_has_its_distribution_and_no_other(source, noise_p_value, false_alarm):
    noise = NOISE.randomise(np.zeros(25_000, np.int64), SOURCES[source]())
    assert noise_p_value(noise, NOISE.log_probability, NOISE.scale) > false_alarm
    for factor in ("0.9", "1.1"):
        wrong = Staircase(NOISE.epsilon / Fraction(factor), NOISE.sensitivity)
        assert noise_p_value(noise, wrong.log_probability, wrong.scale) < false_alarm


@pytest.mark.parametrize("epsilon", ["1/100", "1", "4", "20"])
@pytest.mark.parametrize("sensitivity", [1, 2, 3, 17])
def test_figures_follow_from_the_probabilities(epsilon, sensitivity):
    noise = Staircase(Fraction(epsilon), sensitivity)
    x = support(noise)
    p = np.exp(noise.log_probability(x))
    assert p.sum() == pytest.approx(1.0, rel=1e-9)
    assert noise.standard_deviation == pytest.approx(math.sqrt((x**2 * p).sum()), rel=1e-8)
    assert noise.mean_absolute == pytest.approx((np.abs(x) * p).sum(), rel=1e-8)
    for confidence in (0.3, 0.5, 0.9, 0.95, 0.999, 1 - 1e-6):
        error = noise.error(confidence)
        assert p[np.abs(x) <= error].sum() >= confidence - 1e-9
        assert error == 0 or p[np.abs(x) < error].sum() < confidence + 1e-9


@pytest.mark.parametrize("epsilon", ["1/100", "1", "6"])
@pytest.mark.parametrize("sensitivity", [1, 2, 5, 17])
def test_loss_is_at_most_epsilon_for_every_change_and_reaches_it(epsilon, sensitivity):
    noise = Staircase(Fraction(epsilon), sensitivity)
    outputs = np.arange(-20 * sensitivity, 20 * sensitivity + 1)
    here = noise.log_probability(outputs)
    losses = [
        np.abs(here - noise.log_probability(outputs - change)).max() for change in range(sensitivity + 1)
    ]
    assert max(losses) <= float(noise.epsilon) + 1e-9
    assert losses[-1] == pytest.approx(float(noise.epsilon))


@settings(max_examples=200, deadline=None)
@given(
    epsilon=st.fractions(min_value=Fraction(1, 10**8), max_value=200),
    sensitivity=st.integers(1, 2**20),
    coordinates=st.integers(1, 9),
)
def test_what_is_drawn_loses_no_more_than_is_claimed_to_the_last_digit(epsilon, sensitivity, coordinates):
    """The sampler draws with exactly p = _inner and b = exp(−1/s): both ratios of heights, in 120 digits."""
    noise = Staircase(epsilon, sensitivity, coordinates)
    getcontext().prec = 120
    exact = lambda q: Decimal(Fraction(q).numerator) / Decimal(Fraction(q).denominator)  # noqa: E731
    b = (-1 / exact(noise._step_scale)).exp()
    inner = exact(noise._inner)
    assert (noise._inner * 2**64).denominator == 1  # so that the draw of p is exact
    high = inner / (2 * noise.width - 1)
    low = (1 - inner) * (1 - b) / (2 * sensitivity)
    smallest = (-exact(epsilon / coordinates)).exp()
    assert b >= smallest
    assert smallest <= low / high <= 1


@pytest.mark.parametrize("epsilon", ["1/100", "1/10", "1", "2", "5", "10", "30"])
@pytest.mark.parametrize("sensitivity", [1, 2, 3, 10, 41])
def test_no_other_width_has_a_smaller_expected_error_nor_has_geometric_noise(epsilon, sensitivity):
    noise = Staircase(Fraction(epsilon), sensitivity)
    b = math.exp(-float(noise.epsilon))

    def expected(r: int) -> float:  # from the definition, by summation
        x = np.arange(0, sensitivity * math.ceil(3 + 45 / float(noise.epsilon)))
        p = b ** ((x + sensitivity - r) // sensitivity).astype(float)
        p[1:] *= 2
        return float((x * p).sum() / p.sum())

    best = min(map(expected, range(1, sensitivity + 1)))
    assert noise.mean_absolute == pytest.approx(best, rel=1e-6, abs=1e-12)
    scale = GeometricNoise(noise.epsilon, sensitivity).scale
    geometric = 1 / math.sinh(1 / scale)  # E|X| of discrete Laplace noise
    assert noise.mean_absolute <= geometric * (1 + 1e-9) + sensitivity * 2.0**-60  # p is a multiple of 2⁻⁶⁴


def test_a_large_epsilon_gains_much_and_the_width_tends_to_the_optimal_gamma():
    noise = Staircase(Fraction(10), 1000)
    assert noise.mean_absolute < GeometricNoise(Fraction(10), 1000).scale / 10
    for epsilon in (0.1, 1.0, 4.0):
        assert Staircase(Fraction(epsilon), 10**6).gamma == pytest.approx(
            1 / (1 + math.exp(epsilon / 2)), abs=2e-6
        )


def test_sensitivity_one_is_geometric_noise():
    x = np.arange(-30, 31)
    np.testing.assert_allclose(
        Staircase(Fraction(2, 3)).log_probability(x),
        GeometricNoise(Fraction(2, 3)).log_probability(x),
        rtol=1e-9,
    )


def test_an_l1_bound_alone_would_not_do_so_coordinates_share_epsilon():
    one = Staircase(Fraction(1), 10)
    two = Staircase(Fraction(1), 10, coordinates=2)
    outputs = np.arange(-100, 101)

    def loss(noise: Staircase, change: int) -> float:
        return np.abs(noise.log_probability(outputs) - noise.log_probability(outputs - change)).max()

    assert 2 * loss(one, 5) == pytest.approx(2.0)  # an L1 distance of 10, and twice the claim
    assert 2 * loss(two, 10) == pytest.approx(1.0)
    assert two.event == PureEvent(Fraction(1), "staircase")


def test_contract_shapes_and_types():
    assert isinstance(NOISE, Additive)
    assert hash(NOISE) == hash(Staircase(Fraction(3, 2), 12))
    for source in (secure(), seeded(1)):
        value = np.arange(6).reshape(2, 3)
        noisy = NOISE.randomise(value, source)
        assert noisy.shape == (2, 3)
        assert noisy.dtype == np.int64
        np.testing.assert_array_equal(value, np.arange(6).reshape(2, 3))
        assert NOISE.randomise([], source).shape == (0,)
        assert (NOISE.randomise(value, source) != NOISE.randomise(value, source)).any()
        assert (Staircase(Fraction(10**40), 9).randomise(np.full(9, 5), source) == 5).all()
        limits = np.iinfo(np.int64)
        ends = Staircase(Fraction(1, 1000), 5).randomise([limits.min, limits.max] * 50, source)
        assert (ends[::2] < 0).all()
        assert (ends[1::2] > 0).all()


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf")])
def test_refuses_bad_parameters(bad):
    for fields in ({"epsilon": bad}, {"sensitivity": bad}, {"coordinates": bad}):
        with pytest.raises(ParameterError):
            Staircase(**{"epsilon": Fraction(1), "sensitivity": 2, **fields})


def test_refuses_what_overflows_and_what_is_not_whole():
    with pytest.raises(ParameterError, match="overflow"):
        Staircase(Fraction(1), 10**330)
    with pytest.raises(ParameterError, match="overflow"):
        Staircase(Fraction(1, 10**8), 1, coordinates=100)
    with pytest.raises(DataError) as caught:
        NOISE.randomise([4711.5], seeded(1))
    assert "4711" not in str(caught.value)
