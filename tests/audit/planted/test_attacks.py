"""PLANTED WRONG VERSIONS after the attacks of ``docs/concepts/what-an-attacker-tried.md``. For tests only."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privet.audit import Pair, Transcript
from privet.audit.outputs import RATIO
from privet.audit.pairs import candidate_pairs
from privet.audit.processes import PROCESSES
from privet.curator.ask.measure import Measure
from privet.errors import DataError
from privet.learning.classify import NaiveBayes
from privet.mechanisms import GeometricNoise, Laplace
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


def scores_exactly(table):
    """WRONG: how often a private model is right, exactly, as often as it is asked."""
    return {"count": noisy(table), "right": pc.sum(pc.equal(table["smoker"], table["ill"])).as_py() or 0}


def lists_what_occurs(table):
    """WRONG: the candidates of a private choice are those that occur in the table."""
    return {value: noisy(table)[0] for value in sorted(set(table["smoker"].to_pylist()) - {None})}


def scales_by_the_largest(table):
    """WRONG: values are divided by the largest in the table, and noise is for those in [0, 1]."""
    ages = np.array([{"no": 10.0, "yes": 1000.0}[value] for value in table["ill"].to_pylist()])
    return Laplace(Fraction(1)).randomise([float((ages / ages.max(initial=1.0)).sum())], secure())


def test_attacks_on_what_is_around_a_mechanism(caught, passed):
    for attack in (refuses_somebody, shows_its_scale, answers_once_more):
        caught(attack, **FEW)
    passed(noisy, **FEW)
    empty = candidate_pairs(SCHEMA, np.random.default_rng(0))[1:2]
    for attack in (scores_exactly, lists_what_occurs):
        caught(attack, pairs=empty, **FEW)


def pair(words, *sides):
    """Two tables, from what each record says and whose it is."""
    tables = [pa.table({"ill": [ill for ill, _ in rows], "id": [who for _, who in rows]}) for rows in sides]
    return [Pair(words, *tables)]


def shifts_every_step(table):
    """WRONG under add and remove: a step ends after every second record, and each step has noise for one."""
    ill = np.array([value == "yes" for value in table["ill"].to_pylist()] + [False] * (60 - len(table)))
    return GeometricNoise(Fraction(1)).randomise(ill.reshape(-1, 2).sum(axis=1), secure())


def counts_nobody_often(table):
    """WRONG: of each person one record counts, and nobody (a missing id) is another person every time."""
    seen, count = set(), 0
    for who, value in zip(table["id"].to_pylist(), table["ill"].to_pylist(), strict=True):
        count += value == "yes" and who not in seen
        seen |= set() if who is None else {who}
    return GeometricNoise(Fraction(1)).randomise([count], secure())


def test_one_record_that_moves_all_others_and_records_that_name_nobody(caught, passed):
    how = {"schema": SCHEMA, "epsilon": 1.0, "runs": 400}
    stream = [(value, f"person {j}") for j, value in enumerate(["yes", "yes", "no", "no"] * 14)]
    caught(shifts_every_step, pairs=pair("the first record of a stream", stream, stream[1:]), **how)
    small = [("no", None)] * 40
    caught(scales_by_the_largest, pairs=pair("one large value", [*small, ("yes", None)], small), **how)
    one = [("yes", "a"), ("yes", "b")]
    nobody = pair("forty records of nobody", [*one, *[("yes", None)] * 40], one)
    caught(counts_nobody_often, pairs=nobody, **how)
    passed(counts_nobody_often, pairs=pair("a person with two", [*one, *[("yes", "c")] * 2], one), **how)


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
    found = passed(Transcript(model), epsilon=4.0, schema=SCHEMA, runs=2_000, pairs=[pair], whole=True)
    assert found.bound > 1.5
    sample = Transcript(model)
    assert RATIO not in str(sample(found.pair.first))
