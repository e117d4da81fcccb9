"""Staircase noise for whole numbers: the least expected error that pure ε allows, for one number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import Pure, exact
from privet.budget.events import PureEvent
from privet.mechanisms.checking import LARGEST_WHOLE_SCALE, confident, scale_fits, whole, whole_numbers
from privet.mechanisms.rounding import down, up
from privet.randomness import FloatArray, IntegerArray, Randomness

__all__ = ["Staircase"]

# Far more than the error of a float exponential, and far less than anyone would notice in the noise.
MARGIN = Fraction(1, 2**48)


@dataclass(frozen=True)
class Staircase:
    """Adds X whose probability falls in steps: by e^−ε at r, and again after every further Δ. Pure ε.

    ``sensitivity`` is Δ, the most that *one* number differs between two neighbours, of either relation.
    ``coordinates`` is how many numbers of the array one unit of privacy can change: each then gets ε divided
    by it. (An L1 bound does not help here: two numbers that move by Δ/2 each can both cross a step.)

    Geometric noise has its steps at every whole number. Where Δ is large, wide steps waste less probability
    far out: the expected |X| falls like Δ·e^(−ε/2) and not like Δ/ε. For Δ = 1 the two are the same noise.
    A real number is first put on a public fixed-point grid, which also keeps its low bits from leaking.

    *The noise.* Let level(x) = ⌊(|x| + Δ − r)/Δ⌋: 0 for |x| < r, then one more for every Δ. With probability
    p, X is uniform on the 2r − 1 numbers of level 0; else its sign is fair and |X| = r + G·Δ + U, with U
    uniform on 0 … Δ−1 and P(G = g) = (1 − b)bᵍ. So P(x) is h₀ = p/(2r − 1) on level 0 and
    h₁·b^(level − 1) above, with h₁ = (1 − p)(1 − b)/(2Δ).

    *Proof.* Shifting x by at most Δ changes |x| by at most Δ and its level by at most 1, so P changes by a
    factor of at most h₀/h₁ or 1/b. b = exp(−1/s) with s = 1/ε rounded up: 1/b ≤ e^ε. The odds (1 − p)/p are
    rounded up from 2Δb/((2r − 1)(1 − b)), so h₁ ≥ b·h₀, that is h₀/h₁ ≤ e^ε; the rounding (2⁻⁴⁸ of it,
    and 2⁻⁶⁴ of p) is less than 1 − b, so h₁ ≤ h₀ still. With c coordinates, c changes at ε/c add up to ε.

    *The sampler is exact*: p is a multiple of 2⁻⁶⁴, for which ``bernoulli`` is; G is a discrete Laplace draw
    given that it is not negative; U and the inner numbers are uniform indices. Stopping at the ends of 64
    bits is post-processing.

    *The best r.* With c = b/(1 − b), t = r − ½ + Δc, K = Δ²c(1 + c) − ¼: E|X| = (t² + K)/(2t), convex, least
    at t = √K. So r is one of the two whole numbers around ½ − Δc + √K; r/Δ tends to γ* = 1/(1 + e^(ε/2)).

    *Reference.* Geng, Viswanath (2014), The optimal mechanism in differential privacy, which also proves
    that no additive noise on whole numbers with pure ε has a smaller E|X|.

    >>> from privet.mechanisms import GeometricNoise
    >>> from privet.randomness import seeded
    >>> noise = Staircase(epsilon=Fraction(4), sensitivity=1000)
    >>> noise.width, round(noise.mean_absolute), round(noise.gamma, 3)
    (120, 138, 0.12)
    >>> geometric = np.exp(GeometricNoise(Fraction(4), 1000).log_probability(np.arange(1, 20000)))
    >>> round(2 * float(geometric @ np.arange(1, 20000)))
    250
    >>> noise.randomise([120, 0, 33], seeded(7)).shape
    (3,)
    """

    epsilon: Fraction
    sensitivity: int = 1
    coordinates: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        object.__setattr__(self, "sensitivity", whole("sensitivity", self.sensitivity))
        object.__setattr__(self, "coordinates", whole("number of coordinates", self.coordinates))
        Pure(self.epsilon)
        Pure(self.epsilon / self.coordinates)
        # Steps as wide as Δ reach as far as Δ, however large ε is.
        scale_fits(max(self.scale, up(Fraction(self.sensitivity))), "epsilon", LARGEST_WHOLE_SCALE)

    @property
    def scale(self) -> float:
        """Δ/ε for each coordinate: the scale of the geometric noise that this one replaces."""
        return up(self.sensitivity * Fraction(self._step_scale))

    @property
    def event(self) -> PureEvent:
        return PureEvent(self.epsilon, "staircase")

    @cached_property
    def width(self) -> int:
        """r: numbers nearer to 0 than this are the likeliest."""
        root = math.sqrt(max(self.sensitivity**2 * self._tail * (1 + self._tail) - 0.25, 0.0))
        near = math.floor(0.5 - self.sensitivity * self._tail + root)
        allowed = {min(max(r, 1), self.sensitivity) for r in (near - 1, near, near + 1, near + 2)}
        return min(sorted(allowed), key=self._mean_absolute_for)

    @property
    def gamma(self) -> float:
        """The width of the innermost step as a share of the sensitivity."""
        return self.width / self.sensitivity

    def randomise(self, value: ArrayLike, randomness: Randomness) -> IntegerArray:
        values = whole_numbers(value)
        count, r = values.size, self.width
        inside = randomness.bernoulli(count, self._inner)
        noise = np.empty(count, dtype=object)  # Python's integers: the sum cannot wrap around
        noise[inside] = (randomness.uniform_indices(int(inside.sum()), 2 * r - 1) - (r - 1)).astype(object)
        outer = int(count - inside.sum())
        sizes = self._levels(outer, randomness).astype(object) * self.sensitivity + r
        sizes = sizes + randomness.uniform_indices(outer, self.sensitivity).astype(object)
        signs = 2 * randomness.uniform_indices(outer, 2) - 1
        noise[~inside] = sizes * signs.astype(object)
        ends = np.iinfo(np.int64)
        total = np.minimum(np.maximum(values.ravel().astype(object) + noise, ends.min), ends.max)
        return np.asarray(total.astype(np.int64).reshape(values.shape))

    def _levels(self, size: int, randomness: Randomness) -> IntegerArray:
        """Draws of P(g) ∝ b^g, g ≥ 0: discrete Laplace draws, taken again while they are negative."""
        levels = randomness.add_discrete_laplace(np.zeros(size, np.int64), self._step_scale)
        while (again := np.flatnonzero(levels < 0)).size:
            levels[again] = randomness.add_discrete_laplace(np.zeros(again.size, np.int64), self._step_scale)
        return levels

    @property
    def mean_absolute(self) -> float:
        """The expected |X|, which this noise makes as small as pure ε allows."""
        r, inner = self.width, float(self._inner)
        far = r + self.sensitivity * self._tail + (self.sensitivity - 1) / 2
        return inner * r * (r - 1) / (2 * r - 1) + float(1 - self._inner) * far

    @property
    def standard_deviation(self) -> float:
        r, step, tail = self.width, self.sensitivity, self._tail
        start = r + step * tail  # the mean of r + GΔ, and below its mean square
        start_squared = r * r + 2 * r * step * tail + step * step * tail * (1 + 2 * tail)
        far = start_squared + start * (step - 1) + (step - 1) * (2 * step - 1) / 6
        return math.sqrt(float(self._inner) * r * (r - 1) / 3 + float(1 - self._inner) * far)

    def error(self, confidence: float = 0.95) -> float:
        outside, r, beyond = confident(confidence), self.width, float(1 - self._inner)
        if outside >= beyond:  # P(|X| > w) = 1 − p(2w + 1)/(2r − 1) within the innermost step
            enough = ((1.0 - outside) * (2 * r - 1) / float(self._inner) - 1.0) / 2.0
            return float(max(0, math.ceil(enough - 1e-9)))
        # P(|X| ≥ r + gΔ + j) = (1 − p)·b^g·(1 − j(1 − b)/Δ) for 0 ≤ j ≤ Δ.
        steps = math.floor(math.log(beyond / outside) * self._step_scale)
        left = beyond * math.exp(-steps / self._step_scale)
        part = (1.0 - outside / left) * self.sensitivity / -math.expm1(-1.0 / self._step_scale)
        return float(r - 1 + steps * self.sensitivity + max(0, math.ceil(part - 1e-9)))

    def log_probability(self, noise: ArrayLike) -> FloatArray:
        distance = np.abs(np.asarray(noise, dtype=np.float64))
        level = np.floor((distance + (self.sensitivity - self.width)) / self.sensitivity)
        inner = math.log(self._inner / (2 * self.width - 1))
        outer = math.log(1 - self._inner) - math.log(2 * self.sensitivity) + self._log_stop
        return np.where(level == 0, inner, outer - (level - 1) / self._step_scale)

    @cached_property
    def _step_scale(self) -> float:
        """s, with b = exp(−1/s)."""
        return up(1 / Fraction(down(self.epsilon / self.coordinates)))

    @cached_property
    def _tail(self) -> float:
        """b/(1 − b) = 1/(exp(1/s) − 1), the mean of G."""
        return 1.0 / math.expm1(min(1.0 / self._step_scale, 700.0))

    @cached_property
    def _log_stop(self) -> float:
        """log(1 − b)."""
        return math.log(-math.expm1(-1.0 / self._step_scale))

    @cached_property
    def _inner(self) -> Fraction:
        """p, rounded down to a multiple of 2⁻⁶⁴ after the odds against it were rounded up."""
        odds = Fraction(2 * self.sensitivity, 2 * self.width - 1) * Fraction(self._tail) * (1 + MARGIN)
        return Fraction(math.floor(2**64 / (1 + odds)), 2**64)

    def _mean_absolute_for(self, r: int) -> float:
        """E|X| as a function of r (see the docstring), up to the rounding of p."""
        t = r - 0.5 + self.sensitivity * self._tail
        return (t + (self.sensitivity**2 * self._tail * (1 + self._tail) - 0.25) / t) / 2
