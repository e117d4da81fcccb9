"""Objective and output perturbation: the prices add up, and hold where they can be computed exactly."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit

from privet.budget import Pure, Zcdp
from privet.mechanisms.perturbed_minimum import (
    NEARNESS,
    NEARNESS_SHARE,
    ObjectivePerturbation,
    OutputPerturbation,
    curvature_factor,
)
from privet.randomness import secure, seeded

AMOUNTS = [Pure(Fraction(e)) for e in ("0.001", "0.1", "1", "20")] + [
    Zcdp(Fraction(r)) for r in ("0.000001", "0.01", "0.5", "20")
]


def objective(amount, asked=Fraction(1), **how):
    return ObjectivePerturbation(
        **{
            "amount": amount,
            "size": 6,
            "l1": 3,
            "squared_l2": 3,
            "asked": asked,
            "curvature": Fraction(3, 4),
            "rank": 1,
            "classes": 2,
        }
        | how
    )


@pytest.mark.parametrize("amount", AMOUNTS, ids=str)
@pytest.mark.parametrize("asked", [Fraction(0), Fraction(1), Fraction(10**6)])
@pytest.mark.parametrize(("rank", "share"), [(1, Fraction(1, 4)), (4, Fraction(1, 8))])
def test_the_parts_of_the_price_add_up_exactly(amount, asked, rank, share):
    minimum = objective(amount, asked, rank=rank, share=share)
    change = minimum.curvature / minimum.regularisation
    assert minimum.regularisation >= max(asked, minimum.curvature / 1000)
    assert Fraction(minimum.tolerance) <= minimum.regularisation * NEARNESS
    near = minimum.noise
    apart = 2 * NEARNESS / Fraction(1, 1 << 29)
    if isinstance(amount, Pure):
        with localcontext(prec=50):
            exact_change = Decimal(change.numerator) / Decimal(change.denominator)
            cost = Fraction(rank * (1 + exact_change / rank).ln())
        assert minimum.tilt_noise.epsilon + cost + near.epsilon <= amount.epsilon
        assert cost <= amount.epsilon * share * Fraction(101, 100)
        assert near.sensitivity >= math.sqrt(6) * apart + 6
        # The scale of the tilt, in units of the slope, is at least L1/ε.
        step = minimum._step
        assert Fraction(minimum.tilt_noise.scale) * step >= 3 / minimum.tilt_noise.epsilon
    else:
        parts = minimum.tilt_noise.rho + curvature_factor(2) * change**2 + near.rho
        assert parts <= amount.rho
        assert float(near.squared_sensitivity) >= (float(apart) + math.sqrt(6)) ** 2 * (1 - 1e-12)
        assert minimum.tilt_noise.squared_sensitivity == 3
    spent = near.epsilon if isinstance(amount, Pure) else near.rho
    assert spent == (amount.epsilon if isinstance(amount, Pure) else amount.rho) * NEARNESS_SHARE
    assert 0 < minimum.slack(minimum.tilt(secure())) < minimum.tolerance / 4


@pytest.mark.parametrize("amount", AMOUNTS, ids=str)
def test_output_noise_covers_the_distance_of_neighbours(amount):
    minimum = OutputPerturbation(amount, 6, l1=3, squared_l2=3, asked=Fraction(1))
    apart = math.sqrt(3) / float(minimum.regularisation) + 2 * float(NEARNESS)
    if isinstance(amount, Pure):
        assert minimum.noise.sensitivity * 2.0**-29 >= math.sqrt(6) * apart * (1 - 1e-12)
        assert minimum.noise.epsilon == amount.epsilon
    else:
        assert math.sqrt(minimum.noise.squared_sensitivity) * 2.0**-29 >= apart * (1 - 1e-12)
        assert minimum.noise.rho == amount.rho
    assert minimum.standard_deviation <= 0.14
    assert (minimum.tilt(secure()) == 0).all()


def test_release_rounds_and_adds_noise_of_the_stated_size():
    minimum = OutputPerturbation(Pure(Fraction(1)), 4000, l1=3, squared_l2=3, asked=Fraction(1))
    drawn = minimum.release(np.full(4000, 0.3), seeded(1))
    assert abs(drawn.mean() - 0.3) < 5 * minimum.standard_deviation / 4000**0.5
    assert 0.9 < drawn.std() / minimum.standard_deviation < 1.1


# One weight, one record: everything can be computed. Without the record, b = −λw, so w has the density of the
# tilt; with it, b = −λw − (p(w·x) − y)·x.


def divergences(ridge, noise, orders=(1.01, 1.5, 2, 4, 8, 32, 128, 1024)):
    """Of every order, both ways, and the largest density ratio: for x = 1 and y = 0."""
    w = np.linspace(-40, 40, 400_001) * noise.std() / ridge
    p = expit(w)
    without = noise.logpdf(-ridge * w) + math.log(ridge)
    curvature = ridge + p * (1 - p)
    with_record = noise.logpdf(-ridge * w - p) + np.log(curvature)
    width = w[1] - w[0]
    found = []
    for one, other in ((without, with_record), (with_record, without)):
        assert abs(np.exp(one).sum() * width - 1) < 1e-6
        for order in orders:
            terms = order * one + (1 - order) * other
            top = terms.max()
            found.append((order, (top + math.log(np.exp(terms - top).sum() * width)) / (order - 1)))
    return found, float(np.abs(without - with_record)[np.exp(without) > 0].max())


@pytest.mark.parametrize("ridge", [0.5, 2.0, 10.0, 100.0])
@pytest.mark.parametrize("sigma", [1.0, 4.0, 20.0])
def test_the_gaussian_bound_holds_exactly_in_one_dimension(ridge, sigma):
    noise = stats.norm(0, sigma)
    found, _ = divergences(ridge, noise)
    change = 0.25 / ridge
    bound = 1 / (2 * sigma**2) + float(curvature_factor(2)) * change**2
    for order, divergence in found:
        assert divergence <= order * bound + 1e-9


def test_without_its_curvature_term_the_gaussian_bound_is_wrong():
    """A small ridge and little noise to see: what the density of the minimum adds is not nothing."""
    noise = stats.norm(0, 50.0)
    found, _ = divergences(0.05, noise)
    assert any(divergence > order / (2 * 50.0**2) * 1.5 for order, divergence in found)


@pytest.mark.parametrize("ridge", [0.5, 2.0, 10.0])
def test_the_pure_bound_holds_exactly_in_one_dimension(ridge):
    scale = 2.0
    _, loss = divergences(ridge, stats.laplace(0, scale))
    assert loss <= 1 / scale + math.log1p(0.25 / ridge)
    assert loss > 0.99 / scale


def test_the_pure_bound_is_nearly_reached_in_one_dimension():
    """A small ridge and a flat tilt: nearly all of the loss is the curvature's. A smaller price is wrong."""
    _, loss = divergences(0.02, stats.laplace(0, 100.0))
    bound = 0.01 + math.log1p(0.25 / 0.02)
    assert 0.99 * bound < loss <= bound


@pytest.mark.parametrize("rank", [1, 2, 5])
def test_the_price_of_the_curvature_is_that_of_its_rank(rank):
    """On random changes of one trace; equal eigenvalues reach it: the price of a smaller rank is wrong."""
    generator = np.random.default_rng(rank)
    ridge, trace = 0.3, 2.0
    bound = rank * math.log1p(trace / ridge / rank)
    for _ in range(300):
        records = generator.normal(size=(8, 6)) * generator.exponential()
        rest = ridge * np.eye(6) + records.T @ records
        came = generator.normal(size=(rank, 6))
        came *= math.sqrt(trace / (came**2).sum())
        went = generator.normal(size=(rank, 6))
        went *= math.sqrt(trace / (went**2).sum())
        with_both = [np.linalg.slogdet(rest + one.T @ one)[1] for one in (came, went, 0 * went)]
        assert max(with_both) - min(with_both) <= bound + 1e-9
    largest = np.eye(6)[:rank] * math.sqrt(trace / rank)
    change = np.linalg.slogdet(ridge * np.eye(6) + largest.T @ largest)[1] - 6 * math.log(ridge)
    assert change == pytest.approx(bound)
    if rank > 1:
        assert change > (rank - 1) * math.log1p(trace / ridge / (rank - 1)) + 0.01


@pytest.mark.parametrize("classes", [2, 3, 10, 100])
def test_curvature_factor_satisfies_both_conditions_of_the_proof(classes):
    factor = float(curvature_factor(classes))

    def gap(theta):
        return 1 / (2 * (1 - theta)) + 0.5 - (theta + math.log(classes)) / theta**2

    least = 1 / (2 * (1 - brentq(gap, 0.01, 0.999))) + 0.5
    assert least <= factor <= least * 1.1
    # f(x) of the proof, on both sides, for every order up to θ/κ.
    theta = 1 - 1 / (2 * (factor - 0.5))
    t = np.geomspace(1e-3, 1e5, 200)[:, None]
    x = theta / t * np.linspace(0.001, 1, 50)
    up = -t * np.log1p(x) - np.log1p(-t * x)
    assert np.all(up <= t * (t + 1) * x**2 / (2 * (1 - theta)) * (1 + 1e-9) + 1e-12)
    y = np.linspace(0.001, 0.999, 50)
    down = -t * np.log1p(-y) - np.log1p(t * y)
    assert np.all(down <= t * (t + 1) * np.log1p(-y) ** 2 / 2 * (1 + 1e-9) + 1e-12)
