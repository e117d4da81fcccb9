"""The minimum of a regularised loss over private records: by a random tilt before, or by noise after.

Both forms minimise Σ loss + λ/2·‖w‖² + b·w over all weights w, λ being fixed: it is no mean over the records,
so their number stays private. The records come in through four numbers, for one unit of privacy:

* L₁ and L₂: how far it can move the slope of the sum of losses (``l1``, ``squared_l2``);
* T: the largest trace of the curvature that its records can bring (``curvature``), and r, its largest rank
  (``rank``); κ = T/λ.

``solver`` gives weights w̃ whose slope has a norm of at most λτ, τ = 2⁻²⁰, so ‖w̃ − w*‖₂ ≤ τ for the true
minimum w* (strong convexity). Before they leave they are rounded to a grid and get whole-number noise.

**OutputPerturbation**: b = 0. Let D′ have one unit more. At the minimum w* of D the slope of D′ has a norm
of at most L₂, so the minima of neighbours are at most L₂/λ apart (under ``replace`` and for several records
L₂ is larger accordingly), and the approximate ones L₂/λ + 2τ.

**ObjectivePerturbation**: b is drawn first, b* below for the ideal continuous one. w* is a smooth one-to-one
function of b*: b* = −slope(w*) − λw*. So both neighbours' w* have densities, and for w* = w the ideal noises
b and b′ of D and D′ differ by h, ‖h‖₁ ≤ L₁, ‖h‖₂ ≤ L₂, and

    log density ratio = log ν(b)/ν(b′) − log det(∂b′/∂b),     ∂b′/∂b = 1 + (A′ − A)H⁻¹,

where A′, A are the curvatures of the records that came and went, and H ≥ A + λ that of the whole of D.

*Pure ε*, b* Laplace of scale L₁/ε₁ in each coordinate: the first term is at most ε₁, the second at most
log det(1 + (H − A)^-½ A (H − A)^-½). That matrix has at most r eigenvalues above 0, which add up to at most
tr(A)/λ ≤ κ, and the logarithm is concave: at most r·log(1 + κ/r) ≤ κ. Together ε₁ + r·log(1 + κ/r), and less
for the loss of a logistic regression, whose records cannot have the largest slope and the largest curvature
at the same weights: ``tilt_price`` has the bound that is used.

*zCDP*, b* normal with deviation σ, μ = L₂/σ: the Rényi divergence of every order α = 1 + t is at most α(μ²/2
+ a·κ²), ``a`` as computed by ``curvature_factor``. Write the ratio's logarithm as δ(h) + tr J − log det(1 +
J) + ‖h‖²/2σ², with J = ∂h/∂b and δ(h) = b·h/σ² − tr J. Its exponential moment E exp(t·…) is compared with E
exp(t·δ(h) + t·tr J + log det(1 − tJ) − t²‖h‖²/2σ²), which is 1 if b ↦ b − t·h is one-to-one (a change of
variables). It is where 1 − tJ has positive eigenvalues everywhere: as a function of w it is minus the slope
of the objective with t times the new records taken off and t times the old ones put on, whose curvature H½(1
− tH^-½(A′ − A)H^-½)H½ is then positive. What is left is at most exp(Σf(xᵢ) + t(t + 1)μ²/2) with f(x) =
−t·log(1 + x) − log(1 − tx) over the (real) eigenvalues x of J. The positive ones add up to at most κ, and
f(x) ≤ t(t + 1)x²/(2(1 − θ)) if tx ≤ θ; for the negative ones, f ≤ t(t + 1)c²/2 with c = −log(1 + x), where
Σc² ≤ κ². That settles all t ≤ θ/κ, with a ≥ 1/(2(1 − θ)) + ½. For a larger t: −log det(1 + J) ≤ κ, and b·h is
at most a sum over the unit's records of the largest of K normal variables, one of which is 0 (the slope of a
record lies between K corners, one for each class): by Hölder's inequality the moment is at most K·exp(tκ +
t(t + 1)μ²/2). κ + (log K)/t ≤ (t + 1)·a·κ² follows from a ≥ (θ + log K)/θ².

*The noise that is drawn* is not b* but a number near it. Pure ε: a grid of about 2⁻³⁴ of the scale and
geometric noise, which is the difference of two exponential variables rounded down to the grid, where b* is
their difference itself: each coordinate is off by less than a grid step. zCDP: OpenDP's Gaussian on
multiples of 2⁻¹⁰⁷⁴ (its distance from the continuous one, below 2⁻¹⁰⁰⁰, is neglected), rounded once to a
double. Both only tilt the function a little; ``slack`` is taken off the solver's tolerance, and w̃ is within
τ of w* all the same.

*Approximate minima.* Given w* = w, what D and D′ release differs in where within τ of w the solver stopped:
2τ in L2, plus rounding. Noise for that distance takes 1/64 of the budget, and adaptive composition adds it
up.

What the proof assumes: that the solver finds a minimum for every table (if it does not, an error says so, and
that it came is not protected), and that its own bound on rounding errors holds (``LogisticLoss.rounding``).

References: Chaudhuri, Monteleoni, Sarwate (2011); Kifer, Smith, Thakurta (2012); Iyengar et al. (2019), for
approximate minima. The zCDP bound is our own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from privet.budget.amounts import Pure, Zcdp
from privet.mechanisms.calibration import noise_for
from privet.mechanisms.checking import scale_fits
from privet.mechanisms.discrete_gaussian import DiscreteGaussian
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.geometric import GeometricNoise
from privet.mechanisms.rounding import root_up, up
from privet.mechanisms.tilt_price import tilt_epsilon
from privet.randomness import FloatArray, Randomness

__all__ = ["ObjectivePerturbation", "OutputPerturbation", "curvature_factor"]

# How near the solver comes to the minimum, and how fine the released weights are.
NEARNESS = Fraction(1, 1 << 20)
FINENESS = Fraction(1, 1 << 29)
# Of the budget: what the curvature's change may cost (λ is raised until it does not cost more; tried on two
# real tables), and what the solver's inexactness gets.
CURVATURE_SHARE_OF_RHO = Fraction(1, 4)
NEARNESS_SHARE = Fraction(1, 64)
# A λ below this part of T gains nothing any more, and makes a solver's life hard.
LEAST_OF_CURVATURE = Fraction(1, 1000)
# Output noise should be of this deviation at most: λ is raised until it is. Weights are of the order of 1.
TOLERABLE_NOISE = Fraction(1, 8)
LARGEST_REGULARISATION = 1e10


@lru_cache(maxsize=64)
def curvature_factor(classes: int) -> Fraction:
    """The least a, rounded up, for which the proof holds: over θ, the larger of its two conditions.

    >>> float(curvature_factor(2))
    2.578125
    """
    condition = min(
        max(1 / (2 * (1 - theta)) + 0.5, (theta + math.log(classes)) / theta**2)
        for theta in (k / 128 for k in range(1, 128))
    )
    return Fraction(math.ceil(condition * 64 + 1e-6), 64)


@dataclass(frozen=True)
class OutputPerturbation:
    """Noise on the minimum itself. ``asked`` is the regularisation that the user wants at least.

    >>> minimum = OutputPerturbation(Pure(Fraction(1)), size=4, l1=3, squared_l2=3, asked=Fraction(1))
    >>> round(float(minimum.regularisation), 1), round(minimum.standard_deviation, 2)
    (39.2, 0.13)
    """

    amount: Pure | Zcdp
    size: int
    l1: int
    squared_l2: int
    asked: Fraction
    name = "noise on the minimum"
    unit = "in a weight"

    def __post_init__(self) -> None:
        # Beyond, nothing but the regularisation is left of the objective.
        scale_fits(float(self.regularisation), "epsilon or rho", LARGEST_REGULARISATION)
        self.noise  # noqa: B018  (refuses what cannot be)

    @cached_property
    def regularisation(self) -> Fraction:
        """λ: at least what is asked, and enough for noise that leaves something to see."""
        length = Fraction(root_up(Fraction(self.squared_l2)))
        if isinstance(self.amount, Pure):
            spread = length * Fraction(root_up(Fraction(2 * self.size))) / self.amount.epsilon
        else:
            spread = length * Fraction(root_up(1 / (2 * self.amount.rho)))
        return Fraction(up(max(self.asked, spread / TOLERABLE_NOISE)))

    @property
    def tolerance(self) -> float:
        """The norm of the slope at which the solver may stop."""
        return float(self.regularisation * NEARNESS) * (1 - 2.0**-50)

    def tilt(self, randomness: Randomness) -> FloatArray:
        """The linear term of the objective: none."""
        return np.zeros(self.size)

    def slack(self, tilt: FloatArray) -> float:
        """How far the drawn tilt may be from the ideal one."""
        return 0.0

    @cached_property
    def noise(self) -> GeometricNoise | DiscreteGaussian:
        apart = Fraction(root_up(Fraction(self.squared_l2))) / self.regularisation + 2 * NEARNESS
        return _grid_noise(self.amount, apart, self.size)

    def release(self, weights: FloatArray, randomness: Randomness) -> FloatArray:
        """The weights, rounded to the grid, with noise for how far apart neighbours' weights can be."""
        nearest = np.rint(np.asarray(weights) / float(FINENESS)).astype(np.int64)
        return np.asarray(self.noise.randomise(nearest, randomness) * float(FINENESS))

    def log_density(self, minimum: FloatArray, released: FloatArray) -> float:
        """Of releasing these weights where this is the minimum: for audits."""
        apart = np.rint((np.asarray(released) - np.asarray(minimum)).ravel() / float(FINENESS))
        return float(self.noise.log_probability(apart).sum())

    @property
    def standard_deviation(self) -> float:
        """Of the noise in one released weight."""
        return self.noise.standard_deviation * float(FINENESS)

    def error(self, confidence: float = 0.95) -> float:
        return self.noise.error(confidence) * float(FINENESS)


@dataclass(frozen=True)
class ObjectivePerturbation(OutputPerturbation):
    """A random tilt of the objective, whose minimum then is nearly all that is needed.

    >>> minimum = ObjectivePerturbation(
    ...     Pure(Fraction(1)), 4, 3, 3, asked=Fraction(1), curvature=Fraction(3, 4), rank=1, classes=2
    ... )
    >>> round(float(minimum.regularisation), 3), round(float(minimum.tilt_noise.epsilon), 3)
    (5.633, 0.984)
    """

    curvature: Fraction
    rank: int
    classes: int
    #: Of a pure ε, what the curvature's change would cost by itself: λ follows from it.
    share: Fraction = Fraction(1, 8)
    #: Whether records come in the place of others, so that ``l1`` is for those that go and those that come.
    replaced: bool = False
    name = "a random tilt of the objective"
    unit = "records in the slope of the loss"

    @cached_property
    def regularisation(self) -> Fraction:
        """λ: at least what is asked, and enough that the curvature's change by itself costs its share."""
        if isinstance(self.amount, Pure):
            share = self.amount.epsilon * self.share
            change = max(Fraction(math.expm1(min(float(share / self.rank), 700.0))), share / self.rank)
            least = self.curvature * max(1 / (self.rank * change), LEAST_OF_CURVATURE)
        else:
            most = self.amount.rho * CURVATURE_SHARE_OF_RHO / curvature_factor(self.classes)
            least = self.curvature * Fraction(root_up(1 / most))
        return Fraction(up(max(self.asked, least)))

    @cached_property
    def tilt_noise(self) -> GeometricNoise | Gaussian:
        """What is left of the budget, as noise on the slope: on a grid of ``_step``, or real."""
        change = self.curvature / self.regularisation
        if isinstance(self.amount, Pure):
            budget = self.amount.epsilon * (1 - NEARNESS_SHARE)
            left = tilt_epsilon(budget, up(change), self.rank, self.classes, replaced=self.replaced)
            return GeometricNoise(left, math.ceil(self.l1 / self._step))
        cost = self.amount.rho * NEARNESS_SHARE + curvature_factor(self.classes) * change**2
        return Gaussian(self.amount.rho - cost, Fraction(self.squared_l2))

    @cached_property
    def _step(self) -> Fraction:
        assert isinstance(self.amount, Pure)
        return Fraction(2) ** (math.floor(math.log2(self.l1 / self.amount.epsilon)) - 34)

    def tilt(self, randomness: Randomness) -> FloatArray:
        drawn = self.tilt_noise.randomise(np.zeros(self.size, np.int64), randomness)
        return np.asarray(drawn * float(self._step) if isinstance(self.tilt_noise, GeometricNoise) else drawn)

    def slack(self, tilt: FloatArray) -> float:
        if isinstance(self.tilt_noise, GeometricNoise):
            return float(self._step) * self.size**0.5 * (1 + 2.0**-40)
        return 2.0**-52 * float(np.abs(tilt).sum())

    def log_density(self, slope: FloatArray, curvature: FloatArray) -> float:
        """Of a minimum at weights where the objective without its tilt has this slope and curvature.

        The tilt must have been minus the slope, and the curvature is how fast it changes with the weights.
        """
        tilt = -np.asarray(slope).ravel()
        if isinstance(self.tilt_noise, GeometricNoise):
            tilt = np.rint(tilt / float(self._step))
        return float(self.tilt_noise.log_probability(tilt).sum() + np.linalg.slogdet(curvature)[1])

    @cached_property
    def noise(self) -> GeometricNoise | DiscreteGaussian:
        return _grid_noise(self.amount.share(NEARNESS_SHARE), 2 * NEARNESS, self.size)

    def error(self, confidence: float = 0.95) -> float:
        """Of the slope, by the tilt; the noise on the weights is far smaller than what that does to them."""
        step = float(self._step) if isinstance(self.tilt_noise, GeometricNoise) else 1.0
        return self.tilt_noise.error(confidence) * step


def _grid_noise(amount: Pure | Zcdp, apart: Fraction, size: int) -> GeometricNoise | DiscreteGaussian:
    """Noise for whole vectors made by rounding real ones that are so far apart in L2.

    A coordinate that differs by d differs by at most d + 1 grid steps after rounding, so L1 grows by the size
    and L2 by its root; and L1 ≤ √size·L2 before.
    """
    steps, root = apart / FINENESS, Fraction(root_up(Fraction(size)))
    return noise_for(amount, math.ceil(root * steps) + size, (steps + root) ** 2)
