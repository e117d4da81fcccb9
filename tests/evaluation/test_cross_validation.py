"""Cross-validation: one reservation for all of it, and honest figures."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import ibis
import numpy as np
import pyarrow as pa
import pytest
from sklearn.model_selection import cross_val_score

from privet.budget import Approximate, Ledger, Pure, budget, exact, rho_for, zcdp_to_epsilon
from privet.errors import BudgetExceeded, DataError, ParameterError
from privet.evaluation import cross_validate, cross_validation_cost
from privet.learning.classify import LogisticRegression, NaiveBayes
from privet.release import BEFOREHAND
from privet.schema import Schema, Unit
from privet.sources import ArrowSource, write_parquet


def ledger_with(limit, unit=None):
    ledger = Ledger.in_memory()
    ledger.open_account("patients", limit, unit=unit or Unit())
    return ledger


def reservations(ledger):
    return [entry for entry in ledger.history("patients") if entry.kind == "reserve"]


class Watched(ArrowSource):
    """Counts how often its rows are read, and may break down."""

    def __init__(self, table, breaks_at=None):
        super().__init__(table)
        self.passes, self.breaks_at = 0, breaks_at

    def batches(self, columns=None):
        self.passes += 1
        if self.passes == self.breaks_at:
            raise DataError("The disk is gone.")
        yield from super().batches(columns)


def test_total_cost_and_one_reservation(schema, held_out):
    ledger = ledger_with(Pure(exact(3)))
    estimator = NaiveBayes(epsilon=0.1, schema=schema, ledger=ledger)
    cost = cross_validation_cost(estimator, folds=5, epsilon=0.2, repeats=2)
    assert cost.amount == Pure(2 * (4 * exact(0.1) + exact(0.2)))
    assert sum(step.amount.epsilon for step in cost.steps) == cost.amount.epsilon
    assert reservations(ledger) == []
    calls = []
    result = cross_validate(
        estimator, held_out, folds=5, epsilon=0.2, repeats=2, progress=lambda *now: calls.append(now)
    )
    assert result.guarantee == replace(cost, caveats=(BEFOREHAND, *cost.caveats))
    assert ledger.spent("patients") == cost.amount
    [entry] = reservations(ledger)
    assert entry.state == "committed"
    assert calls == [(done, 10) for done in range(1, 11)]


def test_zcdp_adds_up(schema):
    delta = exact(1e-6)
    estimator = LogisticRegression(method="objective", epsilon=0.5, delta=1e-6, schema=schema)
    rho = rho_for(exact(0.5), delta)
    both = cross_validation_cost(estimator, folds=10, epsilon=1.0, delta=1e-6).amount
    total = 9 * rho + rho_for(exact(1.0), delta)
    assert both == Approximate(zcdp_to_epsilon(total, delta), delta)
    assert both.epsilon < 9 * exact(0.5) + 1  # less than by plain addition
    mixed = cross_validation_cost(estimator, folds=10, epsilon=1.0).amount
    ways = (1 + zcdp_to_epsilon(9 * rho, delta), zcdp_to_epsilon(9 * rho + Fraction(1, 2), delta))
    assert mixed == Approximate(min(ways), delta)


def test_zcdp_is_spent_as_claimed(schema, held_out):
    ledger = ledger_with(budget(4.0, 1e-6))
    estimator = LogisticRegression(method="objective", epsilon=0.5, delta=1e-6, schema=schema, ledger=ledger)
    result = cross_validate(estimator, held_out, folds=4, epsilon=0.5, delta=1e-6)
    spent = ledger.spent("patients")
    assert float(spent.epsilon) == pytest.approx(result.guarantee.epsilon, rel=1e-6)
    assert result.guarantee.delta == 1e-6


def test_a_refusal_spends_and_fits_nothing(schema, held_out):
    ledger = ledger_with(Pure(exact(0.99)))
    source = Watched(held_out)
    estimator = NaiveBayes(epsilon=0.1, schema=schema)
    with pytest.raises(BudgetExceeded):
        cross_validate(estimator, source, folds=10, epsilon=0.1, ledger=ledger)
    assert ledger.spent("patients") is None
    assert source.passes <= 1  # to recognise the table, whose account is asked


def test_a_run_that_breaks_down_stays_paid(schema, held_out):
    ledger = ledger_with(Pure(exact(5)))
    estimator = NaiveBayes(epsilon=0.1, schema=schema)
    with pytest.raises(DataError, match="disk"):
        cross_validate(estimator, Watched(held_out, 5), folds=10, epsilon=0.1, ledger=ledger)
    assert ledger.spent("patients") == Pure(exact(1))
    [entry] = reservations(ledger)
    assert entry.state != "committed"


def test_figures_are_noised_and_near_the_public_ones(schema, held_out):
    estimator = NaiveBayes(epsilon=2.0, schema=schema)
    public = cross_validate(estimator, held_out, folds=4, public=True)
    private = [cross_validate(estimator, held_out, folds=4, epsilon=1.0) for _ in range(2)]
    classed = held_out.num_rows - held_out["stage"].null_count
    assert public.evaluation.noisy.sum() == classed
    assert not np.array_equal(private[0].evaluation.noisy, private[1].evaluation.noisy)
    # The same seed draws the same folds and models: what differs is the noise, in each of nine cells.
    exact_one = cross_validate(estimator, held_out, folds=4, public=True, random_state=9)
    noisy_one = cross_validate(estimator, held_out, folds=4, epsilon=1.0, random_state=9)
    noise = noisy_one.evaluation.noisy - exact_one.evaluation.noisy
    assert 0 < np.abs(noise).max() < 100
    for result in private:
        assert result.guarantee.holds
        assert float(result.evaluation.accuracy) == pytest.approx(float(public.evaluation.accuracy), abs=0.05)
        assert 0 < result.evaluation.accuracy.error < 0.02


def test_a_record_is_tested_by_a_model_that_did_not_see_it():
    """Each record has a value of its own: a model that saw it knows its class, another has to guess."""
    number = 400
    values, classes = list(range(number)), np.random.default_rng(3).integers(0, 2, number)
    schema = Schema.of({"x": values, "y": [0, 1]}, target="y")
    estimator = NaiveBayes(epsilon=10_000.0, schema=schema, smoothing=0.01)
    table = pa.table({"x": values, "y": classes})
    assert (estimator.fit(table).predict(table) == classes).mean() == 1
    result = cross_validate(estimator, table, folds=4, public=True)
    assert float(result.evaluation.accuracy) == pytest.approx(0.5, abs=0.12)


def test_public_is_exact_and_free_and_says_so(schema, held_out):
    estimator = NaiveBayes(epsilon=1.0, schema=schema)
    result = cross_validate(estimator, held_out, folds=3, public=True)
    assert not result.guarantee.holds
    assert "declared public" in result.text()
    for more in ({"epsilon": 1.0}, {"ledger": ledger_with(Pure(exact(9)))}):
        with pytest.raises(ParameterError, match="public=True"):
            cross_validate(estimator, held_out, folds=3, public=True, **more)


def test_repeats_make_the_error_bars_smaller(schema, held_out):
    estimator = NaiveBayes(epsilon=1.0, schema=schema)
    result = cross_validate(estimator, held_out, folds=2, epsilon=0.2, repeats=8)
    assert len(result.repeats) == 8
    alone = np.mean([one.accuracy.error for one in result.repeats])
    assert result.evaluation.accuracy.error == pytest.approx(alone / np.sqrt(8), rel=0.35)


def test_files_frames_and_arrays_give_the_same(tmp_path, schema, held_out):
    write_parquet(held_out.to_batches(), tmp_path / "table.parquet")
    frame = held_out.to_pandas()
    frame = frame[frame["stage"].notna()]
    estimator = NaiveBayes(epsilon=1.0, schema=schema)
    X, y = frame.drop(columns="stage"), frame["stage"]
    same = {"folds": 3, "epsilon": 1.0, "random_state": 5}
    one = cross_validate(estimator, X, y, **same)
    two = cross_validate(estimator, X.to_numpy(), y.to_numpy(), **same)
    np.testing.assert_array_equal(one.evaluation.noisy, two.evaluation.noisy)
    three = cross_validate(estimator, held_out, **same)
    four = cross_validate(estimator, tmp_path / "table.parquet", **same)
    np.testing.assert_array_equal(three.evaluation.noisy, four.evaluation.noisy)
    assert not one.guarantee.holds


def test_a_database_table_is_read_in_one_order(schema, held_out):
    table = ibis.duckdb.connect().create_table("patients", held_out)
    estimator = NaiveBayes(epsilon=2.0, schema=schema)
    result = cross_validate(estimator, table, folds=3, public=True)
    assert result.evaluation.noisy.sum() == held_out.num_rows - held_out["stage"].null_count


def test_a_person_is_in_one_fold():
    """Every record of a person has the same value, which only that person has: nobody else can tell it."""
    people, each = 200, 3
    who = np.repeat(np.arange(people), each)
    classes = np.repeat(np.random.default_rng(4).integers(0, 2, people), each)
    unit = Unit(id="who", most=each)
    columns = {"x": list(range(people)), "y": [0, 1]}
    table = pa.table({"who": who, "x": who, "y": classes})
    by_person = NaiveBayes(epsilon=10_000.0, schema=Schema.of(columns, target="y", unit=unit), smoothing=0.01)
    by_record = NaiveBayes(epsilon=10_000.0, schema=Schema.of(columns, target="y"), smoothing=0.01)
    apart, mixed = (
        cross_validate(e, table, folds=5, public=True, random_state=0) for e in (by_person, by_record)
    )
    assert float(apart.evaluation.accuracy) == pytest.approx(0.5, abs=0.15)
    assert float(mixed.evaluation.accuracy) > 0.9


@pytest.mark.parametrize("unit", [Unit("replace"), Unit(id="who", most=2), Unit("replace", id="who", most=2)])
def test_other_units_of_privacy_are_paid_for(held_out, unit):
    schema = Schema.of(
        {"age": (0, 100), "sex": ["f", "m"], "stage": ["none", "early", "late"]},
        target="stage",
        unit=unit,
        dataset="patients",
    )
    table = held_out.append_column("who", pa.array(np.arange(held_out.num_rows) // 2))
    ledger = ledger_with(Pure(exact(2)), unit)
    estimator = NaiveBayes(epsilon=0.5, schema=schema, ledger=ledger)
    result = cross_validate(estimator, table, folds=3, epsilon=1.0)
    assert result.guarantee.unit == unit
    assert ledger.spent("patients") == Pure(exact(2))
    assert float(result.evaluation.accuracy) > 0.5


def test_models_see_the_schema_that_they_were_trained_with(schema, held_out, monkeypatch):
    seen = []
    scores = NaiveBayes._log_scores
    monkeypatch.setattr(
        NaiveBayes, "_log_scores", lambda self, rows: seen.append(rows.schema) or scores(self, rows)
    )
    cross_validate(NaiveBayes(epsilon=1.0, schema=schema), held_out, folds=3, epsilon=1.0)
    assert set(seen) == {schema}


def test_a_schema_read_off_the_data_voids_the_guarantee(held_out):
    frame = held_out.to_pandas().dropna()
    estimator = NaiveBayes(epsilon=1.0, schema="infer")
    result = cross_validate(estimator, frame.drop(columns="stage"), frame["stage"], folds=3, epsilon=1.0)
    assert not result.guarantee.holds
    assert "read off the data" in result.guarantee.headline


def test_result_is_readable_and_json(schema, held_out):
    estimator = NaiveBayes(epsilon=1.0, schema=schema)
    result = cross_validate(estimator, held_out, folds=3, epsilon=1.0, repeats=2)
    assert result.text().startswith("3-fold cross-validation, 2 times")
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert data["evaluation"]["guarantee"]["epsilon"] == 6.0
    assert len(data["repeats"]) == 2


def test_bad_input(schema, held_out):
    estimator = NaiveBayes(epsilon=1.0, schema=schema)
    for folds in (1, 0, 2.5, True, "3"):
        with pytest.raises(ParameterError, match="folds must be a whole number of at least 2"):
            cross_validate(estimator, held_out, folds=folds, epsilon=1.0)
    with pytest.raises(ParameterError, match="repeats"):
        cross_validate(estimator, held_out, folds=2, repeats=0, epsilon=1.0)
    with pytest.raises(ParameterError, match="needs an epsilon"):
        cross_validate(estimator, held_out)
    with pytest.raises(ParameterError, match="needs an epsilon"):
        cross_validation_cost(estimator)
    ledger = ledger_with(Pure(exact(100)))
    with pytest.raises(ParameterError, match="without a guarantee"):
        cross_validate(estimator, held_out, epsilon=1.0, random_state=1, ledger=ledger)
    with pytest.raises(ParameterError, match="measures"):
        cross_validate(estimator, held_out, epsilon=1.0, ledger=ledger, measures="none")
    assert reservations(ledger) == []


def test_the_estimator_is_left_as_it_was(schema, held_out):
    ledger = ledger_with(Pure(exact(100)))
    estimator = NaiveBayes(epsilon=1.0, schema=schema, ledger=ledger)
    cross_validate(estimator, held_out, folds=2, epsilon=1.0)
    assert estimator.ledger is ledger
    assert estimator.random_state is None
    assert not hasattr(estimator, "classes_")


def test_scikit_learns_cross_validation_spends_from_the_one_ledger(schema, held_out):
    """Its fits are paid for, every one. Its scores are exact: the estimator's own is refused, and others are
    for public data only.
    """
    ledger = ledger_with(Pure(exact(1)))
    estimator = NaiveBayes(epsilon=0.2, schema=schema, ledger=ledger)
    frame = held_out.to_pandas().dropna(subset=["stage"])
    X, y = frame.drop(columns="stage"), frame["stage"]
    with pytest.raises(ParameterError, match="cross_validate"):
        cross_val_score(estimator, X, y, cv=5, error_score="raise")
    assert ledger.spent("patients") is None
    scores = cross_val_score(estimator, X, y, cv=5, scoring="accuracy", error_score="raise")
    assert scores.mean() > 0.6
    assert ledger.spent("patients") == Pure(exact(1))
    assert len(reservations(ledger)) == 5
    with pytest.raises(BudgetExceeded):
        cross_val_score(estimator, X, y, cv=5, scoring="accuracy", error_score="raise")
    assert ledger.spent("patients") == Pure(exact(1))


def test_the_caveats_of_the_fits_are_carried_over(schema, held_out):
    estimator = LogisticRegression(epsilon=1.0, schema=schema, method="objective", records=3000)
    result = cross_validate(estimator, held_out, folds=2, epsilon=1.0)
    assert any("minimum can be found" in each for each in result.guarantee.caveats)
    assert ("about how many records there are", "declared") in result.guarantee.public
    cost = cross_validation_cost(estimator, folds=2, epsilon=1.0)
    assert result.guarantee == replace(cost, caveats=(BEFOREHAND, *cost.caveats))
