"""PLANTED WRONG VERSIONS of naive Bayes. Nothing in this file may be used outside of tests."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from privet.learning.classify import NaiveBayes
from privet.schema import Schema

SCHEMA = Schema.of({"fever": ["no", "yes"], "cough": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
# Right versions are whole models and slow: fewer runs are enough, since a false alarm does not depend on them.
FEW = {"runs": 800, "search_runs": 8}


def noise(scale: float, size: int) -> np.ndarray:
    return np.random.default_rng().laplace(0, scale, size)


class Published(BaseEstimator):
    """WRONG, as printed: the full ε for every attribute, and unit-scale noise on the class counts.

    Two attributes: the true ε is 2ε + 1.
    """

    def __init__(self, epsilon: float = 0.5, schema: Schema = SCHEMA) -> None:
        self.epsilon = epsilon
        self.schema = schema

    def counts(self, table, name):
        values, classes = ([row == "yes" for row in table[each].to_pylist()] for each in (name, "ill"))
        return np.bincount(2 * np.array(values, int) + np.array(classes, int), minlength=4)

    def fit(self, table):
        known = table.drop_null()
        self.class_counts_ = self.counts(known, "ill")[[0, 3]] + noise(1.0, 2)
        self.tables_ = {
            name: self.counts(known, name) + noise(1 / self.epsilon, 4) for name in ("fever", "cough")
        }
        return self


class Repaired(Published):
    """RIGHT: three measurements that share ε."""

    def fit(self, table):
        known, scale = table.drop_null(), 3 / self.epsilon
        self.class_counts_ = self.counts(known, "ill")[[0, 3]] + noise(scale, 2)
        self.tables_ = {name: self.counts(known, name) + noise(scale, 4) for name in ("fever", "cough")}
        return self


class ScoresItself(NaiveBayes):
    """WRONG: how many records of its own private table it gets right is stored beside the model, exactly."""

    def fit(self, X, y=None):
        super().fit(X, y)
        known = X.filter(X["ill"].is_valid())
        self.right_ = (
            int((self.predict(known) == np.array(known["ill"].to_pylist())).sum()) if len(known) else 0
        )
        self.tested_ = len(known)
        return self


class KeepsRecord(NaiveBayes):
    """WRONG: a private attribute still holds a value of the table."""

    def fit(self, X, y=None):
        super().fit(X, y)
        self._last_ = X["fever"].to_pylist()[-1:]
        return self


def test_published_naive_bayes_is_caught(caught):
    found = caught(Published(0.5), runs=20_000, search_runs=60)
    assert found.bound > 0.6


def test_repaired_naive_bayes_passes(passed):
    passed(Repaired(0.5))


def test_an_exact_score_on_the_private_table_is_caught(caught):
    found = caught(ScoresItself(epsilon=1.0, schema=SCHEMA), **FEW)
    assert "tested_" in found.event.description or "right_" in found.event.description


def test_a_record_kept_in_a_private_attribute_is_caught(caught):
    assert "_last_" in caught(KeepsRecord(epsilon=1.0, schema=SCHEMA), **FEW).event.description


def test_privets_naive_bayes_passes(passed):
    passed(NaiveBayes(epsilon=1.0, schema=SCHEMA), **FEW)
