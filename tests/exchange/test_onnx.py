"""onnxruntime gives the same predictions as Privet, for every model that leaves it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pyarrow as pa
import pytest

from privet import NaiveBayes, Schema
from privet.errors import ModelError
from privet.exchange import to_onnx, to_pmml
from privet.learning.cluster import KMeans
from privet.model import model_from_dict, released_document
from tests.exchange.examples import MODELS, model, records

SIZE = 2000


def fed(session: Any, table: dict[str, list[Any]]) -> dict[str, Any]:
    """The records as the page says that they are handed over."""
    kinds = {
        "tensor(double)": lambda values: np.array([np.nan if v is None else v for v in values], np.float64),
        "tensor(string)": lambda values: np.array(["" if v is None else str(v) for v in values], object),
        "tensor(int64)": lambda values: np.array([-1 if v is None else v for v in values], np.int64),
    }
    return {each.name: kinds[each.type](table[each.name])[:, None] for each in session.get_inputs()}


def run(data: bytes, table: dict[str, list[Any]]) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, fed(session, table)), strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_the_runtime_predicts_the_same(name):
    made, table = model(name), records(SIZE, 7)
    found = run(to_onnx(made), table)
    ours = made.predict(pa.table(table))
    assert len(np.unique(ours)) > 1  # the records tell something
    if not hasattr(made, "classes_"):
        assert set(found) == {"prediction"}
        np.testing.assert_allclose(found["prediction"][:, 0], ours, rtol=1e-12, atol=1e-12)
        return
    assert found["label"].tolist() == ours.tolist()
    np.testing.assert_allclose(
        found["probabilities"], made.predict_proba(pa.table(table)), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_was_saved_gives_the_same_bytes(name):
    made = model(name)
    document = json.loads(json.dumps(released_document(made)))
    document.pop("digest")
    again = model_from_dict(document)
    assert to_onnx(again) == to_onnx(made) == to_onnx(made)
    assert to_pmml(again) == to_pmml(made) == to_pmml(made)


def test_the_examples_have_pairs_rules_and_branches():
    assert any(len(shape["columns"]) == 2 for shape in model("additive model").shapes_)
    assert any(len(shape["columns"]) == 2 for shape in model("additive regressor").shapes_)
    assert len(model("rules").rules.rules) > 2
    assert len(model("decision tree").nodes_) > 5


def test_the_guarantee_travels():
    made = model("naive Bayes")
    read = onnx.load_from_string(to_onnx(made))
    metadata = {each.key: each.value for each in read.metadata_props}
    assert json.loads(metadata["privet_guarantee_json"]) == json.loads(json.dumps(made.guarantee_.to_dict()))
    assert metadata["privet_guarantee"] == read.doc_string == made.guarantee_.headline
    assert "NONE" in read.doc_string  # the examples draw their noise from a seed
    assert metadata["privet_digest"] == released_document(made)["digest"]


def test_a_model_that_holds_says_so():
    schema = Schema.of({"label": (0, 10), "ill": ["no", "yes"]}, target="ill")
    table = pa.table({"label": [1.0, 9.0] * 200, "ill": ["no", "yes"] * 200})
    made = NaiveBayes(epsilon=2.0, schema=schema).fit(table)
    read = onnx.load_from_string(to_onnx(made))
    assert read.doc_string.startswith("Guarantee: differential privacy with")
    # The column took the output's name.
    assert [each.name for each in read.graph.output] == ["label_", "probabilities"]
    cells = {"label": [1.0, 9.0, None]}
    assert run(to_onnx(made), cells)["label_"].tolist() == made.predict(pa.table(cells)).tolist()


def test_what_has_no_place_in_the_formats_is_refused_with_the_reason():
    with pytest.raises(ModelError, match="learned nothing"):
        to_onnx(NaiveBayes())
    schema = Schema.of({"x": (0.0, 1.0), "y": (0.0, 1.0)})
    clusters = KMeans(epsilon=5.0, schema=schema, random_state=0).fit(
        np.random.default_rng(0).random((200, 2))
    )
    for write in (to_onnx, to_pmml):
        with pytest.raises(ModelError, match="neither a class nor a number") as refused:
            write(clusters)
        assert "naive-bayes" in str(refused.value)


def test_a_model_that_reads_nothing_still_answers_for_each_record():
    schema = Schema.of({"town": ["here"], "ill": ["no", "yes"]}, target="ill")
    table = pa.table({"town": ["here"] * 100, "ill": ["no"] * 90 + ["yes"] * 10})
    made = NaiveBayes(epsilon=5.0, schema=schema, random_state=0).fit(table)
    assert run(to_onnx(made), {"town": ["here", None, "there"]})["label"].tolist() == ["no"] * 3
