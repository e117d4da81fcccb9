"""Preparers: what they buy is near the truth, their maps read one record, and the schema's origin travels."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget import Ledger, budget
from privet.demo.patients import patients, public_knowledge
from privet.errors import ParameterError
from privet.estimator.preparer import PreparedSource
from privet.flow import Flow
from privet.learning.prepare import (
    Bounds,
    ClipOutliers,
    EqualFrequency,
    Impute,
    RareValues,
    Standardise,
    SupervisedCuts,
)
from privet.learning.prepare.bounds import doubling_cuts
from privet.learning.prepare.histogram import Histogram
from privet.model import model_from_dict, model_to_dict
from privet.schema import Number, Schema, Unit, read_schema, write_schema
from privet.schema.columns import BOUGHT
from privet.sources import as_source

DRAW = np.random.default_rng(0)
WIDE = Schema.of({"age": (-(10**9), 10**9), "income": (-1e12, 1e12), "ill": ["no", "yes"]}, target="ill")
PEOPLE = pa.table(
    {
        "age": pa.array(DRAW.integers(18, 90, 4000), mask=DRAW.random(4000) < 0.1),
        "income": DRAW.lognormal(10, 0.5, 4000),
        "ill": np.where(DRAW.random(4000) < 0.3, "yes", "no"),
    }
)
CELLS = Schema.of({"age": (0, 100), "ward": ["a", "b", "c"], "ill": ["no", "yes"]}, target="ill")


def test_bounds_are_found_within_a_billion():
    fitted = Bounds(epsilon=1.0, schema=WIDE, random_state=1).fit(PEOPLE)
    after = fitted.schema_after(WIDE)
    assert 8 <= after["age"].low <= 19
    assert 88 <= after["age"].high <= 100
    assert after["age"].integer
    true = PEOPLE["income"].to_numpy()
    assert np.mean((true < after["income"].low) | (true > after["income"].high)) < 0.05
    assert after["income"].high < 4 * true.max()
    assert after["age"].origin == BOUGHT
    assert after["ill"].origin != BOUGHT
    assert "age" in fitted.in_words()
    assert len(fitted.pictures()) == 2


def test_without_any_record_the_declared_bounds_stay_or_become_narrower():
    fitted = Bounds(epsilon=1.0, schema=WIDE, random_state=1).fit(PEOPLE.slice(0, 0))
    for name, (low, high) in fitted.bounds_.items():
        assert WIDE[name].low <= low < high <= WIDE[name].high


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.booleans())
@settings(max_examples=60, deadline=None)
def test_doubling_cuts_rise_and_lie_within_the_bounds(one, two, integer):
    low, high = sorted((one, two))
    if not low < high or not np.isfinite(high - low) or high - low < 1e-200:
        return
    cuts = doubling_cuts(Number("x", low, high, integer=integer))
    assert list(cuts) == sorted(set(cuts))
    assert all(low < cut < high for cut in cuts)


def test_equal_frequency_cuts_halve_the_records():
    fitted = EqualFrequency(bins=4, epsilon=1.0, schema=CELLS, random_state=1).fit(
        pa.table({"age": DRAW.integers(0, 100, 4000), "ward": ["a"] * 4000, "ill": ["no"] * 4000})
    )
    assert np.allclose(fitted.cuts_["age"], [25, 50, 75], atol=4)
    assert fitted.schema_after(CELLS)["age"].cuts == tuple(fitted.cuts_["age"])


@pytest.mark.parametrize("how", ["median", "mean"])
def test_missing_cells_are_filled_and_others_stay(how):
    table = pa.table(
        {"age": [30, None, 50, 40] * 300, "ward": ["b", "b", None, "a"] * 300, "ill": ["no", None] * 600}
    )
    fitted = Impute(numbers=how, epsilon=1.0, schema=CELLS, random_state=1).fit(table)
    out = fitted.transform(table)
    assert abs(out["age"][1].as_py() - 40) < 4
    assert out["ward"][2].as_py() == "b"
    assert out["age"][0].as_py() == 30
    assert out["ill"].null_count == 600, "the target is left alone"
    frame = fitted.transform(table.to_pandas())
    assert not frame["age"].isna().any()
    assert list(frame.columns) == table.column_names


def test_nothing_is_spent_on_filling_where_no_cell_can_be_missing():
    schema = Schema.of({"age": (0, 100)}, dataset="people", missing="error")
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(1.0), unit=schema.unit, schema=schema)
    with pytest.raises(ParameterError, match="No cell can be missing"):
        Impute(epsilon=0.5, schema=schema, ledger=ledger).fit(pa.table({"age": [40.0] * 9}))
    assert ledger.balance("people").spent is None
    steps = {
        "people": {"do": "source", "data": "people.csv"},
        "filled": {"do": "impute", "from": "people"},
        "model": {"do": "standardise", "from": "filled"},
    }
    with pytest.raises(ParameterError, match="No cell can be missing"):
        Flow.from_dict({"steps": steps}).plan({"people": (pa.table({"age": [40.0]}), schema)})


def test_texts_that_are_no_numbers_are_filled_and_stop_nothing():
    fitted = Impute(epsilon=1.0, schema=CELLS, random_state=1).fit(PEOPLE_OF_WARDS)
    out = fitted.transform(
        pa.table({"age": ["41", "many", None], "ward": ["a", None, "zzz"], "ill": ["no"] * 3})
    )
    assert out["age"][0].as_py() == 41
    assert out["age"].null_count == 0


PEOPLE_OF_WARDS = pa.table(
    {"age": DRAW.integers(0, 100, 900), "ward": ["a"] * 800 + ["b"] * 99 + ["c"], "ill": ["no"] * 900}
)


def test_rare_values_count_as_one():
    fitted = RareValues(least=0.05, epsilon=1.0, schema=CELLS, random_state=1).fit(PEOPLE_OF_WARDS)
    ward = fitted.schema_after(CELLS)["ward"]
    assert ward.values == ("a", "b")
    assert ward.other == "other"
    assert ward.origin == BOUGHT
    all_kept = RareValues(least=0.0, epsilon=50.0, schema=CELLS, random_state=1).fit(
        pa.table({"age": [1] * 300, "ward": ["a", "b", "c"] * 100, "ill": ["no"] * 300})
    )
    assert all_kept.schema_after(CELLS)["ward"] == CELLS["ward"]


@pytest.mark.parametrize("preparer", [Impute, Standardise])
@given(st.integers(0, 59))
@settings(max_examples=15, deadline=None)
def test_the_map_reads_one_record(preparer, gone):
    """Taking a record away takes its own prepared record away, and changes no other."""
    rows = PEOPLE_OF_WARDS.slice(760, 60)
    fitted = preparer(epsilon=1.0, schema=CELLS, random_state=1).fit(PEOPLE_OF_WARDS)
    stay = [place for place in range(60) if place != gone]
    assert fitted.transform(rows).take(stay).equals(fitted.transform(rows.take(stay)).combine_chunks())


def test_a_map_that_reads_other_records_is_caught():
    class Peeks(Impute):
        """WRONG: fills with the batch's own mean."""

        def _cells(self, column, cells):
            return (
                cells if column.name != "age" else pa.array(np.full(len(cells), np.nanmean(cells.to_numpy())))
            )

    fitted = Peeks(epsilon=1.0, schema=CELLS, random_state=1).fit(PEOPLE_OF_WARDS)
    rows = PEOPLE_OF_WARDS.slice(0, 20)
    assert not fitted.transform(rows).slice(1).equals(fitted.transform(rows.slice(1)))


@pytest.mark.parametrize(
    "kind", [Bounds, ClipOutliers, EqualFrequency, Impute, RareValues, Standardise, SupervisedCuts]
)
@pytest.mark.parametrize("unit", [Unit(), Unit("replace")])
def test_what_is_spent_is_what_is_claimed_and_models_come_back(kind, unit):
    schema = Schema(CELLS.columns, target="ill", unit=unit)
    fitted = kind(epsilon=0.7, schema=schema).fit(PEOPLE_OF_WARDS)
    assert fitted.guarantee_.epsilon == 0.7
    assert sum(step.amount.epsilon for step in fitted.guarantee_.steps) * 10 == 7
    again = model_from_dict(model_to_dict(fitted))
    assert again.schema_after(schema) == fitted.schema_after(schema)
    assert again.in_words() == fitted.in_words()


def test_the_origin_travels_through_files_pipelines_and_flows(tmp_path):
    from sklearn.pipeline import make_pipeline

    from privet import NaiveBayes

    after = Bounds(epsilon=1.0, schema=WIDE, random_state=1).fit(PEOPLE).schema_after(WIDE)
    write_schema(after, tmp_path / "bought.schema.toml")
    assert read_schema(tmp_path / "bought.schema.toml")["age"].origin == BOUGHT
    frame = PEOPLE.to_pandas()
    y = frame.pop("ill")
    chain = make_pipeline(Bounds(epsilon=0.5, schema=WIDE), NaiveBayes(epsilon=0.5, schema=WIDE)).fit(
        frame, y
    )
    model = chain[-1]
    assert ("bounds of 'age'", BOUGHT) in model.guarantee_.public
    assert any("Bounds prepared these columns" in caveat for caveat in model.guarantee_.caveats)
    steps = {
        "people": {"do": "source", "data": "x"},
        "bounds": {"do": "bounds", "from": "people"},
        "scaled": {"do": "standardise", "from": "bounds"},
        "model": {"do": "naive-bayes", "from": "scaled"},
        "score": {"do": "evaluate", "from": ["model", "scaled"], "measures": "confusion"},
    }
    result = Flow.from_dict({"epsilon": 2.0, "steps": steps}).run({"people": (PEOPLE, WIDE)}, random_state=1)
    assert result["model"].schema_["age"].origin == BOUGHT
    assert abs(result["score"].records.value - 4000) < 300


def test_flows_use_bought_bounds_as_well_as_declared_ones():
    from dataclasses import replace

    table, schema = patients(6000), public_knowledge()
    far = [replace(c, low=-1e9, high=1e9) if isinstance(c, Number) else c for c in schema.columns]
    steps = {
        "people": {"do": "source", "data": "x"},
        "bounds": {"do": "bounds", "from": "people"},
        "model": {"do": "naive-bayes", "from": "bounds"},
    }
    flow = Flow.from_dict({"epsilon": 2.0, "steps": steps})
    found = flow.run({"people": (table, replace(schema, columns=tuple(far)))}, random_state=1)["model"]
    test = patients(3000, seed=7)
    right = np.mean(np.asarray(found.predict(test)) == np.array(test["diabetes"].to_pylist()))
    assert right > 0.68


def test_supervised_cuts_lie_where_the_classes_change_and_nowhere_else():
    draw = np.random.default_rng(1)
    age, luck = draw.uniform(0, 100, 8000), draw.uniform(0, 1, 8000)
    ill = np.where((age > 25) & (age < 75), "yes", "no")
    table = pa.table({"age": age, "luck": luck, "ill": ill})
    schema = Schema.of({"age": (0.0, 100.0), "luck": (0.0, 1.0), "ill": ["no", "yes"]}, target="ill")
    for seed in range(5):
        found = SupervisedCuts(epsilon=1.0, schema=schema, random_state=seed).fit(table)
        assert found.cuts_["age"] == [25.0, 75.0]
        assert found.cuts_["luck"] == []
        assert found.schema_after(schema)["age"].cuts == (25.0, 75.0)
    noise = SupervisedCuts(epsilon=0.001, schema=schema, random_state=0).fit(table)
    assert noise.cuts_["luck"] == []


def test_outliers_are_clipped_at_the_share_that_was_asked_for():
    values = np.random.default_rng(2).normal(0, 10, 20_000)
    schema = Schema.of({"x": (-1000.0, 1000.0)})
    fitted = ClipOutliers(share=0.1, grain=1000, epsilon=1.0, schema=schema, random_state=0)
    after = fitted.fit(values[:, None]).schema_after(schema)["x"]
    outside = np.mean((values < after.low) | (values > after.high))
    assert 0.05 < outside < 0.15
    assert after.origin == BOUGHT


def test_histograms_of_noise_alone():
    quiet = Histogram(np.zeros(4), (0.0, 1.0, 2.0, 3.0, 4.0), 1.0)
    assert quiet.quantile(0.5) == 2.0
    assert quiet.moments[0] == 2.0
    assert quiet.moments[1] > 0


def test_prepared_rows_keep_what_the_preparer_does_not_know():
    fitted = Standardise(epsilon=1.0, schema=CELLS, random_state=1).fit(PEOPLE_OF_WARDS)
    more = PEOPLE_OF_WARDS.append_column("person", pa.array([f"p{i}" for i in range(900)]))
    source = PreparedSource(as_source(more), fitted)
    assert next(iter(source.batches(["person", "age"]))).schema.names == ["person", "age"]
    assert source.table() is None
    assert source.declared() is None
