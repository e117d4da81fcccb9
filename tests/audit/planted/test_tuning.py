"""PLANTED WRONG VERSIONS of tuning. Nothing in this file may be used outside of tests."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from privet.audit.pairs import candidate_pairs
from privet.evaluation.tuning import PrivateSearch
from privet.learning.classify import OneR
from privet.mechanisms.random_trials import RandomTrials
from privet.randomness import secure
from privet.schema import Schema

SCHEMA = Schema.of({"fever": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
TRIALS = RandomTrials.about(8)


GENERATOR = np.random.default_rng()


def best_of(table, trials: int, epsilon: float) -> dict[str, int]:
    """The largest of several noisy counts of right guesses: what comparing noisy scores releases."""
    right = pc.sum(pc.equal(table["fever"], table["ill"])).as_py() or 0
    one, other = GENERATOR.geometric(-np.expm1(-epsilon), (2, trials))  # fast, and good enough here
    return {"right": right + int((one - other).max())}


def eight_at_the_price_of_one(table):
    """WRONG: eight trials at ε each, and ε is claimed for the best.

    The true ε is 8ε: that none of eight noisy counts exceeds c has the eighth power of one's probability.
    With ε = 1 and c = 0, it is 0.08 for a count of 0 and 0.00003 for a count of 1.
    """
    return best_of(table, 8, 1.0)


def random_trials(table):
    """RIGHT: a random and secret number of trials at ε/2."""
    return best_of(table, TRIALS.draw(secure()), 0.5)


def test_the_best_of_eight_at_the_price_of_one(caught, passed):
    many = {"schema": SCHEMA, "epsilon": 1.0, "runs": 24_000, "search_runs": 100}
    caught(eight_at_the_price_of_one, **many)
    passed(random_trials, **many | {"runs": 2_000})


def told(search: PrivateSearch):
    """A search as a function of a table, with all that it tells."""

    def released(table):
        found = search.fit(table)
        return {"right": found.best_evaluation_.accuracy.value, "chosen": found.best_parameters_}

    return released


def test_a_search_and_all_that_it_tells(passed):
    search = PrivateSearch(OneR(schema=SCHEMA), {"selection": ["tables", "choice"]}, parts=2, trials=3)
    pairs = candidate_pairs(SCHEMA, np.random.default_rng(0))[:2]
    passed(told(search), schema=SCHEMA, epsilon=1.0, runs=150, search_runs=8, pairs=pairs)
