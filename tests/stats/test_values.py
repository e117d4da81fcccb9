"""Statistics, and what is made of their answers, are values: they can be sent to other processes."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
from abc import ABC
from fractions import Fraction
from inspect import isabstract

import numpy as np
import pytest

import privet.stats
from privet import NaiveBayes
from privet.schema import Items, Schema
from privet.stats import (
    Coded,
    Confusion,
    Contingency,
    Coverage,
    Cross,
    CrossTable,
    FirstThatHolds,
    FoldPredictor,
    MajorityCorrect,
    Moments,
    PredictionErrors,
    Predictor,
    Rows,
    Scores,
    Statistic,
    Within,
)
from privet.stats.boosting import Additive, ClassResiduals, Grouped, Grouping, NumberResiduals
from privet.stats.boosting.candidates import Candidates
from privet.stats.boosting.term_scores import TermScores, TermTables
from privet.stats.choices.distances import Distances
from privet.stats.choices.intervals import IntervalsCorrect
from privet.stats.choices.joint import JointCorrect, Overlaps
from privet.stats.choices.largest import LargestClass
from privet.stats.choices.quantiles import QuantileRanks
from privet.stats.choices.refinements import Refinements, Shared
from privet.stats.choices.splits import Splits
from privet.stats.clusters import Offsets, Points, Quality
from privet.stats.conditions import Between, OneOf
from privet.stats.distinct import Distinct
from privet.stats.genotypes.tables import GenotypeTables
from privet.stats.group_sums import GroupSums
from privet.stats.item_sets import FrequentItems, ItemTotals, SetCounts
from privet.stats.items import Basis, ItemCounts, items_of
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.gradient import Gradient
from privet.stats.linear.products import Products
from privet.stats.linear.steepest import SteepestCoordinate
from privet.stats.paired import ErrorDifferences, RightTogether
from privet.stats.regression_errors import RegressionErrors
from privet.stats.residual_counts import ResidualCounts
from privet.stats.score_table import ScoreTable
from privet.stats.slices import Sliced, Slices
from privet.stats.views import Field, IsIn, View, Viewed

SCHEMA = Schema.of({"age": (0, 120), "cough": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
TABLE = Contingency("cough", "ill")
RULES = FirstThatHolds(((Between("age", None, 40), OneOf("cough", ("yes",))),))
ENCODING = Encoding.of(SCHEMA)
MODEL = NaiveBayes(schema=SCHEMA)._rehearsed()
PREDICTOR = Predictor(MODEL, ("age", "cough"))
GRADIENT = Gradient(np.ones((1, ENCODING.width)), "ill", ENCODING, following=True)
GROUPS = Grouped(Coded("cough"), (0, 1, 1))
TERM = Grouping((GROUPS,))
ADDITIVE = Additive(np.array([0.3])).plus(TERM, np.array([[0.5], [-2.0]]))
RESIDUALS = ClassResiduals(ADDITIVE, TERM, "ill")
TERMS = TermTables(RESIDUALS, Candidates.of([TERM]))
POINTS = Points(SCHEMA.columns[:1])
CENTRES = np.array([[0.25], [0.75]])
#: A table of sets, for the statistics that read some.
SETS = Schema.of({"bought": Items("bought", ("milk", "bread", "beer"), most=2)})
VALUES = [
    RESIDUALS,
    NumberResiduals(ADDITIVE, TERM, "age"),
    TERMS,
    TermScores(TERMS, (0,)),
    Distances((CrossTable((Coded("cough"),)),), (np.zeros(3, np.int64),), (0,), False),
    Splits(Cross((Coded("cough"),)), (TABLE,)),
    Offsets(POINTS, CENTRES, 0.3, "l1"),
    Quality(POINTS, CENTRES, 1.0),
    Basis(items_of(SCHEMA)),
    ItemCounts(items_of(SCHEMA)),
    ItemTotals("bought"),
    FrequentItems("bought"),
    SetCounts("bought", (0, 2), 2),
    TABLE,
    Moments("age", "ill"),
    Within(Cross((Coded("age", (60.0,)), Coded("cough"))), TABLE),
    Coverage(RULES, "ill"),
    Confusion(PREDICTOR, "ill"),
    PredictionErrors(FoldPredictor((MODEL,), ("age", "cough"), "fold", SCHEMA), "ill", 5.0),
    RegressionErrors(PREDICTOR, "age"),
    ScoreTable(PREDICTOR, "ill", 1, (-1.0, 1.0)),
    RightTogether(PREDICTOR, PREDICTOR, "ill"),
    ResidualCounts(PREDICTOR, "age", 8),
    ErrorDifferences(PREDICTOR, PREDICTOR, "age"),
    GenotypeTables(np.eye(2, dtype=bool), 3),
    Overlaps(RULES.conjunctions[0], "ill", 2),
    CrossTable((Coded("ill"),)),
    Products(ENCODING),
    GRADIENT,
    MajorityCorrect((TABLE,)),
    IntervalsCorrect((TABLE,), 2),
    JointCorrect(RULES.conjunctions[0], "ill", 2),
    Refinements(RULES, (TABLE,)),
    Shared(RULES, (TABLE,)),
    SteepestCoordinate(GRADIENT),
    GroupSums((Coded("cough"),), "age", squares=True),
    Distinct((), Coded("cough")),
    Viewed(CrossTable((Coded("cough"),)), View(where=(IsIn(Field("ill"), ("yes",)),))),
    QuantileRanks(CrossTable((Coded("age", (60.0,)),)), Fraction(1, 2)),
    LargestClass("ill"),
    Sliced(TABLE, Slices(("age", "cough", "ill"), 2, 0, 1)),
]


def kinds():
    """Every statistic and every ``Scores`` that Privet has."""
    for module in pkgutil.walk_packages(privet.stats.__path__, "privet.stats."):
        for kind in vars(importlib.import_module(module.name)).values():
            wanted = isinstance(kind, type) and issubclass(kind, Statistic | Scores) and not isabstract(kind)
            if wanted and kind.__module__ == module.name and ABC not in kind.__bases__:
                yield kind


def schema_of(value):
    if isinstance(value, NumberResiduals):
        return Schema(SCHEMA.columns, target="age")
    return SETS if isinstance(value, ItemTotals | SetCounts) else SCHEMA


def test_every_kind_is_here():
    assert {kind.__name__ for kind in kinds()} == {type(value).__name__ for value in VALUES}


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_survives_a_journey(value):
    again = pickle.loads(pickle.dumps(value))
    assert repr(again) == repr(value)
    if isinstance(value, Statistic):
        schema = schema_of(value)
        assert again.norms(schema) == value.norms(schema)
        assert again.columns == value.columns


def test_a_value_that_was_used_survives_it_too():
    """What is remembered of rows is not part of the value."""
    import pyarrow as pa

    rows = Rows(pa.record_batch({"age": [30, 70], "cough": ["no", "yes"], "ill": ["no", "yes"]}), SCHEMA)
    elsewhere = GenotypeTables | RegressionErrors | NumberResiduals | ItemTotals | SetCounts
    elsewhere |= ResidualCounts | ErrorDifferences
    for value in VALUES:
        if isinstance(value, Statistic) and not isinstance(value, elsewhere):
            if isinstance(value, PredictionErrors):
                continue  # its rows have a column of folds
            state = value.fold(value.start(SCHEMA), rows)
            again = pickle.loads(pickle.dumps(value))
            twice = again.fold(again.start(SCHEMA), rows)
            np.testing.assert_array_equal(value.finish(state, SCHEMA), again.finish(twice, SCHEMA))
