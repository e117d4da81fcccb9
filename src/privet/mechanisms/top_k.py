"""The k best of many candidates, chosen privately: four ways, one contract."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import Pure, Zcdp
from privet.errors import ParameterError
from privet.mechanisms.checking import confident, whole
from privet.mechanisms.checking import scores as checked
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.geometric import GeometricNoise
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.mechanisms.rounding import root_down
from privet.randomness import IntegerArray, Randomness

__all__ = ["How", "TopK"]

How = Literal["permute_and_flip", "exponential", "laplace", "gaussian"]


@dataclass(frozen=True)
class TopK:
    """k different candidates with high whole-numbered scores, best first (as far as the noise lets through).

    ``sensitivity`` is Δ, the most that any score differs between two neighbours.

    *Rounds.* ``permute_and_flip`` and ``exponential`` choose k times with fresh noise among those not yet
    chosen. Each round is ε₀-differentially private whatever was chosen before, so k rounds compose. For
    pure ε: ε₀ = ε/k. For ρ-zCDP: an ε₀-private round of permute-and-flip is ε₀²/2-zCDP (Bun, Steinke 2016),
    so ε₀ = √(2ρ/k); the exponential mechanism's privacy loss stays within a range of width ε₀, so a round
    of it is ε₀²/8-zCDP (Cesar, Rogers 2021), and ε₀ = √(8ρ/k): noise that grows with √k. ``gaussian`` is
    this last one under the name that (ε, δ) has elsewhere: Gumbel noise for the choice, and Gaussian noise
    for the values of what was chosen.

    *Once.* ``laplace`` adds two-sided geometric noise of scale 2kΔ/ε to all scores and takes the set of the k
    largest, the earlier candidate where two are equal; their order stays inside. *Proof.* Let S be a set of k
    candidates, and fix all other noise. If S wins, then on a neighbour it still wins after the noise zᵢ
    of each i in S is raised by 2Δ, for against every j outside it q′ᵢ + zᵢ + 2Δ ≥ qᵢ + zᵢ + Δ ≥ qⱼ + zⱼ + Δ ≥
    q′ⱼ + zⱼ, and where all are equal the tie is decided as before. Raising k draws by 2Δ each changes their
    probability by a factor of at most exp(2kΔ/scale) = e^ε. ∎ With ρ: ε = √(2ρ).

    >>> from privet.randomness import seeded
    >>> best = TopK(Pure(Fraction(8)), k=2, how="permute_and_flip")
    >>> best.choose([0, 50, 0, 60, 0], seeded(7)).tolist()
    [3, 1]
    """

    amount: Pure | Zcdp
    k: int
    sensitivity: int = 1
    how: How = "permute_and_flip"
    monotonic: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("number k of candidates to choose", self.k))
        object.__setattr__(self, "sensitivity", whole("sensitivity", self.sensitivity))
        if self.how == "gaussian" and isinstance(self.amount, Pure):
            raise ParameterError(
                "The Gaussian form needs a delta above 0.", "Give delta=1e-6, or another mechanism."
            )
        if self.how not in ("permute_and_flip", "exponential", "laplace", "gaussian"):
            raise ParameterError(f"There is no way to choose called {self.how!r}.")
        self.mechanism.event  # noqa: B018  # parameters that do not fit are refused now

    @cached_property
    def mechanism(self) -> PermuteAndFlip | Exponential | GeometricNoise:
        """What decides: one round, or the noise that all scores get at once."""
        if self.how == "laplace":
            epsilon = self.amount.epsilon if isinstance(self.amount, Pure) else _root(2 * self.amount.rho)
            return GeometricNoise(epsilon, 2 * self.k * self.sensitivity)
        if isinstance(self.amount, Pure):
            epsilon = self.amount.epsilon / self.k
        else:
            epsilon = _root((2 if self.how == "permute_and_flip" else 8) * self.amount.rho / self.k)
        choice = PermuteAndFlip if self.how == "permute_and_flip" else Exponential
        return choice(epsilon, Fraction(self.sensitivity), self.monotonic)

    def choose(self, scores: ArrayLike, randomness: Randomness) -> IntegerArray:
        values = checked(scores)
        if self.k > values.size:
            raise ParameterError(
                f"k = {self.k} of {values.size} candidates cannot be chosen.", "Give a smaller k."
            )
        if isinstance(self.mechanism, GeometricNoise):
            noisy = self.mechanism.randomise(values, randomness)
            return np.sort(np.argsort(-noisy, kind="stable")[: self.k])
        noise: Literal["exponential", "gumbel"] = (
            "exponential" if self.how == "permute_and_flip" else "gumbel"
        )
        return randomness.noisy_top_k(values, self.k, self.mechanism.scale, noise)

    def log_probability(self, scores: ArrayLike, chosen: Sequence[int]) -> float:
        """Of choosing these one after the other; 0 for the form that takes all at once, which has no formula.

        >>> best = TopK(Pure(Fraction(2)), k=2)
        >>> math.exp(best.log_probability([0, 0, 0], [2, 0]))
        0.166...
        """
        if isinstance(self.mechanism, GeometricNoise):
            return 0.0
        left, total = list(range(np.size(scores))), 0.0
        for place in chosen:
            chances = self.mechanism.probabilities(np.asarray(scores)[left])
            total += math.log(max(float(chances[left.index(place)]), 1e-300))
            left.remove(place)
        return total

    def error(self, candidates: int, confidence: float = 0.95) -> float:
        """Every chosen score is within this of the best left at its turn, with this probability."""
        outside = confident(confidence) / self.k
        if isinstance(self.mechanism, GeometricNoise):
            # Each of the noises stays within ± half of this: a union bound over all candidates.
            return 2 * self.mechanism.error(1 - confident(confidence) / candidates)
        return self.mechanism.scale * math.log(candidates / outside)


def _root(value: Fraction) -> Fraction:
    return Fraction(root_down(value))
