"""Each statistic × engine × neighbour relation × persons: equal to the memory engine, to the last digit.

A statistic that is in neither ``QUESTIONS`` nor ``ELSEWHERE`` fails a test. There is no gap.
"""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
import sys
from dataclasses import replace

import numpy as np
import pytest
from pyarrow import parquet

import privet.stats
from privet import LinearRegression, NaiveBayes
from privet.engines import MemoryEngine, engine_for
from privet.schema import Schema, Unit
from privet.sources import ArrowSource, ParquetSource, fingerprint, open_source
from privet.sources.parts import PartedSource
from privet.sources.processes import Processes
from privet.sources.sql import TableSource
from privet.stats import (
    Coded,
    Confusion,
    Contingency,
    Coverage,
    Cross,
    CrossTable,
    FirstThatHolds,
    Moments,
    PredictionErrors,
    Predictor,
    Statistic,
    Within,
)
from privet.stats.boosting import Additive, ClassResiduals, Grouped, Grouping, NumberResiduals
from privet.stats.boosting.candidates import Candidates
from privet.stats.boosting.term_scores import TermTables
from privet.stats.choices.joint import Overlaps
from privet.stats.clusters import Offsets, Points, Quality
from privet.stats.conditions import Between, OneOf
from privet.stats.distinct import Distinct
from privet.stats.group_sums import GroupSums
from privet.stats.items import Basis, items_of
from privet.stats.kernels import FIXED
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.gradient import Gradient
from privet.stats.linear.products import Products
from privet.stats.paired import ErrorDifferences, RightTogether
from privet.stats.regression_errors import RegressionErrors
from privet.stats.residual_counts import ResidualCounts
from privet.stats.score_table import ScoreTable
from privet.stats.slices import Sliced, Slices
from privet.stats.views.expressions import Field, IsIn
from privet.stats.views.view import View
from privet.stats.views.viewed import Viewed
from tests.engines.test_answers import COLUMNS, generated
from tests.postgres import stored

SCHEMA = Schema(COLUMNS, target="ill")
DATA = generated(1500)
ATTRIBUTES = ("x", "k", "colour")
CLASSIFIER = Predictor(NaiveBayes(schema=SCHEMA, random_state=1).fit(ArrowSource(DATA)), ATTRIBUTES)
REGRESSION = Predictor(
    LinearRegression(schema=replace(SCHEMA, target="x"), random_state=1).fit(ArrowSource(DATA)),
    ("k", "colour"),
)
YOUNG = FirstThatHolds(((Between("x", None, 1.0),), (OneOf("colour", ("red", None)),)))
ENCODING = Encoding(tuple(SCHEMA[name] for name in ATTRIBUTES))
BINNED = Encoding(ENCODING.columns, bins=5)
TERM = Grouping((Grouped(Coded("x", (0.0, 1.5)), (0, 1, 2, 0)),))
CLASSES = SCHEMA.nominal_target().size
ADDITIVE = Additive(np.array([0.3] * (CLASSES if CLASSES > 2 else 1)))
COLOURS = SCHEMA["colour"].size
CENTRES = np.array([[0.25, *[0.0] * COLOURS], [0.75, *[0.5] * COLOURS]])
QUESTIONS: tuple[Statistic, ...] = (
    Contingency(None, "ill"),
    Contingency("colour", "ill"),
    Contingency("x", "ill", (0.0, 1.5, 3.25)),
    CrossTable((Coded("colour"), Coded("x", (0.0, 1.5)), Coded("ill"))),
    Moments("x", "ill"),
    Moments("k", "ill"),
    Within(Cross((Coded("k", (2.5,)),)), Contingency("colour", "ill")),
    Coverage(YOUNG, "ill"),
    Confusion(CLASSIFIER, "ill"),
    PredictionErrors(CLASSIFIER, "ill", 8.0),
    RegressionErrors(REGRESSION, "x"),
    ScoreTable(CLASSIFIER, "ill", 1, (-1.0, 0.0, 1.0)),
    RightTogether(CLASSIFIER, CLASSIFIER, "ill"),
    ResidualCounts(REGRESSION, "x", 16),
    ErrorDifferences(REGRESSION, REGRESSION, "x"),
    Overlaps((OneOf("colour", ("red",)), Between("x", 0.0, 2.0)), "ill", 2),
    Distinct((Coded("ill"),), Coded("colour")),
    GroupSums((Coded("ill"), Coded("k", (4.5,))), "x", squares=True),
    Viewed(CrossTable((Coded("colour"),)), View(where=(IsIn(Field("ill"), ("yes",)),))),
    ClassResiduals(ADDITIVE, TERM, "ill"),
    NumberResiduals(Additive(np.array([0.3])), TERM, "x", FIXED),
    TermTables(ClassResiduals(ADDITIVE, TERM, "ill"), Candidates.of([TERM])),
    Sliced(ClassResiduals(ADDITIVE, TERM, "ill"), Slices(("x", "k", "colour"), 4, 1, 3)),
    Offsets(Points((SCHEMA["x"], SCHEMA["colour"])), CENTRES, 0.3, "l1"),
    Quality(Points((SCHEMA["x"], SCHEMA["colour"])), CENTRES, 1.0),
    Basis(items_of(SCHEMA)[:4]),
    Products(Encoding(SCHEMA.columns)),
    Products(ENCODING, given="ill", sums=False),
    Gradient(np.array([[0.1] * ENCODING.width] * 3), "ill", ENCODING),
    Gradient(np.array([[0.1] * BINNED.width] * 3), "ill", BINNED),
)
UNITS = {
    "record": Unit(),
    "replace": Unit("replace"),
    "person": Unit(id="person", most=2, keep="content"),
    "person, replace": Unit("replace", id="person", most=1, keep="content"),
}
ENGINES = ("duckdb", "postgres", "processes", "spark parts", "spark frame")
#: Statistics without an engine for tables, and why.
ELSEWHERE = {
    "GenotypeTables": "counted in packed genotypes, by an engine of its own",
    "ItemTotals": "reads a column of sets, which PostgreSQL and this table have not",
    "SetCounts": "reads a column of sets, which PostgreSQL and this table have not",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "people.parquet"
    parquet.write_table(DATA, path, row_group_size=200)
    return path


@pytest.fixture(scope="module")
def processes():
    workers = Processes(2)
    yield workers
    workers.close()


@pytest.fixture(scope="module")
def tables(postgres):
    """The same records in PostgreSQL."""
    return stored(postgres.database(), people=DATA)["people"]


@pytest.fixture(scope="module", params=ENGINES)
def source(request, file):
    if request.param == "duckdb":
        import ibis

        return TableSource(ibis.duckdb.connect().read_parquet(str(file)))
    if request.param == "postgres":
        return open_source(request.getfixturevalue("tables"))
    if request.param == "processes":
        return PartedSource(ParquetSource(file), request.getfixturevalue("processes"), 4)
    from privet.sources.spark import SparkMap, SparkSource

    spark = request.getfixturevalue("spark")
    if request.param == "spark parts":
        return PartedSource(ParquetSource(file), SparkMap(spark), 4)
    return SparkSource(spark.read.parquet(str(file)).repartition(3))


def test_every_statistic_is_asked():
    for module in pkgutil.walk_packages(privet.stats.__path__, "privet.stats."):
        importlib.import_module(module.name)
    known = {type(question) for question in QUESTIONS}
    assert {kind.__name__ for kind in set(kinds_of(Statistic)) - known} == set(ELSEWHERE)


def kinds_of(kind):
    """All that can be asked: what derives from this, near or far, and is not abstract."""
    for each in kind.__subclasses__():
        yield from kinds_of(each)
        module = sys.modules.get(each.__module__)  # another test's statistic may carry a false name
        known = module is not None and getattr(module, each.__name__, None) is each
        if known and each.__module__.startswith("privet.stats.") and not inspect.isabstract(each):
            yield each


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_equal_to_memory(source, unit):
    schema = replace(SCHEMA, unit=unit)
    expected = MemoryEngine().answer(QUESTIONS, ArrowSource(DATA), schema)
    found = engine_for(source).answer(QUESTIONS, source, schema)
    for question, one, other in zip(QUESTIONS, expected, found, strict=True):
        np.testing.assert_array_equal(one, other, str(question)[:80])
        assert other.dtype == np.int64


def test_one_question_at_a_time(source):
    """Alone, a question is answered in SQL if it has any; together with others all may be folded."""
    schema = replace(SCHEMA, unit=UNITS["person"])
    asked = QUESTIONS if isinstance(source, TableSource) else QUESTIONS[:1]  # elsewhere there is one way only
    for question in asked:
        [expected] = MemoryEngine().answer([question], ArrowSource(DATA), schema)
        [found] = engine_for(source).answer([question], source, schema)
        np.testing.assert_array_equal(expected, found, str(question)[:80])


def test_the_fingerprint(source):
    assert fingerprint(source) == fingerprint(ArrowSource(DATA))


def test_statistics_are_values_that_can_be_sent():
    for question in QUESTIONS:
        again = pickle.loads(pickle.dumps(question))
        [one], [other] = (MemoryEngine().answer([q], ArrowSource(DATA), SCHEMA) for q in (question, again))
        np.testing.assert_array_equal(one, other)
