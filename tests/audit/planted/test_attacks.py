"""PLANTED WRONG VERSIONS after the attacks of ``docs/concepts/what-an-attacker-tried.md``. For tests only."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow.compute as pc

from privet.audit import Transcript
from privet.audit.outputs import RATIO
from privet.audit.pairs import candidate_pairs
from privet.audit.processes import PROCESSES
from privet.curator.ask.measure import Measure
from privet.errors import DataError
from privet.learning.classify import NaiveBayes
from privet.mechanisms import GeometricNoise
from privet.randomness import secure
from privet.schema import Schema

SCHEMA = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
FEW = {"schema": SCHEMA, "epsilon": 1.0, "runs": 400, "search_runs": 8}


def noisy(table, epsilon=1):
    ill = pc.sum(pc.equal(table["ill"], "yes")).as_py() or 0
    return GeometricNoise(Fraction(epsilon)).randomise([ill], secure())


def refuses_somebody(table):
    """WRONG: a free refusal tells that a record is there."""
    if "yes" in table["ill"].to_pylist():
        raise DataError("A value is outside the schema.")
    return noisy(table)


def shows_its_scale(table):
    """WRONG: noise whose scale follows the exact number of records, and is released beside it."""
    return {"count": noisy(table), "error": 2.0 / max(1, len(table))}


def answers_once_more(table):
    """WRONG: a copy of a stream draws fresh noise for the same records, as often as it is asked."""
    return np.concatenate([noisy(table) for _ in range(40)])


def test_attacks_on_what_is_around_a_mechanism(caught, passed):
    caught(refuses_somebody, **FEW)
    caught(shows_its_scale, **FEW)
    caught(answers_once_more, **FEW)
    passed(noisy, **FEW)


def test_too_little_noise_in_the_score_of_a_cross_validation(caught, passed, monkeypatch):
    """WRONG: an eighth of the noise. Seen by the ratio of all answers, which whole figures hide."""
    process = PROCESSES["cross-validate"]
    pair = candidate_pairs(process.schema, np.random.default_rng(0))[0]
    how = {"schema": process.schema, "epsilon": 1.0, "pairs": [pair]}
    passed(process.of(1.0), runs=40, **how)
    right = Measure.mechanism
    monkeypatch.setattr(
        Measure,
        "mechanism",
        lambda self, amount, schema: right(self, type(amount)(8 * amount.epsilon), schema),
    )
    caught(process.of(1.0), runs=480, **how)


def test_the_computed_ratio_shows_most_of_epsilon(passed):
    """With a few hundred runs; it is told as such."""
    model = NaiveBayes(epsilon=4.0, schema=SCHEMA)
    pair = candidate_pairs(SCHEMA, np.random.default_rng(0))[0]
    found = passed(Transcript(model), epsilon=4.0, schema=SCHEMA, runs=2_000, pairs=[pair])
    assert found.bound > 1.5
    sample = Transcript(model)
    assert RATIO not in str(sample(found.pair.first))
