"""Discrete Laplace noise that several parties add together, none of which knows the sum: exact, in integers.

**Distribution.** Discrete Laplace noise with ratio r, P(x) ∝ r^|x|, is the difference of two independent
geometric variables, P(k) = (1 − r)·r^k. A geometric variable is the sum of h independent *Pólya* (negative
binomial) variables of size 1/h, P(k) = (1 − r)^(1/h) · r^k · Π_{i=1..k} (1/h + i − 1)/i: the generating
function of one is ((1 − r)/(1 − r·z))^(1/h), and its h-th power is that of the geometric. So h parties who
each add the difference of two Pólya variables of size 1/h add discrete Laplace noise of ratio r between them,
exactly.

**Privacy.** With sensitivity Δ in the L1 norm, adding it to each coordinate loses at most Δ·ln(1/r) (proof:
``mechanisms.geometric``). r is chosen at least e^(−ε/Δ), so the loss is at most ε.

**Colluders and drop-outs.** ``honest`` is h: how many parties are *declared* to add their share and keep it
to themselves. Let n take part. Whoever sees the sum, and c of the shares besides, sees the sum of the other n
− c shares. If n − c ≥ h, that is discrete Laplace noise plus further independent noise, which is
post-processing: ε holds. If n − c < h, it does not: the study must not be released when fewer than h took
part.

**Exact draws.** q = (1 − r)^(1/h) is chosen as a multiple of 2⁻⁶⁴, so r = 1 − q^h is rational and so are all
probabilities: P(0) = q, P(k) = P(k − 1)·r·(1 + h(k − 1))/(hk). They are added up in fixed point with a known
bound on the error; a uniform draw that falls within the bound of a border is continued with more bits and
more digits. So each draw has exactly the distribution above, with as many fair bits as it takes.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import Pure, exact
from privet.budget.events import PureEvent
from privet.errors import ParameterError
from privet.mechanisms.checking import confident, whole, whole_numbers
from privet.randomness import IntegerArray, Randomness

__all__ = ["GeometricShare"]

_GRID = 2**64
_BITS = 256  # of a first draw: it falls near a border about once in 2^200
_SMALLEST = Fraction(1, 5_000)  # of ε / Δ: below this, the table of probabilities has a million entries


@dataclass(frozen=True)
class GeometricShare:
    """One party's share of discrete Laplace noise, of which any ``honest`` shares make the whole.

    >>> from privet.randomness import seeded
    >>> share = GeometricShare(epsilon=Fraction(1), sensitivity=1, honest=5)
    >>> share.randomise([10, 20], seeded(3)).shape
    (2,)
    >>> round(share.deviation_of(5), 2), float(share.loss) <= 1
    (1.36, True)
    """

    epsilon: Fraction
    sensitivity: int = 1
    honest: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        object.__setattr__(self, "sensitivity", whole("sensitivity", self.sensitivity))
        object.__setattr__(self, "honest", whole("honest", self.honest))
        Pure(self.epsilon)
        if self.honest < 1:
            raise ParameterError("At least one party must be honest.", "Give honest = 1 or more.")
        if self.epsilon / self.sensitivity < _SMALLEST:
            raise ParameterError(
                "This epsilon is too small for noise that is added in shares.",
                "Ask for fewer tables, or use a larger epsilon.",
            )

    @cached_property
    def root(self) -> Fraction:
        """q: a multiple of 2⁻⁶⁴ with q^h ≤ 1 − e^(−ε/Δ)."""
        most = 1 - _exp_above(self.epsilon / self.sensitivity)
        numerator = int(_GRID * float(most) ** (1 / self.honest) * (1 - 2.0**-40))
        if numerator < 1:
            raise ParameterError("This epsilon is too small for so many honest parties.")
        root = Fraction(min(numerator, _GRID - 1), _GRID)
        assert root**self.honest <= most
        return root

    @cached_property
    def ratio(self) -> Fraction:
        """r, a little above e^(−ε/Δ)."""
        return 1 - self.root**self.honest

    @property
    def loss(self) -> Fraction:
        """Δ·ln(1/r), which is at most ε: it would be ε but for the rounding of q."""
        return exact(-math.log(self.ratio) * self.sensitivity)

    @property
    def event(self) -> PureEvent:
        return PureEvent(self.epsilon, "geometric")

    def randomise(self, value: ArrayLike, randomness: Randomness) -> IntegerArray:
        """The values plus one party's share of noise in each."""
        values = whole_numbers(value)
        drawn = np.array(_draws(self.root, self.honest, randomness, 2 * values.size), dtype=np.int64)
        return values + (drawn[0::2] - drawn[1::2]).reshape(values.shape)

    def deviation_of(self, parties: int) -> float:
        """The standard deviation of the sum of so many parties' shares."""
        r = float(self.ratio)
        return math.sqrt(2 * r * parties / self.honest) / float(1 - self.ratio)

    def error_of(self, parties: int, confidence: float = 0.95) -> float:
        """The sum of so many shares stays within ± this with at least this probability (Markov of e^(tX)).

        E[e^(tX)] = ((1 − r)² / ((1 − r·e^t)(1 − r·e^(−t))))^(n/h) for t < −ln r; both sides of the tail.
        """
        outside, r, power = confident(confidence), float(self.ratio), parties / self.honest
        best = math.inf
        for step in range(1, 200):
            t = -math.log(r) * step / 200
            log_moment = power * (
                2 * math.log1p(-r) - math.log1p(-r * math.exp(t)) - math.log1p(-r * math.exp(-t))
            )
            best = min(best, (log_moment + math.log(2 / outside)) / t)
        return float(math.ceil(best))


def _exp_above(x: Fraction) -> Fraction:
    """A rational number at or above e^(−x), by less than one part in 2^45."""
    return Fraction(math.exp(-float(x))) * (1 + Fraction(1, 2**46)) if x < 700 else Fraction(1, 2**1000)


@lru_cache(maxsize=32)
def _borders(root: Fraction, honest: int, bits: int) -> tuple[list[int], int]:
    """Σ_{i≤k} P(i) in units of 2^−bits, rounded down, and by how many units they may be too small.

    Each step multiplies by a factor below 1 and rounds down three times, by less than 1 unit each, so entry k
    is too small by less than 3k + 1 units, and the sum up to it by less than 3(k + 1)².
    """
    one = 1 << bits
    ratio = int((1 - root**honest) * one)
    terms = [int(root * one)]
    while terms[-1] > 0 or len(terms) == 1:
        k = len(terms)
        terms.append((terms[-1] * ratio >> bits) * (1 + honest * (k - 1)) // (honest * k))
    return list(accumulate(terms)), 3 * (len(terms) + 1) ** 2


def _draws(root: Fraction, honest: int, randomness: Randomness, size: int) -> list[int]:
    """Pólya variables of size 1/h."""
    width = _BITS // 8
    fair = randomness.bits(size * _BITS // 64).tobytes()
    drawn = (int.from_bytes(fair[start : start + width]) for start in range(0, size * width, width))
    return [_settled(root, honest, randomness, each) for each in drawn]


def _settled(root: Fraction, honest: int, randomness: Randomness, drawn: int, bits: int = _BITS) -> int:
    """The variable that a uniform draw stands for; where it is not clear, the draw goes on."""
    while True:
        borders, error = _borders(root, honest, bits)
        k = bisect_right(borders, drawn)
        # The true borders lie in [border, border + error]: the draw must be clear of those beside it.
        if k < len(borders) and (k == 0 or borders[k - 1] + error <= drawn):
            return k
        drawn = drawn << bits | int.from_bytes(randomness.bits(bits // 64).tobytes())
        bits *= 2
