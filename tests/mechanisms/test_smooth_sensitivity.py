"""Smooth sensitivity against brute force: all small tables, all neighbours, all outputs."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget.events import ApproximateEvent, PureEvent
from privet.errors import ParameterError
from privet.mechanisms import GeometricNoise, SmoothQuantile, SmoothSensitivity
from privet.randomness import secure, seeded

HIGH = 4
TABLES = list(itertools.product(range(HIGH + 1), repeat=4))
OUTPUTS = np.arange(-4000, 4001)


def distance(one, other) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def neighbours(table):
    for place, value in itertools.product(range(len(table)), range(HIGH + 1)):
        if table[place] != value:
            yield (*table[:place], value, *table[place + 1 :])


def quantile(probability="1/2", **noise) -> SmoothQuantile:
    return SmoothQuantile(
        0, HIGH, SmoothSensitivity(**{"epsilon": Fraction(1), **noise}), Fraction(probability)
    )


def polynomial_log_probability(noise: SmoothSensitivity, centre: int, bound: Fraction) -> np.ndarray:
    """Of each output, for δ = 0: the mass of the density's unit cell around it."""
    size = np.abs(OUTPUTS - centre)
    beyond = noise.survival(bound, np.arange(1, size.max() + 2))  # P(|X| ≥ 1), P(|X| ≥ 2), …
    cells = np.concatenate([[1 - beyond[0]], (beyond[:-1] - beyond[1:]) / 2])
    return np.log(cells[size])


@pytest.mark.parametrize("probability", ["1/2", "1/4", "9/10"])
def test_local_sensitivity_at_every_distance_is_that_of_all_tables(probability):
    median = quantile(probability)
    tables = [t for t in TABLES if max(t) < HIGH]  # values below the bound, so that the bound is a new value
    local = {t: max(abs(median.exact(t) - median.exact(n)) for n in neighbours(t)) for t in TABLES}
    for table in tables[::3]:
        furthest = [0] * (len(table) + 1)
        for other, change in local.items():
            place = distance(table, other)
            furthest[place] = max(furthest[place], change)
        wanted = list(itertools.accumulate(furthest, max))
        ordered = np.sort(table)
        assert [median._local(ordered, k) for k in range(len(table))] == wanted[:-1]
        assert wanted[-1] == HIGH


@pytest.mark.parametrize("noise", [{}, {"epsilon": Fraction(8)}, {"delta": Fraction(1, 100)}, {"tail": 1}])
def test_the_bound_is_smooth_and_covers_every_change(noise):
    median = quantile(**noise)
    bounds = {t: median.bound(t) for t in TABLES}
    for table in TABLES:
        for other in neighbours(table):
            assert bounds[table] * median.noise.decay <= bounds[other]
            assert abs(median.exact(table) - median.exact(other)) <= min(bounds[table], bounds[other])


@pytest.mark.parametrize(("epsilon", "tail"), [("1/2", 4), ("1", 1), ("2", 3), ("6", 4)])
def test_pure_loss_over_all_neighbours_and_outputs_is_at_most_epsilon(epsilon, tail):
    median = quantile(epsilon=Fraction(epsilon), tail=tail)
    keys = {t: (median.exact(t), median.bound(t)) for t in TABLES}  # few of them occur
    rows = {key: polynomial_log_probability(median.noise, *key) for key in set(keys.values())}
    pairs = {(keys[t], keys[n]) for t in TABLES for n in neighbours(t)}
    worst = max(np.abs(rows[one] - rows[other]).max() for one, other in pairs)
    assert worst <= float(Fraction(epsilon)) + 1e-9
    assert worst > 0.4 * float(Fraction(epsilon))  # and the noise is not needlessly large


def test_the_same_check_catches_noise_of_local_sensitivity():
    """The classic mistake: scale the noise to the table at hand, without smoothing."""
    noise = SmoothSensitivity(Fraction(1))
    calm, wild = (10, 10, 10, 10, 10, 1000, 1000, 1000, 1000), (10, 10, 10, 10, 1000, 1000, 1000, 1000, 1000)
    median = SmoothQuantile(0, 1000, noise)
    local = lambda t: Fraction(max(1, median._local(np.sort(t), 0)))  # noqa: E731
    calmer = (10, 10, 10, 10, 10, 10, 1000, 1000, 1000)
    loss = polynomial_log_probability(noise, 10, local(calmer)) - polynomial_log_probability(
        noise, 10, local(calm)
    )
    assert np.abs(loss).max() > 5
    right = [
        polynomial_log_probability(noise, median.exact(t), median.bound(t)) for t in (calmer, calm, wild)
    ]
    assert max(np.abs(right[0] - right[1]).max(), np.abs(right[1] - right[2]).max()) <= 1 + 1e-9


@settings(max_examples=300, deadline=None)
@given(
    epsilon=st.floats(0.01, 20),
    tail=st.integers(1, 10),
    shrink=st.floats(0, 1),
    change=st.floats(0, 1),
    up=st.booleans(),
)
def test_pure_constants_hold_for_every_shift_and_dilation(epsilon, tail, shrink, change, up):
    noise = SmoothSensitivity(Fraction(epsilon), tail=tail)
    other = float(noise.decay) ** shrink  # S' = other · S, or the other way round
    scales = np.array([1.0, other]) * float(noise.multiple)
    if up:
        scales = scales[::-1]
    shift = change * other  # |f − f'| ≤ min(S, S')
    y = np.concatenate([[0, shift], np.geomspace(1e-4, 1e6, 4000)])
    y = np.concatenate([-y, y]) * scales.max()
    logs = [
        tail * math.log(s) - (tail + 1) * np.log(s + np.abs(y - f))
        for s, f in zip(scales, (0, shift), strict=True)
    ]
    assert np.abs(logs[0] - logs[1]).max() <= epsilon + 1e-9


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.1), (1.0, 0.01), (3.0, 0.3)])
def test_approximate_loss_over_all_neighbours_is_at_most_epsilon_but_for_delta(epsilon, delta):
    median = quantile(epsilon=Fraction(epsilon), delta=Fraction(delta))

    def probabilities(centre, bound):
        scale = float(median.noise.multiple * bound)
        return np.tanh(0.5 / scale) * np.exp(-np.abs(OUTPUTS - centre) / scale)

    keys = {t: (median.exact(t), median.bound(t)) for t in TABLES}
    rows = {key: probabilities(*key) for key in set(keys.values())}
    pairs = {(keys[t], keys[n]) for t in TABLES for n in neighbours(t)}
    assert len(pairs) > 10
    surplus = [np.maximum(rows[a] - math.exp(epsilon) * rows[b], 0).sum() for a, b in pairs]
    assert max(surplus) <= delta


@settings(max_examples=150, deadline=None)
@given(
    epsilon=st.floats(0.05, 5), log_delta=st.floats(-9, -0.5), ratio=st.floats(0, 1), scale=st.floats(1, 40)
)
def test_approximate_constants_hold_at_the_largest_dilation(epsilon, log_delta, ratio, scale):
    delta = 10**log_delta
    noise = SmoothSensitivity(Fraction(epsilon), Fraction(delta))
    wide, narrow = scale * float(noise.multiple), scale * float(noise.multiple) * float(noise.decay) ** ratio
    reach = math.ceil(40 * wide)
    x = np.arange(-reach, reach + 1) if reach < 200_000 else np.linspace(-reach, reach, 400_001).round()
    shift = math.floor(min(scale, scale * float(noise.decay) ** ratio))
    for one, other in ((wide, narrow), (narrow, wide)):
        here = np.tanh(0.5 / one) * np.exp(-np.abs(x) / one)
        there = np.tanh(0.5 / other) * np.exp(-np.abs(x - shift) / other)
        assert np.maximum(here - math.exp(epsilon) * there, 0).sum() <= delta


# So many draws that the test misses a scale that is 10 % off less than once in a million.
@pytest.mark.parametrize(("tail", "draws"), [(1, 60_000), (4, 25_000)])
@pytest.mark.parametrize("source", [secure, lambda: seeded(5)], ids=["secure", "seeded"])
def test_polynomial_noise_has_its_distribution_and_no_other(source, tail, draws, p_value, false_alarm):
    noise, bound, randomness = SmoothSensitivity(Fraction(1), tail=tail), Fraction(7, 3), source()
    drawn = np.array([noise.randomise(100, bound, randomness) - 100 for _ in range(draws)])
    last = 5000
    observed = np.bincount(np.minimum(np.abs(drawn), last).astype(int), minlength=last + 1)

    def probabilities(scale: Fraction) -> np.ndarray:
        beyond = np.concatenate([[1.0], noise.survival(scale, np.arange(1, last + 1)), [0.0]])
        return beyond[:-1] - beyond[1:]

    # Ten cells: fewer see less of the shape, more need more draws to see the scale.
    assert p_value(observed, probabilities(bound), cells=10) > false_alarm
    for factor in ("0.9", "1.1"):
        assert p_value(observed, probabilities(bound * Fraction(factor)), cells=10) < false_alarm
    assert abs((drawn > 0).sum() - (drawn < 0).sum()) < 5.5 * math.sqrt(drawn.size)


def test_laplace_noise_in_proportion_has_its_distribution_and_no_other(noise_p_value, false_alarm):
    noise, bound, randomness = SmoothSensitivity(Fraction(1), Fraction(1, 100)), Fraction(7, 3), seeded(5)
    drawn = np.array([noise.randomise(100, bound, randomness) - 100 for _ in range(25_000)])
    for factor, right in (("1", True), ("0.9", False), ("1.1", False)):
        wanted = GeometricNoise(1 / (noise.multiple * bound * Fraction(factor)))
        assert (noise_p_value(drawn, wanted.log_probability, wanted.scale) > false_alarm) == right


def test_extreme_epsilons_and_bounds():
    for source in (secure(), seeded(5)):
        for delta in (Fraction(0), Fraction(1, 10**9)):
            exact = SmoothSensitivity(Fraction(10**4), delta)
            assert exact.randomise(7, Fraction(1), source) == 7
            loose = SmoothSensitivity(Fraction(1, 1000), delta)
            assert any(abs(loose.randomise(7, Fraction(10**6), source)) > 10**8 for _ in range(20))
    with pytest.raises(ParameterError, match="overflow"):
        SmoothSensitivity(Fraction(1, 10**15))
    with pytest.raises(ParameterError, match="worst case"):
        SmoothSensitivity(Fraction(1, 10**9), tail=10**4)
    with pytest.raises(ParameterError, match="overflow"):
        SmoothSensitivity(Fraction(1, 100), Fraction(1, 100)).randomise(0, Fraction(2**62), secure())


def test_as_many_bits_are_drawn_as_it_takes():
    class Words:
        """Bits that say nothing at first: V is between 0 and 2⁻⁶⁴, so |σZ| could be anything."""

        def __init__(self) -> None:
            self.calls = 0

        def bits(self, size):
            self.calls += 1
            return np.full(size, 0 if self.calls == 1 else 2**63, np.uint64)

    words = Words()
    # V = 2⁻⁶⁵ and up to 2⁻¹²⁸ more: σ(1 − V)/V for σ = 2⁻⁶⁰ is 32 − 2⁻⁶⁰ and a little less.
    assert SmoothSensitivity(Fraction(1))._size(Fraction(1, 2**60), words) == 32
    assert words.calls == 2


def test_quantiles_events_and_errors():
    assert SmoothSensitivity(Fraction(1)).event == PureEvent(Fraction(1), "smooth_sensitivity")
    loose = SmoothSensitivity(Fraction(1), Fraction(1, 100))
    assert loose.event == ApproximateEvent(Fraction(1), Fraction(1, 100), "smooth_sensitivity")
    noise = SmoothSensitivity(Fraction(1))
    assert noise.survival(Fraction(50), noise.error(Fraction(50), 0.95)) == pytest.approx(0.05, rel=0.05)
    values = list(range(101))
    close = SmoothSensitivity(Fraction(1000))
    assert SmoothQuantile(0, 100, close).randomise(values, secure()) == 50
    assert SmoothQuantile(0, 100, close, Fraction(1, 10)).randomise(values, secure()) == 10
    wild = [
        SmoothQuantile(0, 100, SmoothSensitivity(Fraction(1, 100))).randomise(values, secure())
        for _ in range(50)
    ]
    assert {0, 100} <= set(wild) <= set(range(101))  # noise beyond the bounds is clamped to them
    assert SmoothQuantile(0, 100, close).exact([-999, 50, 999]) == 50


def test_refuses_bad_parameters():
    for fields in ({"epsilon": 0}, {"delta": -1}, {"delta": 1}, {"tail": 0}, {"tail": 1.5}):
        with pytest.raises(ParameterError):
            SmoothSensitivity(**{"epsilon": Fraction(1), **fields})
    noise = SmoothSensitivity(Fraction(1))
    for low, high, probability in ((1, 1, "1/2"), (0, 2**60, "1/2"), (0, 1, "0"), (0, 1, "1")):
        with pytest.raises(ParameterError):
            SmoothQuantile(low, high, noise, Fraction(probability))
    with pytest.raises(ParameterError):
        SmoothQuantile(0, 1, noise).randomise([], secure())
