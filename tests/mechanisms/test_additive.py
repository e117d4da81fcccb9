"""Mechanisms that add noise: one set of tests for all of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget.events import GaussianEvent, PureEvent
from privet.errors import DataError, ParameterError
from privet.mechanisms import Additive, DiscreteGaussian, Gaussian, GeometricNoise, Laplace
from privet.mechanisms.rounding import root_up, up
from privet.randomness import secure, seeded

SOURCES = {"secure": secure, "seeded": lambda: seeded(20_240_601)}

amounts = st.fractions(min_value=Fraction(1, 10**6), max_value=1000) | st.floats(1e-6, 1e3).map(Fraction)
sensitivities = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6) | st.floats(1e-6, 1e6).map(
    Fraction
)


class AdditiveTests(ABC):
    """What every mechanism that adds noise passes."""

    mechanism: Additive
    samples: int
    amount: str  # the name of the field that says how much is spent
    sensitivity: str  # and of the one that says how much an answer can change

    @abstractmethod
    def rescaled(self, factor: float) -> Additive:
        """The mechanism, with noise of a scale that is wrong by this factor."""

    @abstractmethod
    def claimed_and_mapped(self, amount: Fraction, sensitivity: Fraction) -> tuple[Fraction, float]:
        """What a mechanism claims to lose, and what OpenDP says that noise of its scale loses."""

    @property
    def zero(self) -> np.ndarray:
        whole = isinstance(self.mechanism, GeometricNoise | DiscreteGaussian)
        return np.zeros(self.samples, dtype=np.int64 if whole else np.float64)

    @pytest.mark.parametrize("source", SOURCES)
    def test_noise_has_its_distribution_and_no_other(self, source, noise_p_value, false_alarm):
        noise = self.mechanism.randomise(self.zero, SOURCES[source]())
        assert noise_p_value(noise, self.mechanism.log_probability, self.mechanism.scale) > false_alarm
        for factor in (0.9, 1.1):
            wrong = self.rescaled(factor)
            assert wrong.scale == pytest.approx(factor * self.mechanism.scale)
            assert noise_p_value(noise, wrong.log_probability, wrong.scale) < false_alarm

    def test_noise_is_independent_between_coordinates(self):
        noise = self.mechanism.randomise(self.zero[:5000], secure()).astype(float)
        lagged = np.corrcoef(noise[:-1], noise[1:])[0, 1]
        assert abs(lagged) < 5.5 / math.sqrt(noise.size)

    def test_standard_deviation_and_error_follow_from_the_probabilities(self):
        for factor in (0.05, 0.3, 1.0, 3.0):
            mechanism = self.rescaled(factor)
            step = 1.0 if self.zero.dtype == np.int64 else mechanism.scale / 1000
            support = np.arange(
                -math.ceil(50 * mechanism.scale / step), math.ceil(50 * mechanism.scale / step) + 1
            )
            support = support * step
            probabilities = np.exp(mechanism.log_probability(support)) * step
            assert probabilities.sum() == pytest.approx(1.0, rel=1e-5)
            deviation = math.sqrt((support**2 * probabilities).sum())
            assert mechanism.standard_deviation == pytest.approx(deviation, rel=1e-5)
            for confidence in (0.5, 0.9, 0.95, 0.999):
                error = mechanism.error(confidence)
                assert probabilities[np.abs(support) <= error + step / 2].sum() >= confidence - 1e-5
                if error > 0:  # and nothing smaller would do
                    inside = np.abs(support) < error - step / 2
                    assert probabilities[inside].sum() < confidence + 1e-5

    def test_keeps_shape_type_and_input(self):
        for source in (secure(), seeded(1)):
            value = np.arange(6).reshape(2, 3).astype(self.zero.dtype)
            before = value.copy()
            value.flags.writeable = False
            noisy = self.mechanism.randomise(value, source)
            assert noisy.shape == (2, 3)
            assert noisy.dtype == self.zero.dtype
            assert not np.shares_memory(noisy, value)
            np.testing.assert_array_equal(value, before)
            assert self.mechanism.randomise(self.zero[:0], source).shape == (0,)
            assert self.mechanism.randomise([], source).dtype == self.zero.dtype
            assert self.mechanism.randomise(self.zero[0], source).shape == ()

    def test_draws_afresh_each_time(self):
        for source in (secure(), seeded(1)):
            first, second = (self.mechanism.randomise(self.zero[:50], source) for _ in range(2))
            assert (first != second).any()

    def test_conforms_to_the_contract(self):
        assert isinstance(self.mechanism, Additive)
        assert hash(self.mechanism) == hash(replace(self.mechanism))

    @pytest.mark.parametrize("bad", [0, -1, Fraction(-1, 3), float("nan"), float("inf")])
    def test_refuses_bad_parameters(self, bad):
        for field in (self.amount, self.sensitivity):
            with pytest.raises(ParameterError):
                replace(self.mechanism, **{field: bad})

    def test_refuses_an_overflowing_scale_with_advice(self):
        with pytest.raises(ParameterError, match="overflow") as caught:
            replace(self.mechanism, **{self.sensitivity: 10**330})
        assert caught.value.advice

    @pytest.mark.parametrize("bad", [["4711", "x"], [4711.5, float("nan")], [4711.5, float("inf")], [2**70]])
    def test_refuses_bad_values_without_telling_them(self, bad):
        with pytest.raises(DataError) as caught:
            self.mechanism.randomise(bad, seeded(1))
        assert "4711" not in str(caught.value)
        assert caught.value.__cause__ is None

    def test_a_huge_amount_leaves_values_as_they_are(self):
        mechanism = replace(self.mechanism, **{self.amount: Fraction(10**40)})
        for source in (secure(), seeded(1)):
            np.testing.assert_allclose(mechanism.randomise(self.zero[:9] + 5, source), 5, atol=1e-12)
        assert mechanism.error() == pytest.approx(0.0, abs=1e-12)

    def test_the_largest_noise_still_has_its_distribution_and_no_other(self, noise_p_value, false_alarm):
        mechanism = self.rescaled(1e6)
        # At this scale whole numbers lie so close that their probabilities are a density.
        noise = mechanism.randomise(self.zero, secure()).astype(float)
        assert noise_p_value(noise, mechanism.log_probability, mechanism.scale) > false_alarm
        for factor in (0.9e6, 1.1e6):
            wrong = self.rescaled(factor)
            assert noise_p_value(noise, wrong.log_probability, wrong.scale) < false_alarm

    def test_a_huge_sensitivity_drowns_every_value(self):
        mechanism = replace(self.mechanism, **{self.sensitivity: 10**15})
        noise = mechanism.randomise(self.zero[:200], secure()).astype(float)
        assert np.isfinite(noise).all()
        assert np.median(np.abs(noise)) > mechanism.scale / 10


def opendp_loss(
    maker: str, metric: str, kind: str, distance: str, scale: float, change: float | int
) -> float:
    """OpenDP's bound on the loss, when answers change by this much."""
    from opendp import domains, measurements, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    atom = domains.atom_domain(T=kind, nan=False) if kind == "f64" else domains.atom_domain(T=kind)
    space = domains.vector_domain(atom), getattr(metrics, metric)(T=distance)
    return getattr(measurements, maker)(*space, scale).map(change)


class PureTests(AdditiveTests):
    amount = "epsilon"
    sensitivity = "sensitivity"

    def rescaled(self, factor):
        return replace(self.mechanism, epsilon=self.mechanism.epsilon / Fraction(str(factor)))

    def test_event(self):
        assert isinstance(self.mechanism.event, PureEvent)
        assert self.mechanism.event.epsilon == self.mechanism.epsilon

    def test_loss_on_neighbours_is_at_most_epsilon_and_reaches_it(self):
        outputs = np.arange(-200, 201)
        for change in range(-int(self.mechanism.sensitivity), int(self.mechanism.sensitivity) + 1):
            loss = self.mechanism.log_probability(outputs) - self.mechanism.log_probability(outputs - change)
            assert np.abs(loss).max() <= float(self.mechanism.epsilon) + 1e-9
        assert np.abs(loss).max() == pytest.approx(float(self.mechanism.epsilon))
        assert self.mechanism.sensitivity / Fraction(self.mechanism.scale) <= self.mechanism.epsilon


class TestGeometric(PureTests):
    mechanism = GeometricNoise(epsilon=Fraction(2, 3), sensitivity=2)
    samples = 25_000

    def claimed_and_mapped(self, amount, sensitivity):
        mechanism = GeometricNoise(amount, math.ceil(sensitivity))
        change = mechanism.sensitivity
        return amount, opendp_loss("make_laplace", "l1_distance", "i64", "i64", mechanism.scale, change)

    @pytest.mark.parametrize("source", SOURCES)
    def test_stops_at_the_ends_of_64_bits(self, source):
        limits = np.iinfo(np.int64)
        ends = np.array([limits.min, limits.max] * 50)
        noisy = GeometricNoise(Fraction(1, 1000)).randomise(ends, SOURCES[source]())
        assert (noisy[::2] < 0).all()
        assert (noisy[1::2] > 0).all()

    def test_refuses_sensitivities_that_are_not_whole(self):
        with pytest.raises(ParameterError, match="whole"):
            GeometricNoise(Fraction(1), sensitivity=1.5)

    def test_refuses_epsilons_that_64_bits_cannot_hold(self):
        assert GeometricNoise(Fraction(1, 10**9)).scale == pytest.approx(1e9)
        with pytest.raises(ParameterError, match="overflow"):
            GeometricNoise(Fraction(1, 10**10))
        with pytest.raises(ParameterError, match="overflow"):
            GeometricNoise(Fraction(1, 10**9), sensitivity=10**8)


class TestLaplace(PureTests):
    mechanism = Laplace(epsilon=Fraction(2, 3), sensitivity=Fraction(3))
    samples = 25_000

    def claimed_and_mapped(self, amount, sensitivity):
        mechanism, change = Laplace(amount, sensitivity), up(sensitivity)
        return amount, opendp_loss("make_laplace", "l1_distance", "f64", "f64", mechanism.scale, change)


class ConcentratedTests(AdditiveTests):
    amount = "rho"
    sensitivity = "squared_sensitivity"

    def rescaled(self, factor):
        return replace(self.mechanism, rho=self.mechanism.rho / Fraction(str(factor)) ** 2)

    def test_event(self):
        assert isinstance(self.mechanism.event, GaussianEvent)
        assert self.mechanism.event.rho == self.mechanism.rho

    @pytest.mark.parametrize("order", [1.01, 1.5, 2, 5, 20])
    def test_divergence_of_neighbours_is_at_most_order_times_rho_and_reaches_it(self, order):
        for factor in (0.1, 1.0):
            mechanism = self.rescaled(factor)
            step = 1.0 if self.zero.dtype == np.int64 else mechanism.scale / 50
            reach = math.ceil((60 * mechanism.scale + 60) / step)
            outputs = np.arange(-reach, reach + 1) * step
            change = math.sqrt(mechanism.squared_sensitivity)
            here, there = mechanism.log_probability(outputs), mechanism.log_probability(outputs - change)
            terms = order * here + (1 - order) * there
            with np.errstate(under="ignore"):
                divergence = (terms.max() + math.log(np.exp(terms - terms.max()).sum() * step)) / (order - 1)
            assert divergence <= order * float(mechanism.rho) * (1 + 1e-9) + 1e-12
            # Noise much smaller than 1 reaches its bound at whole orders only.
            if factor == 1.0:
                assert divergence == pytest.approx(order * float(mechanism.rho))

    def test_scale_is_exactly_enough(self):
        mechanism = self.mechanism
        assert mechanism.squared_sensitivity / (2 * Fraction(mechanism.scale) ** 2) <= mechanism.rho

    def test_refuses_a_rho_below_all_floats(self):
        with pytest.raises(ParameterError, match="overflow"):
            replace(self.mechanism, rho=Fraction(1, 10**400))


class TestDiscreteGaussian(ConcentratedTests):
    mechanism = DiscreteGaussian(rho=Fraction(1, 5), squared_sensitivity=Fraction(4))
    samples = 15_000

    def claimed_and_mapped(self, amount, sensitivity):
        mechanism, change = DiscreteGaussian(amount, sensitivity), root_up(sensitivity)
        return amount, opendp_loss("make_gaussian", "l2_distance", "i64", "f64", mechanism.scale, change)

    def test_large_scales_have_the_quantiles_of_small_ones(self):
        summed, approximated = (
            DiscreteGaussian(Fraction(1, 2 * 4095**2)),
            DiscreteGaussian(Fraction(1, 2 * 4097**2)),
        )
        assert approximated.error() / summed.error() == pytest.approx(4097 / 4095, abs=1e-4)


class TestGaussian(ConcentratedTests):
    mechanism = Gaussian(rho=Fraction(1, 5), squared_sensitivity=Fraction(4))
    samples = 15_000

    def claimed_and_mapped(self, amount, sensitivity):
        mechanism, change = Gaussian(amount, sensitivity), root_up(sensitivity)
        return amount, opendp_loss("make_gaussian", "l2_distance", "f64", "f64", mechanism.scale, change)


@settings(max_examples=350, deadline=None)
@pytest.mark.parametrize("kind", [TestGeometric, TestLaplace, TestDiscreteGaussian, TestGaussian])
@given(amount=amounts, sensitivity=sensitivities)
def test_never_loses_more_than_it_claims_by_opendps_own_account(kind, amount, sensitivity):
    claimed, mapped = kind().claimed_and_mapped(amount, sensitivity)
    assert Fraction(mapped) <= claimed  # exactly, to the last digit
    assert mapped > float(claimed) * (1 - 1e-12)  # and not for being needlessly noisy


def lowest_bits(noisy: np.ndarray) -> np.ndarray:
    """How often the lowest bit that is set in a float is its last, its last but one, …; the rest together."""
    fractions, _ = np.frexp(noisy)
    digits = (fractions * 2.0**53).astype(np.int64)
    places = np.log2((digits & -digits).astype(float)).astype(int)
    return np.bincount(np.minimum(places, 8), minlength=9)


# If all floats near an output can be reached, the last bit is set in half of them, the next in a quarter, …
HALVES = np.array([*(2.0 ** -np.arange(1, 9)), 2.0**-8])


@pytest.mark.parametrize("mechanism", [Laplace(Fraction(1)), Gaussian(Fraction(1, 2))])
def test_the_same_floats_can_be_reached_from_every_value(mechanism, p_value, false_alarm):
    """Noise added as floats reaches a coarser grid near 0 from 1 than from 0 (Mironov 2012)."""
    for value in (0.0, 1.0, 1 / 3, -1e6):
        noisy = mechanism.randomise(np.full(8000, value), secure())
        assert p_value(lowest_bits(noisy), HALVES) > false_alarm
        added = mechanism.randomise(np.full(8000, value), seeded(1))
        if value == 1.0:  # so the test can tell: the seeded source, which is not private, adds floats
            assert p_value(lowest_bits(added), HALVES) < false_alarm


@pytest.mark.parametrize("mechanism", [Laplace(Fraction(1)), Gaussian(Fraction(1, 2))])
def test_the_low_bits_of_a_float_do_not_tell_the_value(mechanism):
    """1 + noise, added as floats, is always a multiple of 2⁻⁵³ near 0; 0 + noise is not (Mironov 2012)."""
    noisy = mechanism.randomise(np.ones(8000), secure())
    near = noisy[np.abs(noisy) < 2.0**-5]
    assert near.size > 20
    assert (np.remainder(near, 2.0**-53) != 0).mean() > 0.5
    added_as_floats = mechanism.randomise(np.ones(8000), seeded(1))
    near = added_as_floats[np.abs(added_as_floats) < 2.0**-5]
    assert (np.remainder(near, 2.0**-53) == 0).all()  # so the test can tell: the seeded source is not private
