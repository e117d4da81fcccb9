"""fit(X, y) from anything that holds rows, and the ledger that all clones share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from privet.budget import Ledger, Pure, budget, exact
from privet.checks.example import DATASET, WatchedSource, example, public
from privet.errors import BudgetExceeded, DataError, ParameterError, SchemaError
from privet.evaluation import PrivateSearch, cross_validate
from privet.learning.classify import NaiveBayes
from privet.schema import Category, Schema, Unit, draft, write_schema
from privet.sources import ArrowSource, write_csv

TABLE = example()
X = TABLE.drop_columns(["ill"])
Y = np.array(TABLE["ill"].to_pylist())


def ledger(limit=1):
    made = Ledger.in_memory().as_analyst("ann")
    made.open_account(DATASET, Pure(exact(limit)), unit=Unit())
    return made


def seeded(**more):
    return NaiveBayes(**{"schema": public(), "random_state": 3} | more)


def same(one, other):
    np.testing.assert_array_equal(one.predict_log_proba(X), other.predict_log_proba(X))


def test_every_way_to_give_the_rows(tmp_path):
    first = seeded().fit(TABLE)
    frame = TABLE.to_pandas()
    write_csv(ArrowSource(TABLE), tmp_path / "t.csv")
    for model in (
        seeded().fit(X, Y),
        seeded().fit(X, Y.tolist()),
        seeded().fit(frame),
        seeded().fit(frame.drop(columns="ill"), frame["ill"]),
        seeded().fit(frame.drop(columns="ill").to_numpy(), Y),
        seeded().fit(ArrowSource(TABLE)),
        seeded().fit(tmp_path / "t.csv"),
        seeded().fit(str(tmp_path / "t.csv")),
    ):
        same(first, model)


def test_every_way_to_predict(tmp_path):
    model = seeded().fit(TABLE)
    frame = TABLE.to_pandas()
    write_csv(ArrowSource(X), tmp_path / "x.csv")
    expected = model.predict(X)
    for rows in (
        TABLE,
        frame,
        frame.drop(columns="ill"),
        frame.drop(columns="ill").to_numpy(),
        tmp_path / "x.csv",
    ):
        np.testing.assert_array_equal(model.predict(rows), expected)


def test_frames_are_read_by_name_and_arrays_by_place():
    shuffled = X.select(["smoker", "height", "age"])
    same(seeded().fit(X, Y), seeded().fit(shuffled.append_column("ill", TABLE["ill"])))
    with pytest.raises(SchemaError, match="2 columns, and the schema declares 3"):
        seeded().fit(np.zeros((4, 2)), Y[:4])


def test_columns_that_the_schema_does_not_name_are_not_read():
    same(seeded().fit(TABLE), seeded().fit(TABLE.append_column("name", pa.array(["S3NT1NEL"] * 200))))


def test_a_schema_file(tmp_path):
    write_schema(public(), tmp_path / "s.toml")
    same(seeded().fit(TABLE), seeded(schema=tmp_path / "s.toml").fit(TABLE))
    same(seeded().fit(TABLE), seeded(schema=str(tmp_path / "s.toml")).fit(TABLE))


@pytest.mark.parametrize("schema", [None, 3, {}, public()["age"]], ids=repr)
def test_what_is_no_schema(schema):
    with pytest.raises(SchemaError, match="needs a schema"):
        NaiveBayes(schema=schema).fit(TABLE)


def test_a_whole_table_cannot_be_inferred():
    with pytest.raises(SchemaError, match="names the target"):
        NaiveBayes(schema="infer").fit(ArrowSource(TABLE))


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (Schema(public().columns, dataset=DATASET), "names no target"),
        (Schema(public().columns, target="age", dataset=DATASET), "is a number"),
        (draft(TABLE.to_batches(), target="ill"), "not confirmed"),
        (Schema(public().columns, target="ill", unit=Unit(id="who"), dataset=DATASET), "who"),
    ],
    ids=["no target", "number", "draft", "id"],
)
def test_public_faults_cost_nothing(schema, says):
    purse = Ledger.in_memory()
    purse.open_account(DATASET, Pure(exact(1)), unit=schema.unit)

    def read():
        raise AssertionError("read")

    with pytest.raises((SchemaError, DataError), match=says):
        NaiveBayes(schema=schema, ledger=purse).fit(WatchedSource(TABLE, read))
    assert purse.spent(DATASET) is None


def test_unknown_classes_are_refused_without_naming_them():
    with pytest.raises(DataError, match="'ill' holds a value outside") as caught:
        seeded().fit(X, np.where(Y == "yes", "S3NT1NEL", "no"))
    assert "S3NT1NEL" not in str(caught.value)


def test_lengths_must_agree():
    for rows, labels in ((X, Y[:-1]), (X.to_pandas(), Y[:-1]), (X.to_pandas().to_numpy(), Y[:-1])):
        with pytest.raises(ValueError, match=r"inconsistent|same number|length"):
            seeded().fit(rows, labels)


def test_unfitted():
    with pytest.raises(NotFittedError):
        seeded().predict(X)


def test_rehearsal_needs_a_schema():
    with pytest.raises(SchemaError, match="reads no data"):
        NaiveBayes(schema="infer").rehearse()
    with pytest.raises(ParameterError):
        NaiveBayes(schema=public(), epsilon=-1).rehearse()


def test_clones_and_cross_validation_spend_into_one_ledger():
    """A peer's clones spent into copies: five fits of ε = 1 left a recorded total of 0."""
    purse = ledger(limit=5)
    model = NaiveBayes(schema=public(), epsilon=1.0, ledger=purse)
    assert clone(model).ledger is purse
    # Each fold is another table, so the folds share one account by the schema's dataset name.
    cross_val_score(model, X.to_pandas(), Y, cv=5, scoring="accuracy", error_score="raise")
    assert purse.spent(DATASET) == Pure(exact(5))
    with pytest.raises(BudgetExceeded):
        clone(model).fit(TABLE)


def test_in_a_pipeline():
    pipeline = make_pipeline(FunctionTransformer(), seeded(epsilon=100.0)).fit(X.to_pandas(), Y)
    assert pipeline.score(X.to_pandas(), Y) > 0.7


def test_a_generator_moves_on_and_stays_the_parameter():
    state = np.random.RandomState(0)
    model = seeded(random_state=state)
    first = model.fit(TABLE).predict_log_proba(X)
    assert model.random_state is state
    assert (model.fit(TABLE).predict_log_proba(X) != first).any()


def test_infinities_are_refused():
    frame = X.to_pandas()
    frame.loc[0, "height"] = np.inf
    with pytest.raises(DataError, match="'height' holds an infinite"):
        seeded().fit(frame, Y)
    with pytest.raises(ValueError, match="infinity"):
        NaiveBayes(schema="infer").fit(np.array([[np.inf], [1.0]]), [0, 1])


def test_arrays_of_a_wrong_shape_or_kind_are_refused_without_quoting_them():
    """scikit-learn prints the array that it refuses."""
    model = seeded().fit(TABLE)
    for wrong in (
        np.full(4, 41.25),
        [41.25] * 4,
        {"age": [41.25]},
        np.full((4, len(model.columns_)), 41.25j),
    ):
        for ask in (lambda wrong=wrong: seeded().fit(wrong, Y[:4]), lambda wrong=wrong: model.predict(wrong)):
            with pytest.raises(DataError) as caught:
                ask()
            assert "41.25" not in str(caught.value)
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None


def test_a_table_without_records_gives_noise_alone():
    """With none or with one record: that must not show, so an empty table is no error by itself."""
    for rows in ((X.slice(0, 0), Y[:0]), (X.to_pandas()[:0], Y[:0]), (TABLE.slice(0, 0),)):
        assert seeded(epsilon=1e5).fit(*rows).class_count_.max() < 1


def test_an_infinite_number_in_an_array_is_clamped_in_paid_runs_and_refused_in_others():
    schema = Schema.of({"a": (-3.0, 3.0), "y": [0, 1]}, target="y", dataset="d")
    ledger = Ledger.in_memory()
    ledger.open_account("d", budget(3.0), unit=schema.unit)
    X, y = np.array([[0.0], [np.inf], [1.0]]), [0, 1, 0]
    model = NaiveBayes(epsilon=0.5, schema=schema)
    search = PrivateSearch(model, {"smoothing": [0.5, 1.0]}, epsilon=0.5, ledger=ledger)
    model.set_params(ledger=ledger).fit(X, y)
    cross_validate(model, X, y, folds=2, epsilon=0.5, ledger=ledger)
    search.fit(X, y)
    with pytest.raises(DataError, match="infinity"):  # without a ledger, by whoever reads it
        NaiveBayes(epsilon=0.5, schema=schema).fit(X, y)


@pytest.mark.parametrize(
    ("domain", "value", "odd"),
    [
        (("1", "2"), 1.0, "xx"),
        (("True", "False"), True, 2),
        (("a", "b"), "a", 3.5),
        ((2**60, 2**60 + 1), 2**60 + 1, 0.5),
    ],
    ids=str,
)
def test_one_record_of_a_list_does_not_change_how_the_others_are_read(domain, value, odd):
    """NumPy would make texts of all numbers beside one text. Here the mixture is refused, for X and for y."""
    schema = Schema((Category("c", domain, other="rest"), Category("y", domain, other="rest")), target="y")
    alike, mixed = [[value]] * 50, [[value]] * 50 + [[odd]]
    model = NaiveBayes(epsilon=1e5, schema=schema, random_state=0).fit(alike, [value] * 50)
    texts = [str(each) for each in domain]
    assert np.argmax(model.class_count_) == texts.index(str(value).removesuffix(".0"))
    for X, y in ((mixed, [value] * 51), ([[value]] * 51, [value] * 50 + [odd])):
        for rows in (X, pd.DataFrame(X, columns=["c"], dtype=object)):
            with pytest.raises(DataError, match="mixes text, numbers"):
                NaiveBayes(epsilon=1.0, schema=schema, look_first=False).fit(rows, y)


def test_no_refusal_tells_how_many_records_there_are():
    X, y = np.zeros((137, 1)), [0] * 137
    schema = Schema.of({"a": (-1.0, 1.0), "y": [0, 1]}, target="y")
    for rows in (X, X.tolist(), pd.DataFrame(X, columns=["a"])):
        for target in (y[1:], np.zeros((137, 2)), np.zeros((137, 1, 1)), 1):
            with pytest.raises(DataError, match=r"number of records|must be one column") as caught:
                NaiveBayes(schema=schema).fit(rows, target)
            assert "13" not in str(caught.value)


def test_a_table_that_does_not_fit_costs_its_budget_and_the_error_says_so():
    made = ledger()
    strange = TABLE.to_pandas().assign(ill="never heard of")
    strict = replace(public(), outside="refuse")
    with pytest.raises(DataError, match=r"outside its declared domain\. What was reserved stays spent\."):
        NaiveBayes(epsilon=0.25, schema=strict, ledger=made).fit(strange)
    assert made.spent(DATASET) == Pure(exact(0.25))
    with pytest.raises(DataError, match="stays spent"):
        cross_validate(NaiveBayes(epsilon=0.1, schema=strict), strange, folds=2, epsilon=0.1, ledger=made)
    with pytest.raises(DataError) as caught:
        NaiveBayes(epsilon=0.25, schema=public()).fit(strange)
    assert "spent" not in str(caught.value)
