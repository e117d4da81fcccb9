"""What an attacker could learn: the bound holds, and the game that everybody can play meets it."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from privet.budget import Zcdp, budget
from privet.service.membership_game import play
from privet.service.odds import COIN, odds_of


@given(st.floats(1e-6, 30), st.floats(0, 0.5), st.floats(0, 1))
def test_no_test_on_any_pair_of_distributions_is_right_more_often(epsilon: float, delta: float, share: float):
    """The worst pairs for (ε, δ): randomised response that, with probability δ, tells everything."""
    truth = delta + (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon))
    right = share * truth + (1 - share) * 0.5  # and anything weaker
    assert 100 * right <= odds_of(budget(epsilon, delta)) + 1e-9


def test_it_is_the_posterior_of_an_even_prior_and_never_understated():
    for epsilon in (0.01, 0.1, 1.0, 3.0):
        exact = 100 * math.exp(epsilon) / (1 + math.exp(epsilon))
        assert exact <= odds_of(budget(epsilon)) < exact + 0.1001
    assert odds_of(None) == COIN
    assert COIN < odds_of(Zcdp(Fraction(1, 100))) < odds_of(Zcdp(Fraction(1))) <= 100


def test_the_game_meets_the_bound_and_a_game_without_noise_is_always_won():
    rounds = 20_000
    for epsilon in (0.1, 1.0):
        rate = play(epsilon, rounds).hits / rounds
        bound = math.exp(epsilon) / (1 + math.exp(epsilon))
        assert abs(rate - bound) < 0.02  # more than five standard deviations
    assert play(None, 1000).hits == 1000
    assert "right" in play(1.0).words()
