"""Amounts of privacy loss, and what is said of those that are too small."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privet.budget import Approximate, Pure, exact
from privet.errors import ParameterError
from privet.learning.classify import LogisticRegression
from privet.schema import Schema


@pytest.mark.parametrize("whole", [Pure(exact(1e-9)), Approximate(exact(1e-9), exact(1e-6))])
def test_a_share_that_is_too_small_is_told_with_its_whole(whole):
    with pytest.raises(ParameterError) as refused:
        whole.share(Fraction(1, 10))
    assert "A share of the budget, ε = 1e-10 of 1e-09" in refused.value.message
    assert "larger epsilon" in refused.value.advice


def test_the_smallest_epsilon_is_not_advised_to_whoever_has_given_it():
    schema = Schema.of({"age": (0, 100), "ill": [0, 1]}, target="ill")
    with pytest.raises(ParameterError) as refused:
        LogisticRegression(epsilon=1e-9, schema=schema).rehearse()
    assert "of 1e-09, is too small" in refused.value.message
    assert "every share must be at least 1e-09" in refused.value.advice
    with pytest.raises(ParameterError, match="divides its budget among several steps needs more"):
        LogisticRegression(epsilon=1e-10, schema=schema).rehearse()
