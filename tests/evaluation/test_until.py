"""Precision that is added step by step: it stops when it is enough, and costs what it needed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privet import Ledger
from privet.budget import Pure, budget
from privet.curator import Curator, Measure
from privet.curator.ask import Gradual
from privet.curator.ask.gradual import LEVELS
from privet.curator.ask.question import Exact
from privet.errors import ParameterError
from privet.evaluation import compare_models, diagnose, evaluate
from privet.queries import query
from privet.randomness import seeded
from privet.schema import Schema
from privet.stats import Contingency, Statistic


@pytest.fixture
def ledger(schema):
    found = Ledger.in_memory()
    found.open_account("patients", budget(2.0), unit=schema.unit, schema=schema)
    return found


def test_it_stops_when_it_is_enough_and_the_rest_is_given_back(model, held_out, ledger):
    found = evaluate(model, held_out, epsilon=1.0, until=0.05, ledger=ledger)
    assert found.accuracy.error <= 0.05
    assert found.guarantee.epsilon < 0.5
    assert ledger.spent("patients") == found.guarantee.amount
    assert any("set aside" in caveat for caveat in found.guarantee.caveats)
    assert sum(step.amount.epsilon for step in found.guarantee.steps) == found.guarantee.amount.epsilon
    tighter = evaluate(model, held_out, epsilon=1.0, until=0.02, ledger=ledger)
    assert tighter.guarantee.epsilon > found.guarantee.epsilon


def test_a_goal_out_of_reach_costs_the_limit(model, held_out, ledger):
    found = evaluate(model, held_out, epsilon=0.25, until=1e-9, ledger=ledger)
    assert found.guarantee.epsilon == 0.25
    assert ledger.spent("patients") == budget(0.25)
    assert not any("set aside" in caveat for caveat in found.guarantee.caveats)


def test_diagnoses_and_queries_stop_too(model, held_out, schema, ledger):
    assert diagnose(model, held_out, epsilon=1.0, until=0.05).auc.error <= 0.05
    assert compare_models(model, model, held_out, epsilon=1.0, until=0.05).difference.error <= 0.05
    answer = query(held_out, schema, ledger=ledger).group_by("sex").mean("age").release(2.0, until=3.0)
    assert all(figure.error <= 3.0 for _, figures in answer.rows for figure in figures)
    assert ledger.spent("patients") == answer.guarantee.amount
    assert answer.guarantee.epsilon < 2.0


def test_bars_hold_although_one_stops_when_they_look_narrow(held_out, schema):
    exact = np.nanmean(held_out["age"].to_numpy())
    asked = query(held_out, schema).mean("age")
    runs = [asked.release(1.0, until=2.0, random_state=seed).value for seed in range(150)]
    assert all(each.error <= 2.0 for each in runs)
    assert np.mean([abs(each.value - exact) <= each.error for each in runs]) >= 0.9


def test_what_cannot_be_is_said_before_anything_is_spent(model, held_out, schema, ledger):
    for wrong in ({"delta": 1e-6}, {"until": 0}, {"until": True}, {"until": float("inf")}):
        with pytest.raises(ParameterError):
            evaluate(model, held_out, **({"epsilon": 1.0, "until": 0.1, "ledger": ledger} | wrong))
    with pytest.raises(ParameterError, match="quantiles"):
        query(held_out, schema, ledger=ledger).quantile("age", 0.5).release(1.0, until=1)
    assert ledger.spent("patients") is None


ASKED = [(Measure(Contingency(None, "stage"), "stages"), Fraction(1))]


def test_a_check_that_fails_keeps_everything_spent(held_out, schema, ledger):
    def stopped():
        with Curator(held_out, schema, budget(0.5), ledger=ledger) as curator:
            next(curator.ask_gradually(ASKED))
            raise ParameterError("The check cannot be made.")

    with pytest.raises(ParameterError, match="stays spent"):
        stopped()
    assert ledger.spent("patients") == budget(0.5)


def test_levels_are_handed_out_one_by_one_and_none_after_the_end(held_out, schema, ledger):
    with Curator(held_out, schema, budget(1.0), ledger=ledger) as curator:
        levels = curator.ask_gradually(ASKED)
        taken = [next(levels)[0] for _ in range(3)]
        with pytest.raises(ParameterError):
            curator.ask(*ASKED[0])
        with pytest.raises(ParameterError, match="whole budget"):
            curator.ask_gradually(ASKED)
    deviations = [each.standard_deviation for each in taken]
    assert deviations == sorted(deviations, reverse=True)
    assert taken[-1].step.amount == Pure(LEVELS[2])
    assert curator.guarantee.amount == ledger.spent("patients") == Pure(LEVELS[2])
    with pytest.raises(ParameterError, match="over"):
        next(levels)  # what it would cost has been given back


def test_whoever_looks_at_nothing_or_at_everything_pays_for_everything(held_out, schema):
    for look in (lambda levels: None, list):
        with Curator(held_out, schema, budget(1.0)) as curator:
            look(curator.ask_gradually(ASKED))
        assert curator.guarantee.amount == Pure(Fraction(1))
        assert curator.guarantee.steps[-1].amount == Pure(Fraction(1))


SMALL = Schema.of({"ill": ["no", "yes"]}, target="ill")


def losses(enough, runs=300):
    """The privacy loss of each outcome between two neighbours, and what it was said to cost."""
    answers = [np.array([[5, 3]]), np.array([[5, 4]])]
    question = Gradual(((Measure(Contingency(None, "ill"), "classes"), Fraction(1)),))
    amount = budget(2.0)
    mechanism = question.mechanism(amount, SMALL)
    for seed in range(runs):
        first, second = (Exact([answer], None, SMALL, seeded(seed)) for answer in answers)
        told = question.release(first, amount, mechanism)
        places = (place for place, level in enumerate(told.releases) if enough(level))
        place = next(places, len(LEVELS) - 1)
        loss = question.log_ratio_at(place, first, second, mechanism, told)
        yield abs(loss), 2.0 * float(LEVELS[place])


def test_no_outcome_loses_more_than_it_was_said_to_cost():
    found = list(losses(lambda releases: releases[0].value[0, 1] >= 4))
    assert len({cost for _, cost in found}) > 3  # it stops at many levels
    assert all(loss <= cost + 1e-9 for loss, cost in found)
    assert max(loss - cost for loss, cost in found) > -1e-9  # and the bound is reached


def test_a_question_that_understates_its_sensitivity_is_found_out():
    class Halved(Contingency):
        """Planted. **Sensitivity.** Claimed to be 1, and a record counts twice."""

        def finish(self, state, schema):
            return 2 * super().finish(state, schema)

    planted = Halved(None, "ill")
    assert isinstance(planted, Statistic)
    mechanism = Gradual(((Measure(planted, "classes"), Fraction(1)),)).mechanism(budget(2.0), SMALL)
    level = mechanism[0].levels[-1]
    worst = level.log_probability(0) - level.log_probability(2)  # one record more moves the answer by 2
    assert worst > 2.0
