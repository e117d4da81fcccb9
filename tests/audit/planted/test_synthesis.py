"""PLANTED WRONG VERSIONS of synthesis. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow.compute as pc

from privet.curator import Measure
from privet.learning.synthesise import Synthesiser
from privet.mechanisms import Exponential
from privet.randomness import secure
from privet.schema import Schema
from privet.stats import Coded, CrossTable

SCHEMA = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]})
FEW = {"runs": 300, "search_runs": 8}


class CountsTheRecords(Synthesiser):
    """WRONG: as many records as there are, exactly, so that the made-up table has the same length."""

    def fit(self, X, y=None, **more):
        super().fit(X, y, **more)
        self.records_ = float(len(X))
        return self


class DrawsTheRecords(Synthesiser):
    """WRONG: the noisy shares are replaced by those of the table where the noise has made them negative."""

    def fit(self, X, y=None, **more):
        super().fit(X, y, **more)
        exact = np.array([pc.sum(pc.equal(X["smoker"], v)).as_py() or 0 for v in ("no", "yes")], float)
        self.margins_["smoker"] = np.maximum(self.margins_["smoker"][:2], exact)
        return self


def test_exact_values_beside_a_private_fit(caught, passed):
    for wrong in (CountsTheRecords, DrawsTheRecords):
        caught(wrong(epsilon=1.0, schema=SCHEMA), **FEW)
    passed(Synthesiser(epsilon=1.0, schema=SCHEMA), **FEW)
    passed(Synthesiser(epsilon=1.0, delta=1e-6, schema=SCHEMA), **FEW)


def chosen(table, spread):
    """Which of two tables is further from what is expected: a record brings one nearer, the other further."""
    smokers = pc.sum(pc.equal(table["smoker"], "yes")).as_py() or 0
    scores = np.array([smokers, -smokers])
    return {"which": Exponential(Fraction(4), Fraction(spread), monotonic=True).choose(scores, secure())}


def test_distances_that_move_both_ways(caught, passed):
    """Scores that move 2 apart, at a scale of 1: ε = 2. WRONG is a scale of ¼, whose ε is 8."""
    schema = Schema.of({"smoker": ["no", "yes"]})
    caught(lambda table: chosen(table, 1), schema=schema, epsilon=2.0, runs=12_000, search_runs=100)
    passed(lambda table: chosen(table, 4), schema=schema, epsilon=2.0, runs=4_000, search_runs=50)


def test_the_questions_are_sold_at_their_price():
    """The shares of all questions add up to 1: nothing is asked twice for one price."""
    from privet.budget import budget
    from privet.curator import Curator

    curator = Curator.rehearsal(SCHEMA, budget(1.0))
    with curator:
        curator.ask(Measure(CrossTable((Coded("ill"),)), "ill"), Fraction(1))
        assert curator.left == 0
    for structure in ("mst", "margins"):
        guarantee = Synthesiser(epsilon=1.0, schema=SCHEMA, structure=structure).rehearse()
        assert sum(step.amount.epsilon for step in guarantee.steps) == 1
