"""Logistic regression by a few damped Newton steps on noisy gradients.

The gradient of the logistic loss is cheap in privacy: one record moves it by at most the number of
attributes in L1 (``stats.linear.gradient``), not by its square as the matrix of second moments. The
curvature is not measured at all. It is *modelled* from the class sums as that of independent attributes,
times ``CAUTION`` (correlated attributes have directions of larger curvature, in which a full step would
overshoot), and raised further when two released gradients show that a step met more curvature than the
model has; the next step is then not longer than that one.

**Privacy.** The class sums take a share of the budget, and each gradient an equal part of the rest; the
curator adds them up. The weights at which a gradient is taken, the steps and the corrections are computed
from released numbers only, and composition allows later questions to depend on earlier answers.

**How many steps.** More steps come closer to the optimum and cost noise: the deviation of a gradient entry
grows with the number of steps (pure ε) or its root (zCDP). The largest number up to ``MOST_STEPS`` is taken
whose noise, times the number of steps, stays below ``TOLERABLE`` of the *declared* number of records; it
may be 0, and then the class sums alone, with all of the budget, give the weights. (Constants: tried on two
real tables.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.learning.linear.class_sums import ClassSums, measure_class_sums
from privet.mechanisms import noise_for
from privet.schema import Category
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.gradient import Gradient, probabilities

__all__ = ["Solution", "fit_newton", "steps_for"]

Matrix = NDArray[np.float64]

MOST_STEPS = 8
TOLERABLE = 0.004
CAUTION, LEAST_CAUTION = 3.0, 0.75
CLASS_SUMS_SHARE = Fraction(1, 4)
SURPRISING = 1.1


@dataclass(frozen=True)
class Solution:
    """Weights (one row for two classes, else one per class), and 95 % error bars for the noise, if known."""

    weights: Matrix
    error: Matrix | None


def steps_for(curator: Curator, encoding: Encoding, target: Category, records: int) -> int:
    """How many gradients to measure, from what is public: the schema, the budget and the declared records."""
    rows = 1 if target.size == 2 else target.size
    gradient = Gradient(np.zeros((rows, encoding.width)), target.name, encoding)
    # One rule for both neighbour relations, so that the plan does not change with them.
    norms = gradient.sensitivity(curator.schema, replace(curator.schema.unit, neighbours="add_remove"))
    for steps in range(MOST_STEPS, 0, -1):
        amount = curator.currency.share(curator.left * (1 - CLASS_SUMS_SHARE) / steps)
        noise = noise_for(amount, norms.l1, norms.squared_l2).standard_deviation / gradient.scale
        if noise * steps <= TOLERABLE * records:
            return steps
    return 0


def fit_newton(
    curator: Curator, encoding: Encoding, target: Category, steps: int, regularisation: float
) -> Solution:
    """Measure class sums and ``steps`` gradients, and return where the steps led."""
    whole = curator.left
    share = whole * CLASS_SUMS_SHARE if steps else whole
    known = measure_class_sums(curator, encoding, target, share)
    moments, mean = known.second_moments(), known.mean
    weights, gradient = start(known)
    noise, more = known.noise, 1.0 if len(weights) == 1 else target.size / (target.size - 1)
    move = stiffness = np.zeros_like(weights)
    careful = 0.0
    for number, caution in enumerate(cautions(steps + 1)):
        if number:
            question = Gradient(weights, target.name, encoding)
            what = f"gradient of the loss, step {number} of {steps}"
            release = curator.ask(Measure(question, what), (whole - share) / steps)
            measured, noise = question.unpack(release.value), release.standard_deviation
            surprise, clear = _surprise(move, measured - gradient, stiffness, noise)
            more *= surprise
            gradient = measured
            # After an overshoot, a longer step would overshoot again in directions that this one hardly saw.
            caution = max(caution, careful) if clear else caution
        curvature = known.size * average_curvature(weights, mean, moments)[:, None, None] * moments
        stiffness, careful = caution * more * curvature, caution
        move = -_solve(stiffness, gradient + _ridge(weights, regularisation), noise + regularisation)
        weights = weights + move
    # The noise of earlier steps is in the weights too: the last step went as far as it was seen to be off.
    return Solution(weights, _error(curvature, noise, regularisation) + np.abs(move))


def start(known: ClassSums) -> tuple[Matrix, Matrix]:
    """Weights that know the class sizes only, and the gradient there, which the class sums give."""
    prior = known.totals / known.size
    gradient = prior[:, None] * known.sums.sum(axis=0) - known.sums
    weights = np.zeros_like(gradient)
    weights[:, 0] = np.log(prior)
    if len(prior) == 2:
        weights[1, 0] -= weights[0, 0]
        return weights[1:], gradient[1:]
    return weights, gradient


def average_curvature(weights: Matrix, mean: Matrix, moments: Matrix) -> Matrix:
    """E[p(1 − p)] of each row's class, if the margins were normal with these moments."""
    covariance = weights @ (moments - np.outer(mean, mean)) @ weights.T
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0))
    # Draws for an integral over public numbers: the same in every run, and no noise of a release.
    draws = np.random.default_rng(0).standard_normal((512, len(weights)))
    p = probabilities(weights @ mean + draws @ root.T)[:, -len(weights) :]
    return np.maximum((p * (1 - p)).mean(axis=0), 0.02)


def cautions(steps: int) -> list[float]:
    """Factors on the modelled curvature, one a step: large first, to be safe, then small, to get far.

    Attributes that go together have directions of up to ``CAUTION`` times the curvature of independent
    ones, and of down to ``LEAST_CAUTION`` times. The reciprocals of the Chebyshev nodes between the two are
    the step lengths whose product is smallest over all that lies between (Richardson iteration).
    """
    if steps == 1:
        return [CAUTION]
    angles = np.pi * (2 * np.arange(steps) + 1) / (2 * steps)
    middle, radius = (CAUTION + LEAST_CAUTION) / 2, (CAUTION - LEAST_CAUTION) / 2
    return [float(node) for node in middle + radius * np.cos(angles)]


def _surprise(move: Matrix, change: Matrix, stiffness: Matrix, noise: float) -> tuple[float, bool]:
    """By which factor the gradient changed more along the last move than the model said, at least 1; and
    whether it changed more than the noise of two gradients explains.
    """
    expected = float(np.einsum("ki,kij,kj->", move, stiffness, move))
    met = float((move * change).sum())
    if not (expected > 0 and math.isfinite(met)):
        return 1.0, False
    doubt = 2 * math.sqrt(2) * noise * float(np.linalg.norm(move))
    return min(max(met / expected, 1.0), 10.0), met - doubt > SURPRISING * expected


def _ridge(weights: Matrix, regularisation: float) -> Matrix:
    pull = regularisation * weights
    pull[:, 0] = 0.0  # the intercept is not shrunk
    return pull


def _solve(curvature: Matrix, gradient: Matrix, damping: float) -> Matrix:
    """Newton's step, damped by the noise: where it exceeds the curvature, the step is short."""
    return np.stack(
        [np.linalg.solve(_damped(h, damping), g) for h, g in zip(curvature, gradient, strict=True)]
    )


def _damped(curvature: Matrix, damping: float) -> Matrix:
    diagonal = np.full(len(curvature), damping + 1e-6 * max(curvature[0, 0], 1.0))
    diagonal[0] = 1e-6 * max(curvature[0, 0], 1.0)
    return curvature + np.diag(diagonal)


def _error(curvature: Matrix, noise: float, regularisation: float) -> Matrix:
    """1.96 deviations from privacy noise and from sampling, as the last step carries them."""
    errors = []
    for h in curvature:
        inverse = np.linalg.inv(_damped(h, noise + regularisation))
        variance = noise**2 * (inverse @ inverse.T) + inverse @ h @ inverse.T
        errors.append(1.96 * np.sqrt(np.maximum(np.diag(variance), 0)))
    return np.stack(errors)
