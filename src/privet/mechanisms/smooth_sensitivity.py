"""Smooth sensitivity: noise for the table at hand, without its size giving the table away.

The worst table may let one record move a median across its whole range, while in the table at hand it can
hardly move it. Noise scaled to the *local* sensitivity of this table would itself tell what is in it. A
β-smooth bound S lies above the local sensitivity everywhere and changes by a factor of at most e^β from a
table to its neighbour; noise with the right tails scaled to S is private.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import Approximate, Pure, exact
from privet.budget.events import ApproximateEvent, PureEvent
from privet.errors import ParameterError
from privet.mechanisms.checking import confident, scale_fits, whole, whole_numbers
from privet.mechanisms.rounding import down, up
from privet.randomness import IntegerArray, Randomness

__all__ = ["SmoothQuantile", "SmoothSensitivity"]

# Constants are computed in floats and then moved to the safe side by this share, which is far more than the
# error of an exponential and invisible in the noise.
MARGIN = Fraction(1, 2**40)
LARGEST_VALUE = 2**52


@dataclass(frozen=True)
class SmoothSensitivity:
    """Adds noise to a whole number in proportion to a smooth bound S on its local sensitivity.

    Needed: for neighbours x, x' (of whichever relation the bound was made for) |f(x) − f(x')| ≤ min(S, S'),
    and S/S' between q and 1/q, where q is ``decay``. ``bound`` makes such an S.

    **δ = 0: pure ε**, with polynomial tails. With m = ``tail``, the noise is σZ, σ = κS, rounded to a whole
    number; Z has the density (m/2)(1 + |z|)^−(m+1). So f + σZ has a density ∝ σ^m/(σ + |y − f|)^(m+1).

    *Proof.* Let d = |f − f'|, ρ = σ'/σ = S'/S, a = |y − f|. The loss at y is at most
    L = −m·log ρ + (m + 1)·log((σ' + a + d)/(σ + a)). The fraction is monotone in a, so it is largest at a = 0
    or tends to 1. In the latter case L ≤ m·log(1/q). At a = 0, L = log ρ + (m + 1)·log(1 + d/σ'). If ρ ≤ 1
    this is at most (m + 1)·log(1 + 1/κ), since d ≤ S'. If ρ ≥ 1, d ≤ S = S'/ρ gives
    log ρ + (m + 1)·log(1 + 1/(κρ)), which is convex in log ρ, hence largest at ρ = 1 or ρ = e^β. So with
    β = ε/(m + 1), q ≥ e^−β, and κ at least both 1/(e^(ε/(m+1)) − 1) and e^−β/(e^((ε−β)/(m+1)) − 1), the loss
    is at most ε. Rounding is post-processing.

    *The sampler is exact*, in whole numbers only: P(|Z| > z) = (1 + z)^−m, so |Z| = (1 − V)/V where V is the
    largest of m uniform numbers, and as many bits of these are drawn as it takes to know the rounded σZ.

    **δ > 0: (ε, δ)**, with discrete Laplace noise of scale s = 2S/ε, P(x) = tanh(1/(2s))·exp(−|x|/s).

    *Proof.* If s' ≥ s, tanh(1/(2s)) ≤ (s'/s)·tanh(1/(2s')) and the loss is at most β + d/s' ≤ β + ε/2 ≤ ε. If
    s' < s, the first factor is at most 1 and the loss at y = f + x at most d/s' + (|x|/s)(s/s' − 1)
    ≤ ε/2 + (|x|/s)(e^β − 1), which is at most ε unless |x|/s > w = ε/(2(e^β − 1)); that has probability at
    most 2e^−w. With β = log(1 + ε/(2·log(2/δ))) it is at most δ. (β ≤ ε/2 as log(2/δ) > ½.) β is taken
    smaller by more than the rounding of s to a float.

    *References.* Nissim, Raskhodnikova, Smith (2007), Smooth sensitivity and sampling in private data
    analysis; Hladík, Tětek (2025), Smooth sensitivity revisited, for tails of this form. The constants are
    derived above.

    >>> from privet.randomness import seeded
    >>> noise = SmoothSensitivity(epsilon=Fraction(1))
    >>> S = noise.bound([2, 4, 9], widest=100)   # local sensitivity at distance 0, 1, 2, and then 100
    >>> float(round(S, 2))
    54.88
    >>> isinstance(noise.randomise(500, S, seeded(7)), int)
    True
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    tail: int = 4

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        object.__setattr__(self, "delta", exact(self.delta))
        object.__setattr__(self, "tail", whole("tail", self.tail))
        if self.delta:
            Approximate(self.epsilon, self.delta)
        Pure(self.epsilon)
        if self.decay == 1:
            raise ParameterError(
                "With this epsilon (and delta or tail) a smooth bound would be the worst case.",
                "Give a larger epsilon, or scale the noise to the largest possible change.",
            )

    @property
    def event(self) -> PureEvent | ApproximateEvent:
        if self.delta:
            return ApproximateEvent(self.epsilon, self.delta, "smooth_sensitivity")
        return PureEvent(self.epsilon, "smooth_sensitivity")

    @cached_property
    def decay(self) -> Fraction:
        """q ≥ e^−β: what a change that is one record further away counts for."""
        epsilon = down(self.epsilon)
        if self.delta:
            smoothness = math.log1p(epsilon / (2.0 * math.log(2.0 / down(self.delta))))
        else:
            smoothness = epsilon / (self.tail + 1)
        upper = Fraction(math.exp(-smoothness * (1.0 - 2.0**-30))) * (1 + MARGIN)
        return min(Fraction(1), Fraction(math.ceil(upper * 2**40), 2**40))

    @cached_property
    def multiple(self) -> Fraction:
        """κ = σ/S, or s/S where δ > 0."""
        if self.delta:
            return 2 / Fraction(down(self.epsilon))
        part = min(down(self.epsilon / (self.tail + 1)), 300.0)  # a smaller ε is a safer one
        near = 1.0 / math.expm1(part)
        far = math.exp(-part) / math.expm1(part * self.tail / (self.tail + 1))
        return Fraction(max(near, far)) * (1 + MARGIN)

    def bound(self, local: Iterable[int], widest: int) -> Fraction:
        """The smallest smooth bound: max over k of qᵏ·(local sensitivity at distance k), and at least 1.

        ``local`` gives the largest change by one record in any table that differs in at most k records, for
        k = 0, 1, 2, …; where it ends, ``widest``, the largest change in any table, takes over. A distance
        changes by at most 1 between neighbours, so each term changes by at most a factor of q.
        """
        best, weight = Fraction(1), Fraction(1)
        for change in local:
            best = max(best, weight * int(change))
            weight *= self.decay
            if weight * widest <= best:
                return best
        return max(best, weight * widest)

    def randomise(self, value: int, bound: Fraction, randomness: Randomness) -> int:
        """The whole number plus noise. The scale, ``bound``, is as private as the data."""
        if self.delta:
            scale = scale_fits(up(self.multiple * bound), "epsilon", 2.0**62)
            return int(randomness.add_discrete_laplace(np.array(value, np.int64), scale))
        size = self._size(self.multiple * bound, randomness)
        return int(value) + (size if randomness.bits(1)[0] % 2 else -size)

    def _size(self, scale: Fraction, randomness: Randomness) -> int:
        """|σZ|, rounded: the number of n ≥ 1 with n − ½ < σ(1 − V)/V."""
        draws, bits = [0] * self.tail, 0
        while True:
            draws = [
                (draw << 64) | int(word) for draw, word in zip(draws, randomness.bits(self.tail), strict=True)
            ]
            bits += 64
            low = max(draws)  # V lies between low and low + 1, in units of 2^-bits
            if low and (size := _rounded(scale, low, bits)) == _rounded(scale, low + 1, bits):
                return size

    def error(self, bound: Fraction, confidence: float = 0.95) -> float:
        """The noise stays within ± this with at least this probability. As private as ``bound``."""
        outside, scale = confident(confidence), float(self.multiple * bound)
        if self.delta:
            return float(math.ceil(scale * math.log(2.0 / outside)))
        return float(math.ceil(scale * (outside ** (-1.0 / self.tail) - 1.0)))

    def survival(self, bound: Fraction, size: ArrayLike) -> np.ndarray:
        """P(|noise| ≥ size) for whole sizes of at least 1, without δ: for tests and audits."""
        return (1.0 + (np.asarray(size, float) - 0.5) / float(self.multiple * bound)) ** -float(self.tail)


def _rounded(scale: Fraction, uniform: int, bits: int) -> int:
    """⌊σ(1 − V)/V + ½⌋ for V = uniform/2^bits, in whole numbers."""
    up_to, unit = scale.numerator, scale.denominator * uniform
    return (2 * up_to * ((1 << bits) - uniform) + unit) // (2 * unit)


@dataclass(frozen=True)
class SmoothQuantile:
    """A quantile of whole numbers within public bounds, by smooth sensitivity. 0.5 is the median.

    For tables of a public number n of values of which *one is replaced* between neighbours (the outputs of
    sample-and-aggregate are of this kind under either relation of the records). The quantile is the value of
    rank r = ⌈n·probability⌉.

    *Local sensitivity at distance k.* Sort the values, with x_j = low for j < 1 and high for j > n. In any
    table y, replacing one value moves the r-th to at most the next one above or below. No value of y lies
    strictly between those two, so if y differs from x in k values, at most k values of x do, all of them
    moved: the gap lies between two values of x that are k + 1 ranks apart and have rank r among or between
    them. So A_k ≤ max over 0 ≤ t ≤ k + 1 of x_(r+t) − x_(r+t−k−1); moving the k values inside the widest such
    window to its ends attains it (Nissim et al. 2007). The tests compare with all tables and neighbours.

    *Privacy.* Values are clamped to the bounds first; ``SmoothSensitivity`` for the rest; clamping the
    result to the bounds is post-processing. The noise's scale is private, so there is no public error bar.

    >>> from privet.randomness import seeded
    >>> median = SmoothQuantile(low=0, high=1000, noise=SmoothSensitivity(Fraction(2)))
    >>> values = [500 + i % 7 for i in range(101)]
    >>> float(median.bound(values)), median.exact(values)
    (1.0, 503)
    >>> abs(median.randomise(values, seeded(7)) - 503) < 50
    True
    """

    low: int
    high: int
    noise: SmoothSensitivity
    probability: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, whole(f"{name} bound", getattr(self, name), -LARGEST_VALUE))
        object.__setattr__(self, "probability", exact(self.probability))
        if not self.low < self.high <= LARGEST_VALUE:
            raise ParameterError(
                "The bounds must rise and fit in 52 bits.", "Swap them, or use a coarser grid."
            )
        if not 0 < self.probability < 1:
            raise ParameterError("A quantile's probability must lie between 0 and 1.", "0.5 is the median.")

    @property
    def event(self) -> PureEvent | ApproximateEvent:
        return self.noise.event

    def randomise(self, values: ArrayLike, randomness: Randomness) -> int:
        """The private quantile."""
        noisy = self.noise.randomise(self.exact(values), self.bound(values), randomness)
        return min(max(noisy, self.low), self.high)

    def exact(self, values: ArrayLike) -> int:
        """The quantile itself: private."""
        ordered = self._ordered(values)
        return int(ordered[self._rank(ordered.size) - 1])

    def bound(self, values: ArrayLike) -> Fraction:
        """The smooth bound on its sensitivity: private."""
        ordered = self._ordered(values)
        return self.noise.bound(
            (self._local(ordered, distance) for distance in range(ordered.size)), self.high - self.low
        )

    def _local(self, ordered: IntegerArray, distance: int) -> int:
        width = distance + 1
        places = self._rank(ordered.size) - 1 + np.arange(width + 1)  # of the upper end, from 0
        return int((self._at(ordered, places) - self._at(ordered, places - width)).max())

    def _at(self, ordered: IntegerArray, places: IntegerArray) -> IntegerArray:
        inside = ordered[np.clip(places, 0, ordered.size - 1)]
        return np.where(places < 0, self.low, np.where(places >= ordered.size, self.high, inside))

    def _ordered(self, values: ArrayLike) -> IntegerArray:
        array = whole_numbers(values).ravel()
        if not array.size:
            raise ParameterError("A quantile needs at least one value.")
        return np.sort(np.clip(array, self.low, self.high))

    def _rank(self, size: int) -> int:
        return math.ceil(size * self.probability)
