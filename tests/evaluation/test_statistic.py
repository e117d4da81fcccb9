"""The sensitivity of the evaluation's statistics, on every small table and each of its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.engines import MemoryEngine
from privet.errors import DataError
from privet.schema import Schema, Unit
from privet.sources import ArrowSource
from privet.stats import Confusion, PredictionErrors, Predictor
from privet.stats.paired import RightTogether
from privet.stats.score_table import ScoreTable

VALUES = ("a", "b", "c", "d", None)
CLASSES = ("n", "y", None)
# Certain, undecided, certain to the last bit, unusable; and for a missing value, one class impossible.
SCORES = np.array([[0.0, -2.0], [-40.0, 0.0], [0.0, -900.0], [np.nan, np.inf], [-np.inf, 0.0]])


def schema_of(unit):
    return Schema.of({"x": list("abcd"), "ill": ["n", "y"]}, target="ill", unit=unit)


@dataclass
class Released:
    """A model with these log scores."""

    scores: Any

    def _log_scores(self, rows):
        return self.scores(rows)


def statistics():
    predictor = Predictor(Released(lambda rows: SCORES[rows.codes("x")]), ("x",))
    other = Predictor(Released(lambda rows: SCORES[::-1][rows.codes("x")]), ("x",))
    return [
        Confusion(predictor, "ill"),
        PredictionErrors(predictor, "ill", 5.0),
        ScoreTable(predictor, "ill", 1, (-7.0, 0.0, 7.0)),
        RightTogether(predictor, other, "ill"),
    ]


def answers(records, schema, people=None):
    columns = {"x": pa.array([r[0] for r in records], pa.string())}
    columns["ill"] = pa.array([r[1] for r in records], pa.string())
    if people is not None:
        columns["who"] = pa.array(people, pa.string())
    source = ArrowSource(pa.table(columns))
    return [a.ravel() for a in MemoryEngine().answer(statistics(), source, schema)]


def distances(one, other):
    return [(int(np.abs(a - b).sum()), int(((a - b) ** 2).sum())) for a, b in zip(one, other, strict=True)]


def check(differences, schema):
    """No neighbour is further away than the sensitivity says, and the L1 bound is attained."""
    for place, statistic in enumerate(statistics()):
        bound = statistic.sensitivity(schema)
        assert max(d[place][0] for d in differences) == bound.l1
        assert max(d[place][1] for d in differences) <= bound.squared_l2


RECORDS = list(product(VALUES, CLASSES))
TABLES = [t for size in range(3) for t in combinations_with_replacement(RECORDS, size)]


@pytest.fixture(scope="module")
def known():
    """The exact answers on every table of at most two records."""
    return {table: answers(table, schema_of(Unit())) for table in TABLES}


def test_a_record_present_or_absent(known):
    pairs = [(known[t], known[t[:i] + t[i + 1 :]]) for t in TABLES for i in range(len(t))]
    check([distances(*pair) for pair in pairs], schema_of(Unit()))


def test_a_record_replaced(known):
    order = RECORDS.index
    pairs = [
        (known[t], known[tuple(sorted((*t[:i], *t[i + 1 :], new), key=order))])
        for t in TABLES
        for i in range(len(t))
        for new in RECORDS
    ]
    check([distances(*pair) for pair in pairs], schema_of(Unit("replace")))


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_a_person_with_many_records(neighbours):
    """A person with three records of whom two count, beside somebody else, gone or replaced by another."""
    schema = schema_of(Unit(neighbours, id="who", most=2))
    some = [("b", "n"), ("b", "y"), ("a", "n"), ("d", "y"), (None, "n"), ("a", None)]
    other = [("a", "y")]
    whole = {
        three: answers([*other, *three], schema, ["bob", "eve", "eve", "eve"])
        for three in product(some, repeat=3)
    }
    alone = answers(other, schema, ["bob"])
    if neighbours == "add_remove":
        differences = [distances(answer, alone) for answer in whole.values()]
    else:
        differences = [distances(one, two) for one in whole.values() for two in whole.values()]
    check(differences, schema)


@dataclass(frozen=True)
class Smoothed(ScoreTable):
    """Planted: a record counts in its neighbouring bins too, and the claim of 1 is kept."""

    def fold(self, state, rows):
        plain = super().fold(np.zeros_like(state), rows)
        return state + plain + np.roll(plain, 1, axis=1)


def test_a_smoothed_table_with_the_same_claim_is_found_out():
    predictor = Predictor(Released(lambda rows: SCORES[rows.codes("x")]), ("x",))
    planted, schema = Smoothed(predictor, "ill", 1, (-7.0, 0.0, 7.0)), schema_of(Unit())
    table = ArrowSource(pa.table({"x": ["a"], "ill": ["y"]}))
    [answer] = MemoryEngine().answer([planted], table, schema)
    assert np.abs(answer).sum() > planted.sensitivity(schema).l1


def test_contributions_are_whole_numbers_within_the_norms():
    """Also where the model's scores are NaN or infinite, no record adds more than it may."""
    for record in RECORDS:
        confusion, errors, scores, together = answers([record], schema_of(Unit()))
        assert confusion.sum() == scores.sum() == together.sum() == (record[1] is not None)
        assert np.abs(errors).max() <= PredictionErrors.scale // 2


def test_scores_are_computed_once_for_both_statistics():
    calls = []

    def scores(rows):
        calls.append(rows.size)
        return np.zeros((rows.size, 2))

    predictor = Predictor(Released(scores), ("x",))
    source = ArrowSource(pa.table({"x": ["a", "b"], "ill": ["n", "y"]}))
    plan = [Confusion(predictor, "ill"), PredictionErrors(predictor, "ill", 5.0)]
    MemoryEngine().answer(plan, source, schema_of(Unit()))
    assert calls == [2]


def test_a_model_for_other_classes_is_refused():
    predictor = Predictor(Released(lambda rows: np.zeros((rows.size, 3))), ("x",))
    source = ArrowSource(pa.table({"x": ["a"], "ill": ["n"]}))
    with pytest.raises(DataError, match="each class"):
        MemoryEngine().answer([Confusion(predictor, "ill")], source, schema_of(Unit()))
