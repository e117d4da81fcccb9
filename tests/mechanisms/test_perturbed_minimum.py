"""Objective and output perturbation: the prices add up, and hold where they can be computed exactly."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit, softmax

from privet.budget import Pure, Zcdp
from privet.mechanisms.perturbed_minimum import (
    NEARNESS,
    NEARNESS_SHARE,
    ObjectivePerturbation,
    OutputPerturbation,
    curvature_factor,
)
from privet.mechanisms.tilt_price import tilt_epsilon
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


PARTS = [Fraction(part, 400) for part in range(401)]  # of its largest slope


def curvature_cost(change, rank, q):
    """What the curvature of a record with this part of its largest slope costs, to 50 digits: two classes."""
    part = change * 4 * q * (1 - q) / rank
    return Fraction(rank * (1 + Decimal(part.numerator) / Decimal(part.denominator)).ln())


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
        left = minimum.tilt_noise.epsilon
        with localcontext(prec=50):
            costs = [left * q + curvature_cost(change, rank, q) for q in PARTS]
            alone = curvature_cost(change, rank, Fraction(1, 2))  # where it is largest, for two classes
        assert max(costs) + near.epsilon <= amount.epsilon
        assert max(costs) + near.epsilon >= amount.epsilon * Fraction(9999, 10000)
        assert alone <= amount.epsilon * share * Fraction(101, 100)
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


def largest_ratio(ridge, scale):
    """Of densities, under a Laplace tilt, for a record of x = 1 and y = 0 among very many others.

    The others have tiny x and the other class: all together a constant slope, and next to no curvature. Then
    the tilt is on the same side for all w here, and a record that is all wrong can cost most.
    """
    w = np.linspace(-20, 20, 200_001)
    p = expit(w)
    pull = 20 * ridge + 2
    without = stats.laplace.logpdf(pull - ridge * w, 0, scale) + math.log(ridge)
    with_record = stats.laplace.logpdf(pull - ridge * w - p, 0, scale) + np.log(ridge + p * (1 - p))
    return float(np.abs(with_record - without).max())


@pytest.mark.parametrize("ridge", [2.0, 10.0])
def test_the_curvature_is_free_where_it_is_small(ridge):
    """4κ ≤ ε₁: the slope alone costs as much as both."""
    assert 0.49 < largest_ratio(ridge, scale=2.0) <= 0.5 + 1e-9
    left = tilt_epsilon(Fraction(1, 2), 0.25 / ridge, 1, 2, replaced=False)
    assert float(left) == pytest.approx(0.5)


@pytest.mark.parametrize(("ridge", "scale"), [(0.02, 100.0), (0.1, 2.0), (0.01, 0.5), (0.5, 30.0)])
def test_the_pure_bound_is_reached_in_one_dimension(ridge, scale):
    """Where the curvature is not free, one record and one weight lose all that is paid for."""
    lost = largest_ratio(ridge, scale)
    left = tilt_epsilon(Fraction(lost), 0.25 / ridge, 1, 2, replaced=False)
    assert 0.999 / scale <= float(left) <= (1 + 1e-6) / scale
    assert lost < 1 / scale + math.log1p(0.25 / ridge), "less than slope and curvature by themselves"
    _, alone = divergences(ridge, stats.laplace(0, scale))
    assert alone <= lost


UNITS = {
    "come or go": (False, 1),
    "replaced": (True, 1),
    "two come or go": (False, 2),
    "two replaced": (True, 2),
}
WIDTH = 10  # an intercept and nine coordinates between −1 and 1: L1 and L2² are at most 10


class Neighbours:
    """Two tables, and the exact ratio of the densities of their minima at a given w.

    The other records have tiny coordinates: together they pull with a constant slope, and so the tilts are on
    the side on which the Laplace density differs most; and they bring next to no curvature.
    """

    def __init__(self, classes, epsilon, replaced, most):
        self.classes = classes
        self.rows = 1 if classes == 2 else classes
        times = most * (2 if replaced else 1)
        norm = WIDTH * (1 if classes == 2 else 2)
        self.minimum = ObjectivePerturbation(
            Pure(Fraction(str(epsilon))),
            self.rows * WIDTH,
            l1=norm * times,
            squared_l2=norm * times**2,
            asked=Fraction(0),
            curvature=(Fraction(1, 4) if classes == 2 else 1 - Fraction(1, classes)) * WIDTH * most,
            rank=(classes - 1) * most,
            classes=classes,
            share=Fraction(1, 3),
            replaced=replaced,
        )
        self.allowed = epsilon * (1 - float(NEARNESS_SHARE))

    def derivatives(self, records, w):
        ridge = float(self.minimum.regularisation)
        slope, curvature = np.zeros(w.size), ridge * np.eye(w.size)
        for x, y in records:
            p = expit(w @ x) if self.rows == 1 else softmax(w @ x)
            actual = np.array([y]) if self.rows == 1 else np.eye(self.classes)[y]
            slope += np.outer(p - actual, x).ravel()
            curvature += np.kron(np.diag(p) - np.outer(p, p), np.outer(x, x))
        return slope, np.linalg.slogdet(curvature)[1]

    def ratio(self, own, new, w):
        (slope, size), (other_slope, other_size) = self.derivatives(own, w), self.derivatives(new, w)
        scale = self.minimum.tilt_noise.scale * float(self.minimum._step)
        return np.abs(slope - other_slope).sum() / scale + abs(size - other_size)


@pytest.mark.parametrize(("replaced", "most"), UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_no_density_ratio_of_random_neighbours_is_above_the_price(replaced, most, classes, epsilon):
    pair, generator = Neighbours(classes, epsilon, replaced, most), np.random.default_rng(most + 2 * classes)

    def some(number):
        points = np.clip(generator.normal(0, 3, (number, WIDTH)), -1, 1)
        points[:, 0] = 1.0
        return [(x, int(generator.integers(classes))) for x in points]

    for _ in range(400):
        w = generator.normal(0, generator.choice([0.1, 0.3, 1.0, 3.0]), (pair.rows, WIDTH))
        assert pair.ratio(some(most), some(most) if replaced else [], w) <= pair.allowed


def weights_for(own, new):
    """With these margins for records of all ones, and of minus ones but for the intercept."""
    return np.array([(own + new) / 2, *[(own - new) / 2 / (WIDTH - 1)] * (WIDTH - 1)])


@pytest.mark.parametrize(("replaced", "most"), UNITS.values(), ids=UNITS)
@pytest.mark.parametrize(("classes", "reached"), [(2, 0.98), (3, 0.95), (5, 0.9)])
@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_the_price_is_nearly_reached_by_the_worst_neighbours(replaced, most, classes, reached, epsilon):
    """The own record is wrong by q, the one in its place is all wrong, and pulls the other way."""
    pair = Neighbours(classes, epsilon, replaced, most)
    own = [(np.ones(WIDTH), 0)] * most
    new = [(np.array([1.0] + [-1.0] * (WIDTH - 1)), 0)] * most if replaced else []
    found = []
    for q in np.linspace(0.02, 0.98, 97):
        # The margins of class 0: for the own record so that P = 1 − q, for the new one so that P = 0. With
        # more classes the new one is taken for class 1 alone, so that it brings no curvature.
        w = np.zeros((pair.rows, WIDTH))
        w[0] = weights_for(math.log((1 - q) * (classes - 1) / q), -40.0)
        if classes > 2:
            w[1] = weights_for(0.0, 40.0)
        found.append(pair.ratio(own, new, -w if pair.rows == 1 else w))
    assert max(found) <= pair.allowed
    # Equal records have the rank of one, and slopes of the intercept do not pull apart: a little is left.
    assert max(found) >= (reached - 0.06 * (most - 1) - 0.06 * replaced) * pair.allowed


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
