"""What every perturbation of numbers keeps to: scikit-learn's contract, the key's, the guarantee's."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from privet.errors import DataError, ModelError, ParameterError, SchemaError
from privet.parameters import parameters_of
from privet.perturbation import AdditiveNoise, Condensation, Geometric, Key, Projection, Rotation
from privet.perturbation.base import Perturbation
from privet.registry import algorithms_with
from privet.schema import write_schema

METHODS = {
    entry.name: cls for entry in algorithms_with("perturb") if issubclass(cls := entry.load(), Perturbation)
}
ALL = [pytest.param(cls, id=name) for name, cls in METHODS.items()]
COLUMNS = ["x0", "x1", "x2", "x3"]
MIXING = [Rotation, Projection, Geometric]


@pytest.mark.parametrize("cls", ALL)
def test_the_constructor_only_stores_and_clones(cls, schema):
    given = {parameter.name: object() for parameter in parameters_of(cls)}
    model = cls(**given)
    assert all(getattr(model, name) is value for name, value in given.items())
    assert set(vars(model)) == set(given)
    assert all(parameter.help for parameter in parameters_of(cls))
    twin = clone(cls(schema=schema, columns=["x1"]))
    assert twin.columns == ["x1"]
    assert not hasattr(twin, "key_")


@pytest.mark.parametrize("cls", ALL)
def test_other_columns_pass_and_the_kind_of_table_stays(cls, schema, frame):
    for table in (frame, pa.Table.from_pandas(frame)):
        model = cls(schema=schema).fit(table)
        found = model.transform(table)
        assert type(found) is type(table)
        for name in ("town", "ill"):
            assert list(np.asarray(found[name])) == list(np.asarray(table[name]))
        chosen = [name for name in model.get_feature_names_out() if name not in ("town", "ill")]
        perturbed = np.column_stack([np.asarray(found[name], dtype=float) for name in chosen])
        assert np.isfinite(perturbed).all()
        if cls is not Projection:
            assert not np.isclose(perturbed, frame[COLUMNS].to_numpy()).any(axis=1).all()


@pytest.mark.parametrize("cls", ALL)
def test_only_the_chosen_columns_change(cls, schema, frame):
    found = cls(schema=schema, columns=["x2", "x0"]).fit_transform(frame)
    np.testing.assert_array_equal(found["x1"], frame["x1"])
    np.testing.assert_array_equal(found["x3"], frame["x3"])


@pytest.mark.parametrize("cls", ALL)
def test_set_output_and_pipelines(cls, schema, frame):
    model = cls(schema=schema).set_output(transform="pandas")
    found = model.fit_transform(frame)
    assert list(found.columns) == list(model.get_feature_names_out())
    assert list(found.index) == list(frame.index)
    numbers_only = cls(schema=schema, columns=COLUMNS)
    pipe = make_pipeline(numbers_only, GaussianNB()).fit(frame[COLUMNS], frame["ill"])
    assert len(pipe.predict(frame[COLUMNS])) == len(frame)


@pytest.mark.parametrize("cls", ALL)
def test_the_guarantee_says_none_first(cls, schema, frame):
    guarantee = cls(schema=schema).fit(frame).guarantee_
    assert not guarantee.holds
    assert guarantee.text().splitlines()[0].startswith("Guarantee: NONE.")
    assert "measured" in guarantee.text()
    assert "town, ill" in guarantee.text()
    assert guarantee.to_dict()["epsilon"] is None


@pytest.mark.parametrize("cls", ALL)
def test_a_key_is_a_private_file_and_perturbs_consistently(cls, schema, frame, tmp_path):
    first = cls(schema=schema, random_state=3).fit(frame)
    path = tmp_path / "key.json"
    first.key_.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    again = cls(schema=schema, key=path, random_state=3).fit(frame)
    assert again.key_ == first.key_
    if cls in (Rotation, Projection):
        np.testing.assert_array_equal(first.transform(frame).iloc[:, -1], again.transform(frame).iloc[:, -1])
    with pytest.raises(ModelError, match="never replaced"):
        first.key_.save(path)


@pytest.mark.parametrize("cls", MIXING)
def test_the_key_is_nowhere_in_what_comes_out(cls, schema, frame):
    model = cls(schema=schema).fit(frame)
    secret = repr(np.ravel(next(iter(model.key_.values.values())))[0])
    assert secret not in repr(model.key_) + repr(model) + model.guarantee_.text()
    assert repr(model.key_) not in model.guarantee_.text()
    model.forget_key()
    assert secret.encode() not in pickle.dumps(model)
    with pytest.raises(ParameterError, match="thrown away"):
        model.transform(frame)


@pytest.mark.parametrize("cls", ALL)
def test_a_key_for_something_else_is_refused(cls, schema, frame, tmp_path):
    key = cls(schema=schema, columns=["x0", "x1"]).fit(frame).key_
    with pytest.raises(ModelError, match="for 2 columns, and 4"):
        cls(schema=schema, key=key).fit(frame)
    with pytest.raises(ModelError, match="other columns"):
        cls(schema=schema, key=key, columns=["x0", "x2"]).fit(frame)
    other = next(method for method in METHODS.values() if method is not cls)
    with pytest.raises(ModelError, match="was made by"):
        other(schema=schema, key=key, columns=["x0", "x1"]).fit(frame)
    moved = Key(key.method, key.columns, (-99.0, -99.0), key.high, key.values)
    with pytest.raises(ModelError, match="bounds"):
        cls(schema=schema, key=moved, columns=["x0", "x1"]).fit(frame)
    (tmp_path / "bad.json").write_text('{"format": 1')
    with pytest.raises(ModelError, match="not a whole"):
        cls(schema=schema, key=tmp_path / "bad.json").fit(frame)
    with pytest.raises(ModelError, match="no key file"):
        cls(schema=schema, key=tmp_path / "absent.json").fit(frame)


@pytest.mark.parametrize("cls", ALL)
def test_bad_values_are_refused_without_quoting_them(cls, schema, frame):
    cases = {
        "not a number": frame.assign(x1="secret"),
        "missing": frame.assign(x1=np.where(np.arange(len(frame)) == 3, np.nan, frame["x1"])),
        "infinite": frame.assign(x1=np.where(np.arange(len(frame)) == 3, np.inf, frame["x1"])),
    }
    for words, table in cases.items():
        with pytest.raises(DataError, match=words) as caught:
            cls(schema=schema).fit_transform(table)
        assert "'x1'" in str(caught.value)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("cls", ALL)
def test_missing_values_as_asked_for(cls, schema, frame):
    table = frame.copy()
    table.loc[3, "x1"] = np.nan
    middle = cls(schema=schema, missing="middle").fit_transform(table)
    assert middle.drop(columns=["town", "ill"]).notna().all().all()
    kept = cls(schema=schema, missing="keep").fit_transform(table).drop(columns=["town", "ill"])
    assert kept.loc[3].isna().all() if cls is not AdditiveNoise else kept.loc[3].isna().sum() == 1
    assert kept.drop(index=3).notna().all().all()


@pytest.mark.parametrize("cls", ALL)
def test_constant_columns_and_values_beyond_the_bounds(cls, schema, frame):
    table = frame.assign(x1=1.0)
    released = cls(schema=schema).fit_transform(table).drop(columns=["town", "ill"])
    assert np.isfinite(released.to_numpy()).all()
    if cls in (Rotation, Projection):
        model = cls(schema=schema).fit(frame)
        far, edge = frame.assign(x1=1e9), frame.assign(x1=12.0)
        np.testing.assert_array_equal(model.transform(far).iloc[:, -1], model.transform(edge).iloc[:, -1])


def test_schemas_columns_and_widths(schema, frame, tmp_path, numbers):
    write_schema(schema, tmp_path / "s.toml")
    assert Rotation(schema=tmp_path / "s.toml").fit(frame).columns_ == tuple(COLUMNS)
    with pytest.raises(SchemaError, match="needs a schema"):
        Rotation().fit(frame)
    with pytest.raises(SchemaError, match="is a category"):
        Rotation(schema=schema, columns=["town"]).fit(frame)
    with pytest.raises(DataError, match="no column 'x9'"):
        Rotation(schema=schema, columns=["x9"]).fit(frame)
    with pytest.raises(ParameterError, match="twice"):
        Rotation(schema=schema, columns=["x1", "x1"]).fit(frame)
    with pytest.raises(SchemaError, match="4 columns"):
        Rotation(schema=schema).fit(numbers)
    with pytest.raises(DataError, match="no column 'x3'"):
        Rotation(schema=schema).fit(frame).transform(frame.drop(columns="x3"))


@pytest.mark.parametrize("cls", ALL)
def test_one_record_at_a_time_is_the_same_transformation(cls, schema, frame):
    model = cls(schema=schema, random_state=2).fit(frame)
    record = frame.iloc[0].to_dict()
    found = model.transform_one(record)
    assert set(found) == set(model.get_feature_names_out())
    assert (found["town"], found["ill"]) == (record["town"], record["ill"])
    if cls in (Rotation, Projection):
        whole = model.transform(frame).iloc[0]
        assert all(np.isclose(found[name], whole[name]) for name in found if name not in ("town", "ill"))
    with pytest.raises(DataError, match="not a number"):
        model.transform_one({**record, "x1": "secret"})
    with pytest.raises(DataError, match="missing"):
        model.transform_one({**record, "x1": None})
    with pytest.raises(DataError):
        model.transform_one({"x0": 1.0})


def test_geometric_and_rotation_are_undone_by_their_owner(schema, frame):
    for model, off in ((Rotation(schema=schema), 1e-9), (Geometric(schema=schema, noise=0.01), 0.8)):
        back = model.fit(frame).inverse_transform(model.transform(frame))
        assert np.abs(back[COLUMNS] - frame[COLUMNS]).to_numpy().max() < off
    for cls in (Projection, AdditiveNoise, Condensation):
        fitted = cls(schema=schema).fit(frame)
        with pytest.raises(ParameterError, match="cannot be undone"):
            fitted.inverse_transform(frame)
