"""Forecasts: more ε is never worse, more records need less of it, and no data is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privet.errors import ParameterError
from privet.evaluation.forecast import Forecast, Point, epsilon_within, forecast, trial
from privet.evaluation.forecast.tested import TESTED, how_tested
from privet.families import FAMILIES
from privet.learning.associate import AssociationRules
from privet.learning.classify import AdditiveModel, AutoClassifier, NaiveBayes
from privet.learning.regress import Ridge
from privet.registry import ALGORITHMS, algorithms_with
from privet.schema import Schema
from privet.worlds import Guess, made_up

SCHEMA = Schema.of(
    {
        "age": (0, 120),
        "bmi": (10.0, 60.0),
        "smoker": ["no", "yes"],
        "ward": ["a", "b", "c"],
        "ill": ["no", "yes"],
    },
    target="ill",
)
QUICK = {"epsilons": (0.1, 1.0, 10.0), "worlds": 2}


@pytest.mark.parametrize("name", [e.name for e in ALGORITHMS if "forecast" in FAMILIES[e.family].commands])
def test_every_algorithm_that_has_a_forecast_gives_one(name):
    entry = next(e for e in ALGORITHMS if e.name == name)
    family = FAMILIES[entry.family]
    schema = Schema.of(family.example, target=family.example_target)
    found = forecast(entry.load()(), schema, Guess(records=600), name=name, **QUICK)
    values = [point.value for point in found.points]
    assert values == sorted(values)
    assert found.algorithm == name
    assert all(point.low <= point.value + 1e-9 and point.value <= point.high + 1e-9 for point in found.points)
    assert json.loads(json.dumps(found.to_dict()))["chart"]["kind"] == "lines"
    assert (found.text() and found.chart().svg().startswith("<?xml")) or "<svg" in found.chart().svg()


def test_rules_are_compared_with_the_rules_found_without_noise():
    """A miner of rules keeps no itemsets: to compare those would foretell that any ε finds everything."""
    found = forecast(AssociationRules(), SCHEMA, Guess(records=600), **QUICK)
    assert found.attainable == 1
    assert found.points[0].value < found.points[-1].value


def test_more_records_need_less_epsilon():
    few, many = (
        forecast(NaiveBayes(), SCHEMA, Guess(records=n, attainable=0.85), worlds=4) for n in (300, 300_000)
    )
    assert few.points[0].share < many.points[0].share
    assert (few.epsilon_for(0.02) or 100) > many.epsilon_for(0.02)
    assert any("larger by the same factor. Detail" in word for word in many.rests_on)
    assert not any("Detail" in word for word in few.rests_on)


def test_the_same_forecast_twice():
    assert forecast(NaiveBayes(), SCHEMA, Guess(records=400), **QUICK) == forecast(
        NaiveBayes(), SCHEMA, Guess(records=400), **QUICK
    )


def test_from_what_was_released_already():
    table = made_up(SCHEMA, 2000, 5)
    found = forecast(NaiveBayes(), SCHEMA, Guess(records=2000), released=table, **QUICK)
    assert any("released already" in word for word in found.rests_on)
    assert found.tested == "", "that test was of made-up worlds"
    with pytest.raises(ParameterError, match="at least 20 records"):
        forecast(NaiveBayes(), SCHEMA, released=table.slice(0, 5), **QUICK)


def test_a_regression_is_measured_by_its_r2():
    schema = Schema.of(
        {"age": (0.0, 120.0), "bmi": (10.0, 60.0), "pressure": (50.0, 250.0)}, target="pressure"
    )
    found = forecast(Ridge(), schema, Guess(records=5000, attainable=0.7), **QUICK)
    assert found.measure == "R²"
    assert 0.5 < found.attainable < 0.85


@pytest.mark.parametrize("epsilons", [(), (0.0,), (-1.0,), (float("nan"),), (1e9,)])
def test_bad_epsilons_are_refused(epsilons):
    with pytest.raises(ParameterError, match="epsilons above 0"):
        forecast(NaiveBayes(), SCHEMA, epsilons=epsilons)


def test_families_without_a_figure_are_refused():
    from privet.learning.streams.naive_bayes import StreamingNaiveBayes

    with pytest.raises(ParameterError, match="no forecast"):
        forecast(StreamingNaiveBayes(), SCHEMA)
    assert "streaming-naive-bayes" not in [entry.name for entry in algorithms_with("forecast")]


def test_the_epsilon_for_a_goal_lies_where_the_lower_end_of_the_band_reaches_it():
    points = tuple(
        Point(e, s, s - 0.1, s, 0.5 + 0.4 * s, 0.5 + 0.4 * (s - 0.1), 0.5 + 0.4 * s)
        for e, s in ((0.1, 0.2), (1.0, 0.8), (10.0, 1.0))
    )
    found = Forecast("toy", "accuracy", points, 0.9, 0.5, Guess(), (), 2)
    assert found.epsilon_for(0.5) == 0.1
    assert 1.0 < found.epsilon_for(0.08) < 10.0
    assert found.epsilon_for(0.01) is None
    assert "No epsilon tried" in found.text()
    assert found.at(0.01) == points[0]
    assert found.at(99) == points[-1]
    assert found.at(1.0) == points[1]
    assert 0.2 < found.at(0.3).share < 0.8


def test_where_nothing_is_learned_no_epsilon_is_named():
    points = (Point(0.1, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5),)
    found = Forecast("a", "accuracy", points, 0.5, 0.49, Guess(), (), 3)
    assert found.epsilon_for(0.02) is None
    assert "Too little was learned" in found.text()
    # Sixty records in six classes: no additive model draws a curve from them, with noise or without.
    rare = Schema.of({"x": (0.0, 1.0), "kind": [*"abcdef"]}, target="kind")
    with pytest.raises(ParameterError, match="too little is learned"):
        epsilon_within(AdditiveModel(schema=rare), 0.02, guess=Guess(60, 0.5))


def test_a_slow_algorithm_is_tried_at_fewer_epsilons_and_the_rest_follows(monkeypatch):
    """The clock is made to run fast: what would take too long is left out, whatever the machine."""
    ticks = iter(range(10**9))
    monkeypatch.setattr(trial, "_clock", lambda: float(next(ticks)))
    found = forecast(NaiveBayes(schema=SCHEMA), guess=Guess(records=2000, attainable=0.8), seconds=4.0)
    assert found.worlds == 2
    assert len(found.points) == len(trial.EPSILONS)
    assert any("Tried at 3 of the epsilons" in word for word in found.rests_on)
    values = [point.value for point in found.points]
    assert values == sorted(values)


def test_it_says_how_often_it_was_wrong_as_the_page_of_the_experiment_has_it():
    page = (Path(__file__).parents[2] / "docs" / "experiments" / "forecast.md").read_text(encoding="utf-8")
    for name, found in TESTED.items():
        assert f"| {name} | {found.tables} | {found.too_small} | {found.doubled} |" in page
    foretold = forecast(NaiveBayes(), SCHEMA, Guess(records=400), **QUICK)
    assert foretold.tested == TESTED["NaiveBayes"].in_words()
    assert foretold.tested in foretold.text()
    assert foretold.to_dict()["tested"] == foretold.tested
    assert "not put to the test" in how_tested("KMeans")
    assert "not put to the test" in how_tested("KMeans", "NaiveBayes")


def test_it_says_how_it_was_tested_for_all_that_may_learn():
    """By default a form forecasts the choice among algorithms: at each ε another one may learn."""
    few, many = (
        forecast(AutoClassifier(), SCHEMA, Guess(records=records), epsilons=(0.1, 1.0), worlds=2).tested
        for records in (400, 1_000_000)
    )
    assert "OneR" in few
    assert "RuleMiner" in few
    assert many == TESTED["AdditiveModel"].in_words()
