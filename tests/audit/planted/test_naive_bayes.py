"""PLANTED WRONG VERSIONS of naive Bayes. Nothing in this file may be used outside of tests."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc
from sklearn.base import BaseEstimator

from privet.learning.classify import NaiveBayes
from privet.schema import Schema

SCHEMA = Schema.of({"fever": ["no", "yes"], "cough": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
SMALL = Schema.of({"fever": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
# Whole models are slow, but exact values show in every run; and runs do not matter to false alarms.
FEW = {"runs": 1_000, "search_runs": 8}
GENERATOR = np.random.default_rng()


def noise(scale: float, size: int) -> np.ndarray:
    """Two-sided geometric noise from NumPy: fast, and good enough for a planted version."""
    one, other = GENERATOR.geometric(-np.expm1(-1 / scale), (2, size))
    return one - other


def codes(table, name):
    return pc.fill_null(pc.cast(pc.equal(table[name], "yes"), "int8"), 2).to_numpy()


class Published(BaseEstimator):
    """WRONG, as printed: the full ε for every attribute, and unit-scale noise on the class counts.

    Two attributes: the true ε is 2ε + 1.
    """

    def __init__(self, epsilon: float = 0.5, schema: Schema = SCHEMA) -> None:
        self.epsilon = epsilon
        self.schema = schema

    def scales(self) -> tuple[float, float]:
        return 1.0, 1 / self.epsilon

    def fit(self, table):
        for_classes, for_attributes = self.scales()
        ill = codes(table, "ill")
        self.class_counts_ = np.bincount(ill, minlength=3)[:2] + noise(for_classes, 2)
        self.tables_ = {
            name: np.bincount(3 * codes(table, name) + ill, minlength=9) + noise(for_attributes, 9)
            for name in ("fever", "cough")
        }
        return self


class UnitNoise(Published):
    """WRONG: attributes share ε, but the class counts still have unit-scale noise: the true ε is 1 + ε."""

    def scales(self) -> tuple[float, float]:
        return 1.0, 2 / self.epsilon


class Repaired(Published):
    """RIGHT: three measurements that share ε."""

    def scales(self) -> tuple[float, float]:
        return 3 / self.epsilon, 3 / self.epsilon


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
    caught(Published(0.5), runs=16_000)


def test_unit_noise_on_class_counts_is_caught(caught):
    caught(UnitNoise(0.1), runs=6_000)


def test_repaired_naive_bayes_passes(passed):
    passed(Repaired(0.5))


def test_an_exact_score_on_the_private_table_is_caught(caught):
    found = caught(ScoresItself(epsilon=1.0, schema=SMALL), **FEW)
    assert "tested_" in found.event.description or "right_" in found.event.description


def test_a_record_kept_in_a_private_attribute_is_caught(caught):
    assert "_last_" in caught(KeepsRecord(epsilon=1.0, schema=SMALL), **FEW).event.description


def test_privets_naive_bayes_passes(passed):
    passed(NaiveBayes(epsilon=1.0, schema=SMALL), **FEW)
