"""The functional mechanism, corrected: noise on the coefficients of the quadratic approximation of the loss.

Around the weights w₀ that know the class sizes only, the logistic loss of a class is to second order g·(w −
w₀) + ½ (w − w₀)ᵀ (p(1 − p) Σ x xᵀ) (w − w₀), p being the class's share. For p = ½ these are the published
coefficients Σ (½ − y) x and Σ x xᵀ / 8. They are made from two measurements: the class sums, which hold g
and all products within one attribute, and the products *between* attributes (``stats.products``), which
serve all classes at once. Their sensitivities come from the schema's row norms, never from the encoded
width.

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

from privet.curator import Curator, Measurement
from privet.learning.linear.class_sums import class_sum_measurements, collect_class_sums
from privet.learning.linear.newton import CAUTION, Solution, start
from privet.schema import Category
from privet.stats.encoding import Encoding
from privet.stats.products import Products

__all__ = ["blend", "fit_functional", "steady"]

Matrix = NDArray[np.float64]


def fit_functional(curator: Curator, encoding: Encoding, target: Category, regularisation: float) -> Solution:
    """Measure the quadratic approximation of the loss and return its minimum."""
    products = Products(encoding, own=False)
    share = curator.left / 2 if products.parts else curator.left
    plan = class_sum_measurements(curator, encoding, target, share)
    between = Measurement(products, share, "products of the coordinates of each two attributes")
    releases = curator.measure([*plan, between] if products.parts else plan)  # one pass for all
    known = collect_class_sums(encoding, target, plan, releases[: len(plan)])
    moments, ridge = known.second_moments(), known.noise / known.size
    if products.parts:
        release = releases[-1]
        noise = release.standard_deviation / known.size
        moments, left = blend(moments, products, release.value / known.size, noise)
        ridge += left
    weights, gradient = start(known)
    prior = known.totals[-len(weights) :] / known.size
    errors = []
    for k, p in enumerate(prior):
        curvature = known.size * p * (1 - p)
        inverse = np.linalg.inv(steady(moments, ridge + regularisation / curvature))
        weights[k] -= inverse @ gradient[k] / curvature
        variance = (
            known.noise / curvature
        ) ** 2 * inverse @ inverse + inverse @ moments @ inverse / curvature
        errors.append(1.96 * np.sqrt(np.maximum(np.diag(variance), 0)))
    return Solution(weights, np.stack(errors))


def blend(
    independent: Matrix, products: Products, cells: Matrix, noise: float, caution: float = CAUTION
) -> tuple[Matrix, float]:
    """Second moments from noisy cells and the model of independence; and the spectral size of their noise."""
    moments = independent.copy()
    heard = []
    for part in products.pairs():
        assert part.one is not None
        assert part.other is not None
        one, other = part.one.place, part.other.place
        deviation = cells[part.place].reshape(part.shape) - independent[one, other]
        explained = deviation.size * noise**2 / max(float((deviation**2).sum()), 1e-300)
        trust = max(0.0, 1.0 - explained)
        moments[one, other] += trust * deviation
        moments[other, one] = moments[one, other].T
        heard.append(trust)
    trust = float(np.mean(heard)) if heard else 0.0
    # The less is known of how attributes go together, the more caution (see the Newton steps).
    moments += (caution - 1) * (1 - trust) * independent
    return moments, 2 * noise * float(np.mean(np.square(heard or [0.0]))) ** 0.5 * len(independent) ** 0.5


def steady(moments: Matrix, ridge: float) -> Matrix:
    """The matrix plus the ridge (not on the intercept), with no eigenvalue below it."""
    ridge = max(ridge, 1e-9)
    diagonal = np.full(len(moments), ridge)
    diagonal[0] = 0.0
    values, vectors = np.linalg.eigh(moments + np.diag(diagonal))
    return (vectors * np.maximum(values, ridge / 2)) @ vectors.T
