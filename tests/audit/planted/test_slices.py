"""PLANTED WRONG VERSION of slices: they overlap. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privet.audit import Pair
from privet.audit.pairs import table_of
from privet.budget import budget
from privet.curator import Curator, Measure
from privet.schema import Schema
from privet.stats import Contingency
from privet.stats.slices import Sliced, Slices

SCHEMA = Schema.of({"x": (0.0, 9.0), "ill": ["no", "yes"]}, target="ill")
PAIR = Pair("one record more", table_of(SCHEMA, [{"x": 4.0, "ill": "yes"}]), table_of(SCHEMA, []))
HOW = {"schema": SCHEMA, "epsilon": 1.0, "pairs": [PAIR], "runs": 1_600}


def counts_of_slices(table):
    """Each of 32 slices is counted for the whole budget; the sum shows best what they tell together."""
    with Curator(table, SCHEMA, budget(1.0)) as curator:
        asked = [Sliced(Contingency(None, "ill"), Slices(("x",), 32, own, own + 1)) for own in range(32)]
        told = curator.ask_together([(Measure(each, "a slice"), Fraction(1)) for each in asked])
        return sum(release.value.ravel() for release in told)


def test_slices_cost_as_much_as_one(passed):
    passed(counts_of_slices, **HOW)


def test_slices_that_overlap(caught, monkeypatch):
    """WRONG: every slice holds all records: the true ε is 32."""
    monkeypatch.setattr(Slices, "places", lambda self, rows: np.arange(rows.size))
    caught(counts_of_slices, **HOW)
