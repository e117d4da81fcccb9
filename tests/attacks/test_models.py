"""Released models on test records: each is predicted by itself, and by the model of its own fold.

A statistic of predictions is a sum over records only if the prediction for one does not depend on who is read
beside it. That holds for Privet's own models, and is said to be its author's word for any other.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet import NaiveBayes, PrivateSearch, cross_validate, evaluate
from privet.curator.folds import Folds
from privet.engines.memory import MemoryEngine
from privet.randomness import seeded
from privet.registry import ALGORITHMS
from privet.schema import Schema, Unit
from privet.sources import ArrowSource
from privet.stats import Confusion, FoldPredictor, Rows
from privet.stats.regression_errors import RegressionErrors

SCHEMA = Schema.of({"x": (0.0, 1.0), "y": ["no", "yes"]}, target="y")
GENERATOR = np.random.default_rng(0)
TABLE = pa.table({"x": GENERATOR.random(200), "y": GENERATOR.choice(["no", "yes"], 200)})


class Peeping(NaiveBayes):
    """It says "yes" of everybody if one record is there."""

    def _log_scores(self, rows):
        there = (rows.numbers("x") == 0.4711).any()
        return np.tile([0.0, 1.0] if there else [1.0, 0.0], (rows.size, 1))


def words(guarantee):
    return [caveat for caveat in guarantee.caveats if "Peeping saw the records" in caveat]


def test_a_model_of_ones_own_that_looks_at_all_records_has_a_caveat():
    """Before: all of 5,000 changed cells with one record, at ε = 0.1, and the guarantee said nothing."""
    model = Peeping(schema=SCHEMA).fit(TABLE)
    assert words(evaluate(model, TABLE, epsilon=1.0).guarantee)
    assert words(cross_validate(model, TABLE, folds=2, epsilon=1.0).guarantee)
    search = PrivateSearch(Peeping(schema=SCHEMA), {"bins": [2, 4]}, epsilon=1.0, trials=1)
    assert words(search.fit(TABLE).guarantee_)
    own = NaiveBayes(schema=SCHEMA).fit(TABLE)
    assert not words(evaluate(own, TABLE, epsilon=1.0).guarantee)
    own.within_ = model  # a model that holds another, as a model that chooses one does
    assert words(evaluate(own, TABLE, epsilon=1.0).guarantee)


class Listening(dict):
    """Tables that hear which values records have."""


def test_so_has_one_of_privets_own_that_somebody_has_changed():
    """Before: a function in the place of a method, or tables of somebody's own kind, saw all test records,
    and the guarantee said nothing.
    """
    changed = [NaiveBayes(schema=SCHEMA).fit(TABLE) for _ in range(3)]
    changed[0]._log_scores = lambda rows: np.tile([0.0, 1.0], (rows.size, 1))
    changed[1].tables_ = Listening(changed[1].tables_)
    changed[2].tables_["x"] = changed[2].tables_["x"].view(type("Listening", (np.ndarray,), {}))
    for model, name in zip(changed, ("NaiveBayes", "Listening", "Listening"), strict=True):
        said = evaluate(model, TABLE, epsilon=1.0).guarantee.caveats
        assert any(f"The code of {name} saw the records" in caveat for caveat in said)


@pytest.mark.parametrize(
    "entry", [e for e in ALGORITHMS if e.family in ("classify", "regress")], ids=lambda e: e.name
)
def test_none_of_privets_own_models_has_the_caveat(entry):
    target = ["no", "yes"] if entry.family == "classify" else (0.0, 1.0)
    schema = Schema.of({"x": (0.0, 1.0), "c": ["a", "b"], "y": target}, target="y")
    y = TABLE["y"] if entry.family == "classify" else TABLE["x"]
    table = pa.table({"x": TABLE["x"], "c": ["a", "b"] * 100, "y": y})
    for seed in (None, 1, np.random.default_rng(1)):
        model = entry.load()(epsilon=5.0, schema=schema, random_state=seed).fit(table)
        said = evaluate(model, table, epsilon=1.0).guarantee.caveats
        assert not [caveat for caveat in said if "saw the records" in caveat]


class Constant:
    """A model that says the same of everybody."""

    def __init__(self, what):
        self.what = what

    def _log_scores(self, rows):
        return np.tile(np.eye(2)[self.what], (rows.size, 1))

    def _predictions(self, rows):
        return np.full(rows.size, float(self.what))


@pytest.mark.parametrize("target", ["class", "number"])
@pytest.mark.parametrize("keep", ["first", "content"])
def test_a_person_more_sends_nobody_to_the_model_of_another_fold(keep, target):
    """Records kept by content come in batches of several folds: the first one's model predicted them all.

    Before: without one of 40 people, all others were predicted by another model. This is the rule for every
    database.
    """
    columns = {"x": (0.0, 1.0), "y": ["no", "yes"] if target == "class" else (0.0, 1.0)}
    schema = Schema.of(columns, target="y", unit=Unit(id="p", most=1, keep=keep))
    kind = Confusion if target == "class" else RegressionErrors
    y = ["no"] * 40 if target == "class" else [0.0] * 40
    table = pa.table({"p": [f"p{place:02}" for place in range(40)], "x": [0.5] * 40, "y": y})
    for seed in range(4):
        found = []
        for part in (table, table.slice(1)):
            split = Folds(ArrowSource(part), schema, 2, seeded(seed))
            predictor = FoldPredictor((Constant(0), Constant(1)), split.columns, split.label, schema)
            found += MemoryEngine().answer([kind(predictor, "y")], split.all, split.schema)
        assert np.abs(found[0] - found[1]).sum() <= kind(predictor, "y").norms(schema).l1
        if target == "class":
            assert found[0][0].min() > 5  # both models have predicted


def rows_of(table, schema):
    return Rows(
        pa.RecordBatch.from_arrays([c.combine_chunks() for c in table.columns], table.column_names), schema
    )


@pytest.mark.parametrize(
    "entry", [e for e in ALGORITHMS if e.family in ("classify", "regress")], ids=lambda e: e.name
)
def test_each_record_is_predicted_by_itself(entry):
    rng = np.random.default_rng(1)
    wide = {"a": (0.0, 1.0), "b": (-3.0, 7.0), "t": (1.7e9, 1.7e9 + 1.0), "c": ["x", "y", "z"]}
    target = ["no", "yes", "maybe"] if entry.family == "classify" else (0.0, 5.0)
    schema = Schema.of({**wide, "y": target}, target="y")

    def records(size):
        t = 1.7e9 + rng.integers(0, 11, size) / 10
        values = {"a": rng.random(size).round(2), "b": rng.choice([-3, -1 / 3, 0.1, 7], size), "t": t}
        return pa.table(values | {"c": rng.choice(["x", "y", "z"], size)})

    known = records(300)
    a = known["a"].to_numpy()
    y = np.array(["no", "yes", "maybe"])[(3 * a).astype(int) % 3] if entry.family == "classify" else 5 * a
    model = entry.load()(epsilon=50.0, schema=schema, random_state=1).fit(
        known.append_column("y", pa.array(y))
    )
    predicted = model._log_scores if entry.family == "classify" else model._predictions
    asked = records(60)
    alone = np.concatenate([predicted(rows_of(asked.slice(place, 1), schema)) for place in range(60)])
    missing = pa.table({name: pa.array([None], asked[name].type) for name in asked.column_names})
    for more in (asked.slice(0, 0), asked.slice(3, 5), missing):
        among = predicted(rows_of(pa.concat_tables([asked, more]), schema))[:60]
        assert np.array_equal(among, alone)
