"""Released models: plain JSON that comes back equal, and notices what was done to it."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pyarrow as pa
import pytest

from privet.checks.example import example, public
from privet.errors import ModelError
from privet.learning.classify import NaiveBayes
from privet.model import _digest, load_model, model_from_dict, model_to_dict, save_model
from privet.schema import Schema
from privet.signing import make_keys

TABLE = example()


def fitted(**more):
    return NaiveBayes(schema=public(), **more).fit(TABLE)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.json"
    save_model(fitted(), path)
    return path


@pytest.mark.parametrize("more", [{}, {"numeric": "gaussian"}, {"delta": 1e-6, "bins": 5}], ids=str)
def test_round_trip(tmp_path, more):
    model = fitted(**more)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(model.predict_log_proba(TABLE), loaded.predict_log_proba(TABLE))
    np.testing.assert_array_equal(model.predict(TABLE), loaded.predict(TABLE))
    assert loaded.guarantee_ == model.guarantee_
    assert loaded.schema_ == model.schema_
    kept = {"epsilon", "delta", "numeric", "bins", "allocation", "smoothing"}
    assert {n: v for n, v in loaded.get_params().items() if n in kept} == {
        n: v for n, v in model.get_params().items() if n in kept
    }
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]
    # Saving what was loaded gives the same document.
    save_model(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_the_file_is_plain_json_with_the_guarantee_inside(saved):
    document = json.loads(saved.read_text())
    assert document["algorithm"] == "naive-bayes"
    assert document["guarantee"]["holds"] is True
    assert document["guarantee"]["epsilon"] == 1.0
    assert not {"ledger", "random_state", "schema"} & set(document["parameters"])


def test_attributes_with_the_names_of_the_format(tmp_path):
    """Attributes may be called what the file calls the parts of an array."""
    schema = Schema.of({"array": (0, 1), "type": (0, 1), "shape": (0, 1), "ill": ["no", "yes"]}, target="ill")
    table = pa.table({"array": [0, 1], "type": [1, 0], "shape": [1, 1], "ill": ["no", "yes"]})
    model = NaiveBayes(schema=schema).fit(table)
    save_model(model, tmp_path / "model.json")
    np.testing.assert_array_equal(
        load_model(tmp_path / "model.json").predict_proba(table), model.predict_proba(table)
    )


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [0.5, 1.5], ["ü", '"']], ids=str)
def test_classes_of_every_kind(tmp_path, labels):
    schema = Schema.of({"x": (0.0, 1.0), "y": labels}, target="y")
    X, y = np.array([[0.1], [0.9]]), np.array(labels)
    model = NaiveBayes(schema=schema, epsilon=1000.0).fit(X, y)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.classes_.dtype.kind == y.dtype.kind
    np.testing.assert_array_equal(loaded.predict(X), y)


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from leaves(item, (*path, place))
    else:
        yield path, value


def test_every_altered_value_is_noticed(saved):
    document = json.loads(saved.read_text())
    for path, value in leaves(document):
        altered = copy.deepcopy(document)
        place = altered
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = (
            not value
            if isinstance(value, bool)
            else np.nextafter(value, 10)
            if isinstance(value, float)
            else f"{value}x"
        )
        saved.write_text(json.dumps(altered))
        with pytest.raises(ModelError):
            load_model(saved)


def test_flipped_bytes_of_the_learned_part_are_noticed(saved):
    """Digits that no float can tell apart do not count: then the model is the same."""
    text = saved.read_bytes()
    original = json.loads(text)
    start = text.index(b'"learned"')
    stop = text.index(b'"digest"')
    for place in range(start, stop, 5):  # all of them, one by one, would take half a minute
        altered = bytearray(text)
        altered[place] ^= 1
        try:
            same = json.loads(bytes(altered)) == original
        except ValueError:
            same = False
        if not same:
            saved.write_bytes(bytes(altered))
            with pytest.raises(ModelError):
                load_model(saved)


def test_removed_and_added_parts_are_noticed(saved):
    document = json.loads(saved.read_text())
    for key in document:
        saved.write_text(json.dumps({k: v for k, v in document.items() if k != key}))
        with pytest.raises(ModelError):
            load_model(saved)
    saved.write_text(json.dumps(document | {"more": 1}))
    with pytest.raises(ModelError, match="altered"):
        load_model(saved)


MALFORMED = {
    "algorithm": {"algorithm": "none"},
    "no text": {"algorithm": 3},
    "parameters": {"parameters": {"colour": 1}},
    "bad parameter": {"parameters": {"bins": "many"}},
    "parameter list": {"parameters": []},
    "learned": {"learned": {"predict": 1}},
    "private": {"learned": {"__class__": 1}},
    "learned list": {"learned": []},
    "shape": {"learned": {"classes_": {"array": [1, 2], "type": "<i8", "shape": [3]}}},
    "type": {"learned": {"classes_": {"array": [1, 2], "type": "nonsense", "shape": [2]}}},
    "objects": {"learned": {"classes_": {"array": [1, 2], "type": "|O", "shape": [2]}}},
    "text in numbers": {"learned": {"classes_": {"array": ["x"], "type": "<f8", "shape": [1]}}},
    "schema": {"schema": {"columns": {}}},
    "schema text": {"schema": "x"},
    "guarantee": {"guarantee": {}},
    "amount": {"guarantee": {"amount": {"kind": "pure", "epsilon": "x"}}},
    "division": {"guarantee": {"amount": {"kind": "pure", "epsilon": "1/0"}}},
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED)
def test_malformed_models_with_a_right_digest(saved, change):
    document = {k: v for k, v in json.loads(saved.read_text()).items() if k != "digest"} | change
    with pytest.raises(ModelError):
        model_from_dict(copy.deepcopy(document))
    saved.write_text(json.dumps(document | {"digest": _digest(document)}))
    with pytest.raises(ModelError):
        load_model(saved)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x",
        b"[]",
        b"3",
        b'"privet_model"',
        b"{}",
        b'{"privet_model": 2}',
        b"\xff",
        b"[" * 100_000,
        b"\x80\x04.",
    ],
    ids=str,
)
def test_files_that_are_no_models(tmp_path, content):
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(ModelError):
        load_model(tmp_path / "model.json")


def test_files_that_are_not_there(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(ModelError):
            load_model(path)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_not_a_finite_number_is_refused(saved, number):
    document = {k: v for k, v in json.loads(saved.read_text()).items() if k != "digest"}
    document["learned"]["class_count_"]["array"][0] = float(number)
    saved.write_text(
        json.dumps(document | {"digest": _digest(document)}).replace("Infinity", number.lstrip("-"))
    )
    with pytest.raises(ModelError):
        load_model(saved)


def test_nothing_else_than_plain_values_is_saved(tmp_path):
    model = fitted()
    for value in (math.nan, math.inf, np.array([np.nan]), object(), {1, 2}):
        model.odd_ = value
        with pytest.raises(ModelError):
            save_model(model, tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()
    with pytest.raises(ModelError, match="learned nothing yet"):
        save_model(NaiveBayes(schema=public()), tmp_path / "model.json")


def test_no_pickle_is_read(tmp_path, monkeypatch):
    import pickle

    def refuse(*args, **more):
        raise AssertionError("pickle")

    save_model(fitted(), tmp_path / "model.json")
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    load_model(tmp_path / "model.json")


# Signatures


@pytest.fixture
def keys(tmp_path):
    return make_keys(tmp_path / "owner")


def test_signed_models(tmp_path, keys):
    private, public_key = keys
    path = tmp_path / "model.json"
    save_model(fitted(), path, key=private)
    load_model(path, key=public_key)
    load_model(path)
    _, stranger = make_keys(tmp_path / "stranger")
    with pytest.raises(ModelError, match="signature does not belong"):
        load_model(path, key=stranger)


def test_an_altered_model_with_a_new_digest_fails_the_signature(tmp_path, keys):
    private, public_key = keys
    path = tmp_path / "model.json"
    document = save_model(fitted(), path, key=private)
    signature = document.pop("signature")
    document.pop("digest")
    document["guarantee"]["epsilon"] = 0.001
    document["digest"] = _digest(document)
    path.write_text(json.dumps(document | {"signature": signature}))
    load_model(path)
    with pytest.raises(ModelError, match="signature"):
        load_model(path, key=public_key)


@pytest.mark.parametrize("signature", [None, 3, "", "zz", "00" * 64, ["x"]], ids=str)
def test_bad_signatures(tmp_path, keys, signature):
    path = tmp_path / "model.json"
    document = save_model(fitted(), path, key=keys[0])
    path.write_text(json.dumps(document | {"signature": signature}))
    with pytest.raises(ModelError):
        load_model(path, key=keys[1])


def test_unsigned_models_and_missing_keys(tmp_path, saved, keys):
    private, public_key = keys
    with pytest.raises(ModelError, match="not signed"):
        load_model(saved, key=public_key)
    with pytest.raises(ModelError, match="no key file"):
        save_model(fitted(), tmp_path / "other.json", key=tmp_path / "none")
    with pytest.raises(ModelError, match="right kind"):
        save_model(fitted(), tmp_path / "other.json", key=public_key)
    assert not (tmp_path / "other.json").exists()
    save_model(fitted(), tmp_path / "other.json", key=private)
    with pytest.raises(ModelError, match="right kind"):
        load_model(tmp_path / "other.json", key=private)


def test_keys_are_private_and_never_replaced(keys, tmp_path):
    assert keys[0].stat().st_mode & 0o777 == 0o600
    with pytest.raises(ModelError, match="never replaced"):
        make_keys(tmp_path / "owner")


def test_plain_data_both_ways():
    model = fitted(numeric="gaussian")
    again = model_from_dict(json.loads(json.dumps(model_to_dict(model))))
    np.testing.assert_array_equal(model.predict_proba(TABLE), again.predict_proba(TABLE))
