"""Additive models and trees, audited; with PLANTED WRONG VERSIONS of their questions, for tests only."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pytest

from privet.audit import Pair
from privet.learning.additive import classes, turns
from privet.learning.classify import AdditiveModel, DecisionTree, decision_tree
from privet.schema import Schema
from privet.stats import Sensitivity, proved
from privet.stats.boosting import ClassResiduals
from privet.stats.choices.splits import Splits

SCHEMA = Schema.of({"smoker": [0, 1], "ill": [0, 1]}, target="ill")
BASE = {"smoker": [0, 1] * 15, "ill": [0, 1] * 15}
PAIRS = [
    Pair(
        "a record that the model gets wrong",
        pa.table({"smoker": [*BASE["smoker"], 1], "ill": [*BASE["ill"], 0]}),
        pa.table(BASE),
    )
]


@proved
@dataclass(frozen=True, eq=False)
class BoldResiduals(ClassResiduals):
    """WRONG **Sensitivity**: a two-thousandth of what a record can move. Residuals have hardly any noise."""

    def norms(self, schema):
        true = super().norms(schema)
        return Sensitivity(true.l1 // 2000, true.squared_l2 // 2000**2)


@proved
@dataclass(frozen=True)
class BoldSplits(Splits):
    """WRONG **Spread**: scores that one record moves by 30 times what is said."""

    def groups(self, answers, schema):
        return [30 * group for group in super().groups(answers, schema)]


TWO = Schema.of({"smoker": [0, 1], "cough": [0, 1], "ill": [0, 1]}, target="ill")
ILL = [(1, 1, 1)] * 16 + [(1, 0, 1), (0, 1, 1)] * 4
TIE = ILL + [(1 - a, 1 - b, 1 - c) for a, b, c in ILL]
TIES = [
    Pair(
        "a tie, and a record that breaks it",
        *(
            pa.table({name: [row[j] for row in rows] for j, name in enumerate(TWO.names)})
            for rows in ([*TIE, (1, 0, 1)], TIE)
        ),
    )
]


@pytest.fixture
def in_parts(monkeypatch):
    """Rounds look at parts of the records, as they do where there are very many."""
    monkeypatch.setattr(turns, "halvings_for", lambda *_: 4)
    return AdditiveModel(schema=SCHEMA, look_first=False, rounds=16, pairs=False)


def test_parts_of_the_records_pass(passed, in_parts):
    passed(in_parts, pairs=PAIRS, runs=200)


def test_the_right_versions_pass(passed):
    passed(AdditiveModel(schema=SCHEMA, look_first=False), pairs=PAIRS, runs=400)
    passed(DecisionTree(schema=TWO, depth=1, leaf_share=0.6), pairs=TIES, runs=400)


def test_residuals_with_too_little_noise(caught, monkeypatch):
    monkeypatch.setattr(classes, "ClassResiduals", BoldResiduals)
    caught(AdditiveModel(schema=SCHEMA, look_first=False), pairs=PAIRS, runs=1_500)


def test_splits_chosen_too_boldly(caught, monkeypatch):
    monkeypatch.setattr(decision_tree, "Splits", BoldSplits)
    caught(DecisionTree(schema=TWO, depth=1, leaf_share=0.6), pairs=TIES, runs=2_500)
