"""The best of a random number of private trials: what trying several and keeping one costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privet.budget.amounts import Approximate, Pure, exact
from privet.budget.conversions import rho_for
from privet.errors import ParameterError
from privet.randomness import Randomness

__all__ = ["RandomTrials"]

# The stopping parameter is a multiple of this, so that its coin is exact.
FINEST = Fraction(1, 1 << 16)


@dataclass(frozen=True)
class RandomTrials:
    """K independent trials of one private process, K random and secret; only the best outcome is released.

    A trial releases an outcome *and* its score, both paid for within the trial. K has the logarithmic
    distribution P(K = k) = c^k / (k·log(1/γ)), c = 1 − γ, which depends on nothing private. Fixing K and
    claiming one trial's price for the best of them is the classical mistake: it costs K times as much.

    *Proof.* Let q be the distribution of one trial on D, q′ on a neighbour, and order the outcomes by score,
    ties by a fair coin (the first of equals is as good: trials are exchangeable). f(x) = E x^K, so f′(x) is
    proportional to 1/(1 − cx). The best is y with probability f(q(≤ y)) − f(q(< y)) = q(y)·E f′(x), where x =
    q(< y) + U·q(y) and U is uniform. 1 − cx is the chance r of an event (the trial is above y, or a coin says
    so), so it is at least γ, and f′(x)/f′(x′) = r′/r.

    *Pure ε.* q(y) ≤ e^ε·q′(y) and r′ ≤ e^ε·r, so the best costs at most 2ε, however many trials there are.

    *zCDP, ρ each.* For orders a and b above 1: r′ ≤ (r·e^(ρb))^(1 − 1/b), so r′/r ≤ R = e^(ρ(b −
    1))·γ^(−1/b). With g(y) = E f′(x) ≤ f′(1) = E[K], the sum over y of (q·g)^a·(q′·g′)^(1 − a) is at most
    R^(a − 1)·E[K]·Σ q^a·q′^(1 − a): the Rényi divergence of order a is at most ρa + log R + log E[K]/(a −
    1). ``cost`` turns the best such bound into an ε for the δ (Canonne, Kamath, Steinke 2020, Proposition
    12).

    K itself must stay secret: given K = k, the best of k costs k times as much. How long a search takes tells
    something about K; as everywhere in Privet, time is not protected.

    *References.* Liu, Talwar (2019), Private selection from private candidates; Papernot, Steinke (2022),
    Hyperparameter tuning with Rényi differential privacy, Theorem 2 (η = 0).

    >>> trials = RandomTrials(Fraction(1, 64))
    >>> print(round(trials.mean, 1), trials.cost(Pure(Fraction(1, 2))))
    15.1 ε = 1
    """

    stop: Fraction

    def __post_init__(self) -> None:
        if not (0 < self.stop < 1 and (self.stop / FINEST).denominator == 1):
            raise ParameterError("The stopping chance must be a multiple of 2^-16 between 0 and 1.")

    @classmethod
    def about(cls, mean: float) -> RandomTrials:
        """So many trials on average, or a few more."""
        if not 1 <= mean <= 5000:
            raise ParameterError("The mean number of trials must lie between 1 and 5000.")
        low, high = 1, FINEST.denominator - 1  # the mean falls as the chance to stop grows
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if cls(middle * FINEST).mean >= mean else (low, middle - 1)
        return cls(low * FINEST)

    @cached_property
    def mean(self) -> float:
        stop = float(self.stop)
        return (1 - stop) / (stop * self._log)

    @property
    def _log(self) -> float:
        return -math.log(float(self.stop))

    def draw(self, randomness: Randomness) -> int:
        """K, exactly: a geometric number g, kept with chance 1/g and drawn again otherwise."""
        while True:
            number = 1
            while not (stops := randomness.bernoulli(256, self.stop)).any():
                number += stops.size
            number += int(np.argmax(stops))
            if randomness.uniform_indices(1, number)[0] == 0:
                return number

    def cost(self, trial: Pure | Approximate) -> Pure | Approximate:
        """What the best of the trials costs, if each of them costs this; its ρ-zCDP where there is a δ."""
        if isinstance(trial, Pure):
            return Pure(2 * trial.epsilon)
        rho = float(rho_for(trial.epsilon, trial.delta)) * (1 + 1e-12)
        other = max(math.sqrt(self._log / rho), 1 + 1e-6)
        ratio = rho * (other - 1) + self._log / other
        log_delta, log_mean = -math.log(trial.delta), math.log(self.mean)
        bounds = []
        for t in np.geomspace(1e-3, 1e7, 4001):  # orders a = 1 + t: each of them gives a valid bound
            divergence = rho * (1 + t) + ratio + log_mean / t
            bounds.append(divergence - math.log1p(1 / t) + (log_delta - math.log1p(t)) / t)
        return Approximate(Fraction(max(min(bounds), 1e-9) * (1 + 1e-9)), trial.delta)

    def affordable(self, total: Pure | Approximate) -> Pure | Approximate:
        """The largest price of a trial, in six digits where there is a δ, at which the best costs the total.

        >>> from privet.budget import budget
        >>> print(RandomTrials(Fraction(1, 64)).affordable(budget(1.0)))
        ε = 0.5
        >>> print(RandomTrials(Fraction(1, 64)).affordable(budget(1.0, 1e-6)))
        ε = 0.563384, δ = 1e-06
        """
        if isinstance(total, Pure):
            half = float(total.epsilon / 2)
            return Pure(exact(half if 2 * exact(half) <= total.epsilon else math.nextafter(half, 0)))
        low, high = 0.0, float(total.epsilon)
        for _ in range(40):
            middle = (low + high) / 2
            fits = self.cost(Approximate(exact(middle), total.delta)).epsilon <= total.epsilon
            low, high = (middle, high) if fits else (low, middle)
        digits = 5 - math.floor(math.log10(low)) if low > 0 else 0
        rounded = exact(math.floor(low * 10**digits) / 10**digits)
        while rounded > 0 and self.cost(Approximate(rounded, total.delta)).epsilon > total.epsilon:
            rounded -= Fraction(1, 10**digits)
        return Approximate(rounded, total.delta)
