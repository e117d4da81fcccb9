"""Answers with less and less noise: each has the noise that it should, and all cost what the last does."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import ParameterError
from privet.mechanisms.geometric import GeometricNoise
from privet.mechanisms.gradual import GradualNoise, kept
from privet.randomness import secure, seeded

EPSILONS = (Fraction(1, 5), Fraction(1, 2), Fraction(1))
REACH = 600
NOISE = np.arange(-REACH, REACH + 1)


def law(level):
    return np.exp(level.log_probability(NOISE))


@pytest.mark.parametrize("sensitivity", [1, 2, 7])
def test_more_noise_on_a_finer_answer_gives_exactly_the_noise_of_the_coarser(sensitivity):
    for coarse, fine in itertools.pairwise(EPSILONS):
        one, two = GeometricNoise(coarse, sensitivity), GeometricNoise(fine, sensitivity)
        same = float(kept(one, two))
        assert 0 < same < 1
        added = (1 - same) * law(one)
        added[REACH] += same
        both = np.convolve(law(two), added)[REACH:-REACH]
        middle = slice(REACH // 2, -REACH // 2)  # far out, the convolution is cut
        np.testing.assert_allclose(both[middle], law(one)[middle], rtol=1e-4)


def test_drawn_answers_have_that_noise():
    noise = GradualNoise(EPSILONS)
    drawn = noise.answers(np.full(40_000, 10), seeded(1))
    for level, answers in zip(noise.levels, drawn, strict=True):
        assert answers.mean() == pytest.approx(10, abs=5 * level.standard_deviation / 200)
        assert answers.std() == pytest.approx(level.standard_deviation, rel=0.03)
        within = np.mean(np.abs(answers - 10) <= level.error(0.95))
        assert within >= 0.94
    assert np.mean(drawn[0] == drawn[1]) > float(kept(*noise.levels[:2]))  # they are coupled


def joint_loss(coupled: bool) -> float:
    """The largest loss of a pair of answers, the noisier first, to counts of 0 and of 1."""
    one, two = (GeometricNoise(each) for each in EPSILONS[:2])
    reach = np.arange(-30, 31)
    first, second = np.meshgrid(reach, reach, indexing="ij")
    laws = []
    for count in (0, 1):
        fine = np.exp(two.log_probability(second - count))
        if coupled:
            same = float(kept(one, two))
            step = (1 - same) * np.exp(one.log_probability(first - second)) + same * (first == second)
            laws.append(fine * step)
        else:
            laws.append(fine * np.exp(one.log_probability(first - count)))
    return float(np.abs(np.log(laws[0] / laws[1])).max())


def test_two_answers_cost_what_the_second_does_and_fresh_noise_would_not():
    claimed = float(EPSILONS[1])
    assert joint_loss(coupled=True) <= claimed * (1 + 1e-9)
    assert joint_loss(coupled=False) == pytest.approx(float(EPSILONS[0] + EPSILONS[1]))  # planted: refuted


def test_extreme_amounts_have_a_probability():
    fine = GeometricNoise(Fraction(10_000))
    for coarse in (Fraction(1, 1000), Fraction(9_999)):
        assert 0 <= kept(GeometricNoise(coarse), fine) <= 1
    answers = GradualNoise((Fraction(1, 1000), Fraction(10_000))).answers([5], secure())
    assert answers[1].tolist() == [5]
    assert math.isfinite(float(answers[0][0]))


@pytest.mark.parametrize("epsilons", [(), (Fraction(1), Fraction(1)), (Fraction(2), Fraction(1))])
def test_amounts_must_rise(epsilons):
    with pytest.raises(ParameterError, match="rise"):
        GradualNoise(epsilons)


@pytest.mark.parametrize(
    ("coarse", "fine"), [("1/1000", "1"), ("7/10", "1"), ("1", "40"), ("500", "700"), ("699", "700")]
)
def test_the_chance_of_the_same_answer_is_never_too_large(coarse, fine):
    """Then an answer has the noise for its own ε with some on top; else it could be worth more."""
    getcontext().prec = 60

    def squared_sinh(noise):
        half = 1 / (2 * Decimal(noise.scale))
        return ((half.exp() - (-half).exp()) / 2) ** 2

    one, two = GeometricNoise(Fraction(coarse)), GeometricNoise(Fraction(fine))
    exact = squared_sinh(one) / squared_sinh(two)
    rounded = kept(one, two)
    assert Decimal(rounded.numerator) / Decimal(rounded.denominator) <= exact
    assert float(rounded) > 0.99 * float(exact) or exact < Decimal(2) ** -64
