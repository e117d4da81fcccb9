"""Noise in shares: the sum has exactly the distribution that is claimed, and a wrong share is noticed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privet.errors import ParameterError
from privet.mechanisms.noise_shares import GeometricShare, _borders, _settled
from privet.randomness import seeded

DRAWS = 12_000


def polya(share: GeometricShare, size: Fraction, most: int) -> np.ndarray:
    """P(0), P(1), … of a negative binomial variable of this size, by its formula."""
    r = float(share.ratio)
    k = np.arange(most)
    return np.exp(
        np.array([math.lgamma(i + size) - math.lgamma(size) - math.lgamma(i + 1) for i in k])
        + float(size) * math.log1p(-r)
        + k * math.log(r)
    )


def sum_of(share: GeometricShare, shares: int, most: int = 400) -> np.ndarray:
    """The distribution of the sum of so many shares, on −most+1 … most−1."""
    one = polya(share, Fraction(shares, share.honest), most)
    return np.convolve(one, one[::-1])


def p_value(drawn: np.ndarray, share: GeometricShare, shares: int) -> float:
    """Chi-square of draws against the claimed distribution, tails put together."""
    expected = sum_of(share, shares)
    middle = len(expected) // 2
    edge = int(np.quantile(np.abs(drawn), 0.98)) + 1
    observed = np.bincount(np.clip(drawn, -edge, edge) + edge, minlength=2 * edge + 1)
    wanted = expected[middle - edge : middle + edge + 1].copy()
    wanted[0] += expected[: middle - edge].sum()
    wanted[-1] += expected[middle + edge + 1 :].sum()
    return float(stats.chisquare(observed, wanted / wanted.sum() * drawn.size).pvalue)


def draws(share: GeometricShare, parties: int, seed: int) -> np.ndarray:
    randomness = seeded(seed)
    return sum(share.randomise(np.zeros(DRAWS, np.int64), randomness) for _ in range(parties))


@pytest.mark.parametrize(("epsilon", "honest", "parties"), [("1", 1, 1), ("1/2", 3, 3), ("0.3", 4, 5)])
def test_the_sum_has_exactly_the_claimed_distribution(epsilon, honest, parties):
    share = GeometricShare(Fraction(epsilon), 1, honest)
    drawn = draws(share, parties, 5)
    assert p_value(drawn, share, parties) > 1e-6
    # The test sees a party that forgets its share, one that adds two, and shares of the wrong size.
    assert p_value(drawn, share, parties + 1) < 1e-6
    assert p_value(drawn, GeometricShare(Fraction(epsilon) * Fraction(5, 4), 1, honest), parties) < 1e-6
    if parties > 1:
        assert p_value(draws(share, parties - 1, 6), share, parties) < 1e-6


@pytest.mark.parametrize("honest", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "5"])
@pytest.mark.parametrize("sensitivity", [1, 2, 6])
def test_the_loss_is_at_most_epsilon_and_hardly_less(honest, epsilon, sensitivity):
    share = GeometricShare(Fraction(epsilon), sensitivity, honest)
    assert share.ratio >= Fraction(math.exp(-float(Fraction(epsilon)) / sensitivity)) * (
        1 - Fraction(1, 2**50)
    )
    assert 0.999 * float(Fraction(epsilon)) < float(share.loss) <= float(Fraction(epsilon)) * (1 + 1e-9)
    assert (1 - share.ratio) == share.root**honest  # exact: all probabilities are rational


def test_honest_shares_together_are_discrete_laplace_noise():
    share = GeometricShare(Fraction(1, 2), 1, 4)
    found = sum_of(share, 4)
    r, x = float(share.ratio), np.abs(np.arange(len(found)) - len(found) // 2)
    np.testing.assert_allclose(found, (1 - r) / (1 + r) * r**x, rtol=1e-9, atol=1e-15)


def loss_of(distribution: np.ndarray) -> float:
    """The largest log-ratio between the noise and the noise moved by 1, in the middle."""
    middle = distribution[len(distribution) // 2 - 15 : len(distribution) // 2 + 16]
    return float(np.max(np.abs(np.log(middle[:-1] / middle[1:]))))


def test_more_shares_lose_no_more_and_a_forgotten_share_is_found():
    """The audit by the exact distribution: with fewer than the declared honest shares, ε does not hold."""
    share = GeometricShare(Fraction(1), 1, 3)
    assert loss_of(sum_of(share, 3)) <= 1 + 1e-9
    assert loss_of(sum_of(share, 5)) <= 1 + 1e-9
    assert loss_of(sum_of(share, 2)) > 1.2  # the planted fault: one of three forgets its share


def test_the_audit_finds_a_forgotten_share_in_draws():
    """By what an attacker sees: the sum with one person more or less, an event, and its two frequencies."""
    share = GeometricShare(Fraction(1, 2), 1, 2)

    def least_epsilon(parties: int) -> float:
        drawn = draws(share, parties, 11)
        without, with_one = int((drawn == 0).sum()), int((drawn == -1).sum())  # "the sum says 0"
        low = stats.beta.ppf(5e-7, without, DRAWS - without + 1)
        high = stats.beta.ppf(1 - 5e-7, with_one + 1, DRAWS - with_one)
        return math.log(low / high)

    assert least_epsilon(2) < 0.5
    assert least_epsilon(1) > 0.5


def test_the_borders_are_those_of_exact_arithmetic():
    share = GeometricShare(Fraction(2), 1, 3)
    borders, error = _borders(share.root, 3, 256)
    term, total = share.root, Fraction(0)
    for k in range(40):
        total += term
        assert 0 <= total - Fraction(borders[k], 2**256) < Fraction(error, 2**256)
        term *= share.ratio * Fraction(1 + 3 * k, 3 * (k + 1))


def test_a_draw_beside_a_border_goes_on_with_more_bits():
    """The first words fall exactly on a border: the draw must ask for more, and then it is settled."""
    share = GeometricShare(Fraction(2), 1, 3)
    borders, _ = _borders(share.root, 3, 256)

    more = []

    class Zeros:
        def bits(self, size: int) -> np.ndarray:
            more.append(size)
            return np.zeros(size, np.uint64)

    assert _settled(share.root, 3, Zeros(), borders[2] - 1) == 2  # type: ignore[arg-type]
    assert not more
    # Below the true border, which lies a little above the rounded one.
    assert _settled(share.root, 3, Zeros(), borders[2]) == 2  # type: ignore[arg-type]
    assert more == [4]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ParameterError, match="too small"):
        GeometricShare(Fraction(1, 10**6))
    with pytest.raises(ParameterError, match="honest"):
        GeometricShare(Fraction(1), 1, 0)


def test_errors_cover_the_sum():
    share = GeometricShare(Fraction(1, 2), 1, 3)
    for parties in (3, 6):
        drawn = draws(share, parties, 3)
        assert (np.abs(drawn) <= share.error_of(parties)).mean() > 0.95
        assert abs(drawn.std() / share.deviation_of(parties) - 1) < 0.05
