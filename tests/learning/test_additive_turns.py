"""Rounds over parts of the records: a record's turns never cost more than the rounds may spend."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from privet.learning.additive.turns import Turns
from privet.schema import Schema

NAMES = ("x", "y")
SCHEMA = Schema.of({"x": (0.0, 1.0), "y": (0.0, 1.0), "c": ["a", "b"]}, target="c")
WHOLE = Fraction(4, 5)


@settings(max_examples=50)
@given(
    rounds=st.integers(1, 200),
    records=st.floats(0, 3e7),
    epsilon=st.floats(0.01, 10),
)
def test_no_record_is_asked_for_more_than_the_rounds_may_spend(rounds, records, epsilon):
    """Counted slice by slice, as the curator does (``tests/curator/test_by_slice.py``)."""
    turns = Turns.of(SCHEMA, NAMES, rounds, WHOLE, records, epsilon)
    many = turns.parts * turns.looks
    spent = [Fraction(0)] * many
    for number in range(rounds):
        for slices, share in ((turns.part(number), turns.measured), (turns.look(number), turns.chosen)):
            first, last = (0, many) if slices is None else (slices.first, slices.last)
            for place in range(first, last):
                spent[place] += share
    assert max(spent) <= WHOLE
