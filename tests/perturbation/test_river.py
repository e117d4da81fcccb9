"""The same transformers in a River pipeline, record by record."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from privet.errors import ParameterError
from privet.perturbation import Geometric
from privet.perturbation.base import Perturbation
from privet.perturbation.nominal import RandomisedColumns
from privet.perturbation.river_step import RiverStep
from privet.registry import algorithms_with
from privet.schema import Schema

pytest.importorskip("river")
import_module("privet.perturbation.river")

METHODS = {
    entry.name: cls for entry in algorithms_with("perturb") if issubclass(cls := entry.load(), Perturbation)
}
SCHEMA = Schema.of({"a": (-1.0, 1.0), "b": (-1.0, 1.0), "c": (-1.0, 1.0)})


def stream(rows):
    generator = np.random.default_rng(0)
    for row in generator.uniform(-1, 1, (rows, 3)).tolist():
        yield dict(zip("abc", row, strict=True)), row[0] + row[1] > 0


@pytest.mark.parametrize("method", METHODS)
def test_every_method_sits_in_a_pipeline(method):
    from river import compose, linear_model, metrics

    model = compose.Pipeline(
        METHODS[method](schema=SCHEMA, random_state=1), linear_model.LogisticRegression()
    )
    accuracy = metrics.Accuracy()
    for x, y in stream(600):
        guess = model.predict_one(x)
        accuracy.update(y, guess)
        model.learn_one(x, y)
    # One direction out of three may lie across what is to be learned; the others keep what matters.
    assert accuracy.get() > 0.7 or method in ("condensation", "projection")


def test_what_follows_learns_from_perturbed_records_only():
    from river import base, compose

    class Witness(base.Classifier):
        def __init__(self):
            self.seen = []

        def learn_one(self, x, y):
            self.seen.append(x)

        def predict_proba_one(self, x):
            self.seen.append(x)
            return {True: 1.0}

    witness = Witness()
    pipeline = compose.Pipeline(METHODS["rotation"](schema=SCHEMA), witness)
    records = [x for x, _ in stream(20)]
    for x in records:
        pipeline.predict_one(x)
        pipeline.learn_one(x, True)
    assert len(witness.seen) == 40
    assert not [x for x in witness.seen if any(x == record for record in records)]


def test_without_the_import_a_pipeline_refuses(monkeypatch):
    monkeypatch.setattr(RiverStep, "known_to_river", False)
    with pytest.raises(ParameterError, match="unperturbed"):
        Geometric(schema=SCHEMA)._supervised  # noqa: B018


def test_written_with_bars_and_cloned():
    from river import linear_model, preprocessing

    model = (
        Geometric(schema=SCHEMA, random_state=1)
        | preprocessing.StandardScaler()
        | linear_model.LogisticRegression()
    )
    for x, y in stream(50):
        model.learn_one(x, y)
    assert model.predict_one({"a": 0.9, "b": 0.9, "c": 0.0}) in (True, False)


def test_categories_are_randomised_in_a_pipeline_too():
    from river import compose, naive_bayes

    schema = Schema.of({"smoker": ["no", "yes"], "town": ["a", "b", "c"]})
    step = RandomisedColumns(schema=schema, epsilon=6.0, random_state=1)
    model = compose.Pipeline(step, compose.FuncTransformer(lambda x: {f"{k}={v}": 1 for k, v in x.items()}),
                             naive_bayes.MultinomialNB())  # fmt: skip
    generator = np.random.default_rng(0)
    right = same = 0
    for _ in range(400):
        record = {
            "smoker": str(generator.choice(["no", "yes"])),
            "town": str(generator.choice(["a", "b", "c"])),
        }
        right += model.predict_one(record) == record["smoker"]
        model.learn_one(record, record["smoker"])
        same += step.transform_one(record) == record
    assert right > 240
    assert 0.7 < same / 400 < 1.0
