"""The functional mechanism, corrected: noise on the coefficients of the quadratic approximation of the loss.

Around the weights w₀ that know the class sizes only, the logistic loss of a class is to second order g·(w −
w₀) + ½ (w − w₀)ᵀ (p(1 − p) Σ x xᵀ) (w − w₀), p being the class's share. For p = ½ these are the published
coefficients Σ (½ − y) x and Σ x xᵀ / 8. They are made from two measurements of products
(``stats.linear.products``): those of the class with each attribute and the squares of numbers, which give g
and the curvature within one attribute; and the products *between* attributes, which serve all classes at
once. Their sensitivities come from the schema's row norms, never from the encoded width. One pass over the
records answers both.

**Privacy.** The two measurements share the budget in halves; everything below is computed from what they
release.

**Noise.** Each block of products is first drawn towards what independent attributes would have, by the part
of its deviation from that which noise explains (James and Stein). What noise is left in a symmetric matrix
of width d has a spectral norm of about 2σ√d: that is added as a ridge, eigenvalues below it are raised to
it, and the minimum is one linear solve.

Reference: Zhang, Zhang, Xiao, Yang and Winslett (2012), Functional mechanism. DPWeka's printed version
swaps the constants of the approximation and takes its sensitivity from the encoded width
(``docs/concepts/regression.md``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.learning.linear.class_sums import ClassSums
from privet.learning.linear.newton import CAUTION, Solution, start
from privet.release import Release
from privet.schema import Category
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.products import Pairs, Products

__all__ = ["blend", "fit_functional", "steady", "sums_of_squares"]

Matrix = NDArray[np.float64]


def fit_functional(curator: Curator, encoding: Encoding, target: Category, regularisation: float) -> Solution:
    """Measure the quadratic approximation of the loss and return its minimum."""
    within = Products(Encoding((*encoding.columns, target)), target=target.name, given=target.name)
    between = Products(encoding, sums=False, squares=False, given=target.name)
    share = curator.left / 2 if between.size else curator.left
    plan = [Measure(within, f"sums of the coordinates within each '{target.name}', and of squares")]
    if between.size:
        plan.append(Measure(between, "products of the coordinates of each two attributes"))
    first, *second = curator.ask_together([(question, share) for question in plan])
    known = _class_sums(encoding, target, within, first)
    independent, ridge = known.second_moments(), known.noise / known.size
    moments = independent
    for release in second:
        noise = release.standard_deviation / known.size
        moments, left = blend(moments, between.pairs, release.value / known.size, noise)
        ridge += left
    caution = float(np.trace(moments) / np.trace(independent))
    weights, gradient = start(known)
    prior = known.totals[-len(weights) :] / known.size
    errors = []
    for k, p in enumerate(prior):
        curvature = known.size * p * (1 - p)
        # Of a class so rare that noise makes up most of its sums, next to nothing is believed.
        doubt = (known.noise / curvature) ** 2
        inverse = np.linalg.inv(steady(moments, ridge + doubt + regularisation / curvature))
        step = inverse @ gradient[k] / curvature
        weights[k] -= step
        variance = (
            known.noise / curvature
        ) ** 2 * inverse @ inverse + inverse @ moments @ inverse / curvature
        # Noise in the moments, too, makes the step longer or shorter, by part of its length.
        errors.append(1.96 * np.sqrt(np.maximum(np.diag(variance), 0)) + caution * np.abs(step))
    return Solution(weights, np.stack(errors))


def _class_sums(encoding: Encoding, target: Category, within: Products, release: Release) -> ClassSums:
    """The class sums that the products with the class are."""
    totals, squares, across = within.split(release.value)
    sums = np.zeros((target.size, encoding.width))
    sums[within.pairs.other - encoding.width, within.pairs.one] = across  # the class comes last
    sums[:, 0] = totals = np.maximum(totals, 1.0)
    all_squares = np.zeros_like(sums)
    all_squares[0, within.squared] = sums_of_squares(squares, float(totals.sum()))
    return ClassSums(encoding, sums, all_squares, totals, release.standard_deviation)


def sums_of_squares(squares: Matrix, size: float) -> Matrix:
    """Σz² of each number, from Σ(z² − ½) and half the number of missing values."""
    return squares[:, 0] + size / 2 - np.clip(squares[:, 1], 0, size / 2)


def blend(
    independent: Matrix, pairs: Pairs, cells: Matrix, noise: float, caution: float = CAUTION
) -> tuple[Matrix, float]:
    """Second moments from noisy cells and the model of independence; and the spectral size of their noise."""
    moments = independent.copy()
    deviation = cells - independent[pairs.one, pairs.other]
    explained = np.bincount(pairs.pair) * noise**2
    trust = np.maximum(0.0, 1.0 - explained / np.maximum(np.bincount(pairs.pair, deviation**2), 1e-300))
    moments[pairs.one, pairs.other] += trust[pairs.pair] * deviation
    moments[pairs.other, pairs.one] = moments[pairs.one, pairs.other]
    heard = trust if trust.size else np.zeros(1)
    # The less is known of how attributes go together, the more caution (see the Newton steps).
    moments += (caution - 1) * (1 - float(heard.mean())) * independent
    return moments, 2 * noise * float((heard**2).mean()) ** 0.5 * len(independent) ** 0.5


def steady(moments: Matrix, ridge: float) -> Matrix:
    """The matrix plus the ridge (not on the intercept), with no eigenvalue below it."""
    ridge = max(ridge, 1e-9)
    diagonal = np.full(len(moments), ridge)
    diagonal[0] = 0.0
    values, vectors = np.linalg.eigh(moments + np.diag(diagonal))
    return (vectors * np.maximum(values, ridge / 2)) @ vectors.T
