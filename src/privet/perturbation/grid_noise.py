"""Discrete Laplace noise for a million values at once: exact, from fair bits, in whole numbers.

**How.** X is geometric with P(x) = (1 − q)·q^x, q = e^(−ε/G). Because q^x = Π q^(2^i·bᵢ) over the binary
digits bᵢ of x, the digits are independent, and digit i is 1 with probability pᵢ = 1/(1 + e^(2^i·ε/G)). The
difference of two such X, Y has P(d) ∝ q^|d|: discrete Laplace noise of scale G/ε. Digits are drawn for all
values together.

**Why it is exactly ε-private.** Let z and z' differ by at most G. By the noise's form z + X − Y is ε-private.
What is returned is (z + X − Y) mod 2^B, a function of that: post-processing. As only its residue is needed,
only the lowest B digits of X and Y are drawn, and nothing is cut off by it. B is so large that coming round
is less likely than e^−64.

A digit compares fair bits with the binary places of pᵢ: 8 of them first, and only if those are equal, once in
256, the next 56; then 64 more, and so on. So its probability is exactly pᵢ, an irrational number, for little
more than 8 bits a digit. The places of pᵢ are computed in decimal arithmetic with as many digits as settle
them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.budget.amounts import Pure, exact
from privet.budget.events import PureEvent
from privet.randomness import Randomness

__all__ = ["GridNoise", "places"]

WORD = 1 << 64
_CHUNK = 1 << 18


@dataclass(frozen=True)
class GridNoise:
    """Adds discrete Laplace noise of scale G/ε to whole numbers from 0 to G: ε-private (proof: the module).

    >>> from privet.randomness import seeded
    >>> noise = GridNoise(Fraction(1), 1000)
    >>> noisy = noise.randomise(np.full(20_000, 500), seeded(3))
    >>> bool(abs(np.abs(noisy - 500).mean() - 1000) < 40)
    True
    """

    epsilon: Fraction
    grid: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        Pure(self.epsilon)

    @property
    def event(self) -> PureEvent:
        return PureEvent(self.epsilon, "discrete Laplace")

    @property
    def scale(self) -> float:
        return self.grid / float(self.epsilon)

    @cached_property
    def digits(self) -> int:
        """B: noise comes round with probability below e^−64."""
        return math.ceil(self.grid * (1 + 64 / self.epsilon)).bit_length() + 1

    def error(self, confidence: float = 0.95) -> float:
        """The noise stays within ± this with at least this probability."""
        return -self.scale * math.log(1 - confidence)

    def randomise(self, value: NDArray[np.int64], randomness: Randomness) -> NDArray[np.int64]:
        """Values from 0 to the grid's size, with noise."""
        flat = np.asarray(value, np.int64).ravel()
        noisy = np.empty(flat.size, np.int64)
        for begin in range(0, flat.size, _CHUNK):  # a chunk's random words stay in the cache
            part = flat[begin : begin + _CHUNK].copy()
            for place in range(self.digits):
                rate = self.epsilon * 2**place / self.grid
                for sign in (1, -1):
                    part += coin(part.size, rate, randomness) * np.int64(sign << place)
            noisy[begin : begin + _CHUNK] = part
        half = 1 << (self.digits - 1)
        return np.asarray((noisy + half) % (2 * half) - half).reshape(np.shape(value))


def coin(size: int, rate: Fraction, randomness: Randomness) -> NDArray[np.bool_]:
    """True with probability exactly 1/(1 + e^rate)."""
    limit = places(rate, 0)
    octets = randomness.bits(-(-size // 8)).view(np.uint8)[:size]
    heads: NDArray[np.bool_] = octets < limit >> 56
    open_ = np.flatnonzero(octets == limit >> 56)
    limit, unused, depth = limit % 2**56, np.uint64(8), 1
    while open_.size:  # one in 256 needs a second draw, and hardly any a third
        words = randomness.bits(open_.size) >> unused
        heads[open_[words < np.uint64(limit)]] = True
        open_ = open_[words == np.uint64(limit)]
        limit, unused, depth = places(rate, depth), np.uint64(0), depth + 1
    return heads


@lru_cache(maxsize=4096)
def places(rate: Fraction, depth: int) -> int:
    """Binary places 64·depth to 64·depth + 63 of 1/(1 + e^rate), as a whole number.

    >>> places(Fraction(0), 0) == 2**63
    True
    """
    if rate == 0:
        return WORD // 2 if depth == 0 else 0
    precision = 40 + 20 * depth
    while True:
        precision *= 2
        context = Context(prec=precision, Emax=MAX_EMAX, Emin=MIN_EMIN)
        power = context.exp(context.divide(Decimal(rate.numerator), Decimal(rate.denominator)))
        # Rounding the exponent, and exp itself, are each off by one in the last digit; the first is
        # multiplied by the exponent's size.
        slack = Fraction(math.ceil(rate) + 2, 10 ** (precision - 2))
        middle = Fraction(power)
        low, high = (1 / (1 + middle * (1 + sign * slack)) for sign in (1, -1))
        shift = WORD ** (depth + 1)
        if math.floor(low * shift) == math.floor(high * shift):  # the places are settled
            return math.floor(low * shift) % WORD
