"""The same whole numbers with less and less noise: all of them together cost what the last one costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import exact
from privet.errors import ParameterError
from privet.mechanisms.geometric import GeometricNoise
from privet.randomness import IntegerArray, Randomness

__all__ = ["GradualNoise", "kept"]


@dataclass(frozen=True)
class GradualNoise:
    """Answers y₁, y₂, … with geometric noise for ε₁ < ε₂ < …; whoever stops at the k-th has spent ε_k.

    The last answer is drawn first, with the noise of ``GeometricNoise``; each one before it is the next one
    with more noise: the same value with probability ``kept``, and otherwise with geometric noise of its own
    scale on top. They are *handed out* the other way round, from the noisiest on.

    **Each yᵢ has exactly the noise of εᵢ.** With a = exp(−ε/Δ) geometric noise has the generating function
    (1 − a)² / (1 + a² − a·u), u = z + 1/z. For b < a, the finer one,

        (1 + b² − b·u) = (b/a)·(1 + a² − a·u) + b·((b + 1/b) − (a + 1/a)),

    so the quotient of the two functions is p + (1 − p)·(1 − a)²/(1 + a² − a·u) with
    p = (b/a)·(1 − a)²/(1 − b)² = sinh²(ε_a/2Δ) / sinh²(ε_b/2Δ): as b + 1/b > a + 1/a both parts are
    positive, and it is that of a number which is 0 with probability p and geometric noise for a otherwise.

    **Privacy.** Let the one who stops look at all that was handed out. For y₁ … y_k, on tables with exact
    answers c and c′, the law is P(y_k | c)·Π_{i<k} K(yᵢ | yᵢ₊₁), where K adds noise that knows no table. So

        P(y₁ … y_k | c) / P(y₁ … y_k | c′) = P(y_k | c) / P(y_k | c′) ≤ e^ε_k,

    and whether to stop at k is a function of y₁ … y_k: given that it does, the loss is at most ε_k (ex-post
    privacy: Ligett, Neel, Roth, Waggoner, Wu 2017; the coupling is Koufogiannis, Han, Pappas 2015 for whole
    numbers). Whatever happens, it is at most the largest ε.

    **Rounding.** P(y_k | c)/P(y_k | c′) ≤ e^ε_k holds for geometric noise for ε_k, and for it with any
    independent noise S on top. With p′ = α·p in place of p, α ≤ 1, and fine noise F·S, the noisier one is
    S·(p′F + (1 − p′)·F·G) = S·(α·G + (1 − α)·F·G) = G·S·(α + (1 − α)·F), G being the noise for a (products of
    laws are their convolutions, 1 is no noise): again geometric noise with some on top. So p is rounded
    *down*, and no answer is worth more than is said.

    >>> from privet.randomness import seeded
    >>> noise = GradualNoise((Fraction(1, 100), Fraction(1)))
    >>> [answer.shape for answer in noise.answers([120, 30], seeded(7))]
    [(2,), (2,)]
    """

    epsilons: tuple[Fraction, ...]
    sensitivity: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilons", tuple(exact(each) for each in self.epsilons))
        if not self.epsilons or any(a >= b for a, b in zip(self.epsilons, self.epsilons[1:], strict=False)):
            raise ParameterError("The amounts of a gradual release must rise.")

    @cached_property
    def levels(self) -> tuple[GeometricNoise, ...]:
        """The noise of each answer, the noisiest first."""
        return tuple(GeometricNoise(each, self.sensitivity) for each in self.epsilons)

    def answers(self, value: ArrayLike, randomness: Randomness) -> list[IntegerArray]:
        """All answers, the noisiest first. Hand out the next one only if those before were not enough."""
        *coarser, finest = self.levels
        answers = [finest.randomise(value, randomness)]
        for coarse, fine in zip(reversed(coarser), reversed(self.levels), strict=False):
            answers.append(_noisier(answers[-1], coarse, kept(coarse, fine), randomness))
        return answers[::-1]


def kept(coarse: GeometricNoise, fine: GeometricNoise) -> Fraction:
    """The probability that the noisier answer is the same as the finer one, rounded down (see above)."""
    one, two = 0.5 / coarse.scale, 0.5 / fine.scale
    if two > 300:  # the hyperbolic sine overflows; the quotient is e^(2(one − two)), and 0 is never too much
        near = two < 2.0**30 and two - one < 20
        return Fraction(math.exp(2 * (one - two) - 2**-20)) if near else Fraction(0)
    return min(Fraction((math.sinh(one) / math.sinh(two)) ** 2), Fraction(1)) * (1 - Fraction(1, 2**40))


def _noisier(
    answer: IntegerArray, noise: GeometricNoise, same: Fraction, randomness: Randomness
) -> IntegerArray:
    stays = randomness.bernoulli(answer.size, same).reshape(answer.shape)
    return np.where(stays, answer, noise.randomise(answer, randomness))
