"""Working with scikit-learn: schemas as dictionaries, columns by name, ensembles, pipelines, weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.pipeline import make_pipeline

from privet import LinearRegression, LogisticRegression, NaiveBayes, OneR, Schema, cross_validate
from privet.errors import DataError, ParameterError, SchemaError
from privet.learning.sample_aggregate import SampleAggregate
from privet.model import load_model, save_model
from privet.schema import Unit
from privet.selection import PrivateBeeSelection, SelectKBest

DRAW = np.random.default_rng(0)
CODES = DRAW.integers(0, 2, 600)
WORDS = np.where(CODES == 1, "yes", "no")
FRAME = pd.DataFrame(
    {
        "age": np.where(CODES == 1, 70.0, 40.0) + DRAW.normal(0, 8, 600),
        "smoker": np.where(DRAW.random(600) < np.where(CODES == 1, 0.8, 0.2), "yes", "no"),
        "ward": DRAW.choice(["a", "b", "c"], 600),
    }
)
COLUMNS = {"age": (0, 120), "smoker": ["no", "yes"], "ward": ["a", "b", "c"], "ill": ["no", "yes"]}
PLAIN = {"columns": COLUMNS, "target": "ill"}
SCHEMA = Schema.of(COLUMNS, target="ill")
CODED = Schema.of(COLUMNS | {"ill": [0, 1]}, target="ill")


def good(model, X=FRAME, y=WORDS):
    return (model.predict(X) == y).mean() > 0.8


# A schema as a dictionary


def test_a_dictionary_is_a_schema(tmp_path):
    model = NaiveBayes(epsilon=50, schema=PLAIN).fit(FRAME, WORDS)
    assert model.schema_ == SCHEMA
    assert good(model)
    assert clone(model).schema == PLAIN
    save_model(model, tmp_path / "model.json")
    assert good(load_model(tmp_path / "model.json"))
    assert NaiveBayes(schema=PLAIN).rehearse().epsilon == 1


def test_all_that_a_schema_says_fits_in_a_dictionary():
    unit = {"neighbours": "replace", "id": "person", "most": 2}
    full = PLAIN | {"unit": unit, "missing": "error", "dataset": "people"}
    expected = Schema.of(
        COLUMNS, target="ill", unit=Unit("replace", "person", 2), missing="error", dataset="people"
    )
    assert Schema.from_plain(full) == expected
    assert Schema.from_plain(expected.to_dict()) == expected  # as a schema file has it
    assert Schema.from_plain(full | {"unit": Unit("replace", "person", 2)}) == expected


def test_columns_alone_are_a_schema_without_a_target():
    assert Schema.from_plain(COLUMNS) == Schema.of(COLUMNS)
    with pytest.raises(SchemaError, match="names no target"):
        NaiveBayes(schema=COLUMNS).fit(FRAME.assign(ill=WORDS))
    with pytest.raises(SchemaError, match=r"Unknown entries \['targe'\]"):
        NaiveBayes(schema={"columns": COLUMNS, "targe": "ill"}).fit(FRAME, WORDS)
    with pytest.raises(SchemaError, match="needs a schema"):
        NaiveBayes(schema={}).fit(FRAME, WORDS)


def test_a_schema_says_what_it_is_in_one_line():
    columns = "age: 0 to 120, smoker: no | yes, ward: a | b | c, ill: no | yes"
    assert repr(SCHEMA) == f"Schema({columns}; target = 'ill')"
    wide = Schema.of(
        {f"x{place}": (0, 1) for place in range(5000)}, unit=Unit("replace"), missing="error", dataset="d"
    )
    assert repr(wide).count("\n") == 0
    rest = "dataset = 'd'; missing = 'error'; protects one record, exchanged for another"
    assert repr(wide).endswith(f"x5: 0 to 1, … 4994 more; {rest})")
    assert len(repr(NaiveBayes(schema=wide))) < 400


# Columns by their names


@pytest.mark.parametrize(
    "kind", [lambda f: f, pa.Table.from_pandas, pl.from_pandas], ids=["pandas", "Arrow", "polars"]
)
@pytest.mark.parametrize("model", [NaiveBayes, LogisticRegression, OneR])
def test_columns_come_in_any_order(model, kind):
    fitted = model(schema=SCHEMA, epsilon=20).fit(kind(FRAME), WORDS)
    expected = fitted.predict(kind(FRAME))
    assert (fitted.predict(kind(FRAME[["ward", "age", "smoker"]])) == expected).all()
    assert (fitted.predict(kind(FRAME.assign(other=1)[["other", "ward", "age", "smoker"]])) == expected).all()
    with pytest.raises(ValueError, match="age"):
        fitted.predict(kind(FRAME[["ward", "smoker"]]))


def test_fit_reads_columns_by_name_too():
    turned = NaiveBayes(schema=SCHEMA, epsilon=50).fit(FRAME[["ward", "smoker", "age"]], WORDS)
    assert good(turned)
    assert (turned.predict(FRAME) == turned.predict(FRAME[["smoker", "age", "ward"]])).all()


# Ensembles, which code the classes


def test_ensembles_take_classes_that_are_declared_as_codes():
    voting = VotingClassifier([("bayes", NaiveBayes(schema=CODED, epsilon=9)), ("rule", OneR(schema=CODED))])
    assert good(voting.fit(FRAME, CODES), y=CODES)
    assert good(voting.set_params(voting="soft").fit(FRAME, CODES), y=CODES)
    bagging = BaggingClassifier(NaiveBayes(schema=CODED, epsilon=9), n_estimators=3, bootstrap=False)
    numbers = FRAME.to_numpy()
    assert good(bagging.fit(numbers, CODES), numbers, CODES)


@pytest.mark.parametrize(
    "ensemble",
    [VotingClassifier([("bayes", NaiveBayes(schema=SCHEMA))]), BaggingClassifier(NaiveBayes(schema=SCHEMA))],
    ids=["Voting", "Bagging"],
)
def test_codes_for_classes_that_are_words_are_refused(ensemble):
    """Which word a code stands for depends on which classes occur: a guess could be wrong, and would tell."""
    with pytest.raises(DataError, match="classes of 'ill' are words") as refusal:
        ensemble.fit(FRAME if isinstance(ensemble, VotingClassifier) else FRAME.to_numpy(), WORDS)
    assert "'ill': [0, 1]" in str(refusal.value)


def test_words_that_are_numerals_may_be_numbers():
    numerals = Schema.of(COLUMNS | {"ill": ["0", "1"]}, target="ill")
    model = NaiveBayes(schema=numerals, epsilon=50).fit(FRAME, CODES)
    assert good(model, y=CODES.astype(str))


# Pipelines


@pytest.mark.parametrize(
    "selector",
    [SelectKBest(k=2, schema=SCHEMA, epsilon=50), PrivateBeeSelection(schema=SCHEMA, epsilon=50)],
    ids=["SelectKBest", "PrivateBeeSelection"],
)
@pytest.mark.parametrize("order", [["age", "smoker", "ward"], ["ward", "smoker", "age"]], ids=str)
def test_a_pipeline_on_a_frame_needs_no_set_output(selector, order):
    pipeline = make_pipeline(clone(selector), NaiveBayes(schema=SCHEMA, epsilon=50)).fit(FRAME[order], WORDS)
    assert good(pipeline, FRAME[order])
    chosen = tuple(name for name in order if name in pipeline[0].chosen_)
    assert pipeline[-1].columns_ == chosen
    assert {column.name for column in pipeline[-1].schema_.attributes} == set(chosen)


# What fit does not take


@pytest.mark.parametrize(
    "model",
    [NaiveBayes(schema=SCHEMA), SelectKBest(schema=SCHEMA), SampleAggregate(len, 0, 1, schema=SCHEMA)],
    ids=lambda model: type(model).__name__,
)
def test_weights_are_refused_with_a_reason(model):
    with pytest.raises(ParameterError, match="a weight would let one of them count for more"):
        model.fit(FRAME, WORDS, sample_weight=np.ones(600))
    with pytest.raises(ParameterError, match="fit takes no groups"):
        model.fit(FRAME, WORDS, groups=WORDS)


def test_weights_in_scikit_learn():
    assert NaiveBayes(schema=SCHEMA).fit(FRAME, WORDS, sample_weight=None).guarantee_.holds
    with pytest.raises(ParameterError, match="sample_weight"):
        make_pipeline(NaiveBayes(schema=SCHEMA)).fit(FRAME, WORDS, naivebayes__sample_weight=np.ones(600))
    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostClassifier(NaiveBayes(schema=CODED)).fit(FRAME.to_numpy(), CODES)


def test_sparse_matrices_are_refused_with_a_reason():
    with pytest.raises(DataError, match=r"sparse matrices[\s\S]*toarray"):
        NaiveBayes(schema=SCHEMA).fit(csr_array(np.zeros((3, 3))), ["no", "yes", "no"])


@pytest.mark.filterwarnings("error")  # polars warns of whoever asks a query for its columns
@pytest.mark.parametrize("lazy", ["X", "y"])
def test_a_lazy_frame_is_refused_with_a_reason(lazy):
    X, y = pl.from_pandas(FRAME), pl.DataFrame({"ill": WORDS})
    X, y = (X.lazy(), y) if lazy == "X" else (X, y.lazy())
    for learn in (
        NaiveBayes(schema=SCHEMA).fit,
        lambda X, y: cross_validate(NaiveBayes(schema=SCHEMA), X, y, epsilon=1.0),
    ):
        with pytest.raises(DataError, match=r"has not been run[\s\S]*collect\(\)"):
            learn(X, y)


# Arrays, frames and files behave alike


NUMBERS = Schema.of({"a": (0.0, 1.0), "b": (0.0, 1.0), "y": [0, 1]}, target="y")


def forms(X, y, folder):
    """The same table as arrays, frames, an Arrow table and a file."""
    frame = pd.DataFrame(X, columns=["a", "b"])
    yield "arrays", (X, y)
    yield "lists and a series", (X.tolist() if len(X) else X, pd.Series(y))
    yield "a frame", (frame, y)
    yield "Arrow", (pa.table({"a": X[:, 0], "b": X[:, 1]}), y)
    frame.assign(y=y).to_csv(folder / "table.csv", index=False)
    yield "a file", (folder / "table.csv",)


@pytest.mark.parametrize("model", [NaiveBayes, LogisticRegression])
def test_a_table_without_records_is_learned_from_in_any_form(model, tmp_path):
    for name, table in forms(np.empty((0, 2)), np.empty(0), tmp_path):
        fitted = model(schema=NUMBERS).fit(*table)
        assert fitted.guarantee_.holds, name
        assert fitted.predict(np.empty((0, 2))).shape == (0,), name


def test_records_without_a_class_are_left_out_in_any_form(tmp_path):
    draw = np.random.default_rng(1)
    X, y = draw.random((400, 2)), np.where(np.arange(400) % 4 == 0, np.nan, np.arange(400) % 2)
    for name, table in forms(X, y, tmp_path):
        counted = NaiveBayes(schema=NUMBERS, epsilon=1e6).fit(*table)
        assert counted.class_count_.round().tolist() == [100, 200], name
    strict = Schema(NUMBERS.columns, "y", missing="error")
    for _, table in forms(X, y, tmp_path):
        with pytest.raises(DataError, match="missing"):
            NaiveBayes(schema=strict).fit(*table)


def test_a_regression_leaves_out_records_without_a_number(tmp_path):
    draw = np.random.default_rng(1)
    X = draw.random((400, 2))
    y = np.where(np.arange(400) % 4 == 0, np.nan, X[:, 0])
    schema = Schema.of({"a": (0.0, 1.0), "b": (0.0, 1.0), "y": (0.0, 1.0)}, target="y")
    for name, table in forms(X, y, tmp_path):
        model = LinearRegression(schema=schema, epsilon=1e5).fit(*table)
        assert np.allclose(model.predict(X), X[:, 0], atol=0.05), name
