"""Model inversion: it finds what is there, tells learning from memorising, and says what it cannot do."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression as NonPrivate

from privet.audit.inversion.attack import audit_inversion, non_private_model
from privet.audit.inversion.report import OTHERS, TRAINING, Estimate
from privet.errors import DataError, ParameterError, SchemaError
from privet.learning.classify import LogisticRegression, NaiveBayes
from privet.schema import Schema

SCHEMA = Schema.of(
    {"gene": ["no", "yes"], "age": (0, 100), "ward": list("abcdefgh"), "ill": ["no", "yes"]}, target="ill"
)


def people(size: int, effect: float = 0.8, seed: int = 0) -> pa.Table:
    """The gene makes ill with this probability, and its absence with the rest; all else is noise."""
    draw = np.random.default_rng(seed)
    gene = draw.choice(["no", "yes"], size)
    ill = np.where(draw.random(size) < np.where(gene == "yes", effect, 1 - effect), "yes", "no")
    age = draw.integers(0, 101, size)
    return pa.table({"gene": gene, "age": age, "ward": draw.choice(list("abcdefgh"), size), "ill": ill})


@pytest.fixture(scope="module")
def found():
    table, others = people(3000), people(4000, seed=1)
    models = {
        "private": LogisticRegression(epsilon=1.0, schema=SCHEMA, records=3000, random_state=0).fit(table),
        "logistic": non_private_model(table, SCHEMA),
        "tree": non_private_model(table, SCHEMA, "tree", 0),
    }
    return audit_inversion(models, table, others=others, attribute="gene", random_state=0)


def attempt(found, model, group):
    return next(each for each in found.attempts if (each.model, each.group) == (model, group))


def test_what_is_true_of_people_in_general_is_found_for_everybody(found):
    """The best guess is right with probability 0.8, whoever makes it."""
    for model in ("private", "logistic"):
        for group in (TRAINING, OTHERS):
            each = attempt(found, model, group)
            assert each.accuracy.low < 0.8 < each.accuracy.high + 0.01
            assert each.over_base_rate.low > 0.2
            assert each.over_without_model.value == pytest.approx(0, abs=0.03)


def test_a_model_that_memorises_is_told_from_those_that_learn(found):
    assert found.memorised["tree"].low > 0.01
    for model in ("private", "logistic"):
        assert found.memorised[model].low < 0 < found.memorised[model].high
    sentences = dict(zip(("private", "logistic", "tree"), found.verdict, strict=True))
    assert "part of it is due" in sentences["tree"]
    assert "no part" in sentences["private"]


def test_report_in_all_forms(found):
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["private"] is False
    assert len(plain["attempts"]) == 6
    assert "not private" in found.text()
    html = found.page().html()
    assert "not private" in html
    assert html.count("<svg") == 1


def test_nothing_to_find():
    table, others = people(1000, effect=0.5), people(2000, effect=0.5, seed=1)
    model = LogisticRegression(epsilon=1.0, schema=SCHEMA, random_state=0).fit(table)
    found = audit_inversion(model, table, others=others, attribute="gene", random_state=0)
    assert all(each.over_base_rate.low < 0.06 for each in found.attempts)
    assert found.memorised["the model"].low < 0.02


def test_a_number_is_guessed_by_its_part():
    draw = np.random.default_rng(0)
    age = draw.uniform(0, 100, 2000)
    ill = np.where(age > 50, "yes", "no")
    schema = Schema.of({"age": (0.0, 100.0), "ill": ["no", "yes"]}, target="ill")
    model = NaiveBayes(epsilon=5.0, schema=schema, random_state=0).fit(age[:, None], ill)
    found = audit_inversion(
        model,
        pa.table({"age": age, "ill": ill}),
        others=pa.table({"age": age, "ill": ill}),
        attribute="age",
        bins=2,
    )
    assert found.values == 2
    assert found.attempts[0].accuracy.value > 0.95


def test_any_scikit_learn_model_will_do():
    table = people(800)
    frame = table.to_pandas()
    frame["gene"] = (frame["gene"] == "yes").astype(int)
    schema = Schema.of({"gene": [0, 1], "age": (0, 100), "ill": ["no", "yes"]}, target="ill")
    by_name = NonPrivate(max_iter=500).fit(frame[["gene", "age"]], frame["ill"])
    by_place = NonPrivate(max_iter=500).fit(frame[["gene", "age"]].to_numpy(), frame["ill"])
    models = {"by name": by_name, "by place": by_place}
    found = audit_inversion(models, frame, attribute="gene", schema=schema)
    assert [each.accuracy.value > 0.7 for each in found.attempts] == [True, True]
    assert found.memorised == {}
    assert "cannot be known without others" in found.text()


def test_missing_values_and_unknown_ones_are_left_out():
    table = people(400)
    gene = [None if place % 4 == 0 else "unheard of" if place % 4 == 1 else value
            for place, value in enumerate(table["gene"].to_pylist())]  # fmt: skip
    holes = table.set_column(0, "gene", pa.array(gene))
    model = LogisticRegression(epsilon=1.0, schema=SCHEMA, random_state=0).fit(table)
    assert audit_inversion(model, holes, attribute="gene").attempts[0].records == 200


def test_bad_input_is_refused_in_words():
    table = people(100)
    model = LogisticRegression(epsilon=1.0, schema=SCHEMA, random_state=0).fit(table)
    with pytest.raises(ParameterError, match="is the class"):
        audit_inversion(model, table, attribute="ill")
    with pytest.raises(ParameterError, match="no attribute 'colour'"):
        audit_inversion(model, table, attribute="colour")
    with pytest.raises(ParameterError, match="no fitted classifier"):
        audit_inversion(NonPrivate(), table, attribute="gene", schema=SCHEMA)
    with pytest.raises(ParameterError, match="public"):
        audit_inversion(NonPrivate(), table, attribute="gene")
    with pytest.raises(ParameterError, match="no model"):
        audit_inversion({}, table, attribute="gene")
    with pytest.raises(ParameterError, match="at least 30"):
        audit_inversion(model, table, attribute="gene", records=3)
    with pytest.raises(DataError, match="Fewer than 30"):
        audit_inversion(model, table.slice(0, 20), attribute="gene")
    with pytest.raises(DataError, match="no column 'ward'"):
        audit_inversion(model, table.drop_columns(["ward"]), attribute="gene")
    with pytest.raises(DataError, match="same class"):
        non_private_model(table.filter(pa.compute.equal(table["ill"], "no")), SCHEMA)
    with pytest.raises((ParameterError, SchemaError)):
        audit_inversion(model, table, attribute="gene", schema=Schema.of({"gene": ["no", "yes"]}))


def test_intervals_cover():
    draw = np.random.default_rng(0)
    inside = 0
    for _ in range(400):
        one, other = (draw.random(size) < 0.3 for size in (300, 200))
        estimate = Estimate.of(one.astype(float), 0.9, minus=other.astype(float))
        inside += estimate.low < 0 < estimate.high
    assert 0.85 < inside / 400 <= 1.0
    assert Estimate.of(np.zeros(100), 0.95).high > 0
