from __future__ import annotations

import math
import sys
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from privet.mechanisms.rounding import down, root_down, root_up, up

positive = st.fractions(min_value=Fraction(1, 10**200), max_value=10**200).filter(lambda value: value > 0)


@given(positive)
def test_rounds_in_its_direction_and_no_further_than_needed(value):
    assert Fraction(down(value)) <= value <= Fraction(up(value))
    assert math.nextafter(down(value), math.inf) >= up(value)


@given(positive)
def test_roots_round_in_their_direction(value):
    assert Fraction(root_down(value)) ** 2 <= value <= Fraction(root_up(value)) ** 2
    assert root_up(value) <= root_down(value) * (1 + 1e-14)


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_floats_stay_what_they_are(value):
    assert up(Fraction(value)) == down(Fraction(value)) == value


def test_beyond_the_floats():
    assert up(Fraction(10**400)) == root_up(Fraction(10**800)) == math.inf
    assert down(Fraction(10**400)) == sys.float_info.max
    assert up(Fraction(1, 10**400)) > 0
    assert down(Fraction(1, 10**400)) == 0
