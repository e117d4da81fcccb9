"""Values that nobody listed: found if enough records have them, for an ε and a δ that add up."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import Ledger, NaiveBayes
from privet.budget import Approximate, Pure, budget, exact
from privet.curator import FindValues
from privet.curator.ask.question import Exact
from privet.errors import ParameterError, PrivetError, SchemaError
from privet.flow import Flow
from privet.learning.prepare import Domain
from privet.mechanisms.threshold import Threshold
from privet.model import model_from_dict, model_to_dict
from privet.randomness import seeded
from privet.schema import Category, Number, Schema, Unit, read_schema, write_schema
from privet.schema.columns import BOUGHT
from privet.schema.narrowing import require_narrowing
from privet.sources import as_source
from privet.stats.views import View

DRAW = np.random.default_rng(0)
WARDS = DRAW.choice(["north", "south", "east"], 4000, p=[0.5, 0.3, 0.2])
PEOPLE = pa.table(
    {
        "ward": [*WARDS[:-1], "the king's"],
        "age": DRAW.uniform(0, 100, 4000),
        "ill": np.where(DRAW.random(4000) < np.where(WARDS == "north", 0.9, 0.1), "yes", "no"),
    }
)
OPEN = Schema(
    (Category("ward", (), other="another"), Number("age", 0, 100), Category("ill", ("no", "yes"))),
    target="ill",
    dataset="people",
)


def test_frequent_values_are_named_and_a_lonely_one_is_not():
    fitted = Domain(epsilon=1.0, delta=1e-6, schema=OPEN, random_state=1).fit(PEOPLE)
    ward = fitted.schema_after(OPEN)["ward"]
    assert ward.labels == ("east", "north", "south", "another")
    assert ward.origin == BOUGHT
    assert fitted.schema_after(OPEN)["ill"] == OPEN["ill"], "the target is left alone"
    assert fitted.in_words() == "ward: east, north, south"
    [chart] = fitted.pictures()
    assert chart.labels == ("east", "north", "south")
    again = model_from_dict(model_to_dict(fitted))
    assert again.schema_after(OPEN) == fitted.schema_after(OPEN)


def test_numbers_that_name_wards_are_found_as_texts():
    table = pa.table({"ward": [1, 2, 2, None] * 200})
    schema = Schema((Category("ward", (1,), other="another"),))
    fitted = Domain(epsilon=1.0, delta=1e-6, schema=schema, random_state=1).fit(table)
    after = fitted.schema_after(schema)
    assert after["ward"].labels == ("1", "2", "another")
    again = Domain(epsilon=1.0, delta=1e-6, schema=after, random_state=1).fit(table)
    assert again.found_["ward"] == []
    assert "no value" in again.in_words()


def test_without_a_delta_nothing_is_paid():
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(1.0, 1e-5), unit=OPEN.unit, accountant="basic")
    with pytest.raises(ParameterError, match="a δ is needed"):
        Domain(epsilon=1.0, schema=OPEN, ledger=ledger).fit(PEOPLE)
    assert ledger.spent("people") is None


@pytest.mark.parametrize("unit", [Unit(), Unit("replace")])
def test_what_is_spent_is_what_is_claimed(unit):
    schema = Schema(OPEN.columns, target="ill", unit=unit, dataset="people")
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(1.0, 1e-5), unit=unit, accountant="basic")
    fitted = Domain(epsilon=0.7, delta=1e-6, schema=schema, ledger=ledger).fit(PEOPLE)
    claimed = Approximate(exact(0.7), exact(1e-6))
    assert fitted.guarantee_.amount == claimed
    assert [step.amount for step in fitted.guarantee_.steps] == [claimed]
    assert ledger.spent("people") == claimed


def test_lists_that_are_declared_become_shorter():
    schema = Schema.of({"ward": ["north", "south", "east", "west"]})
    fitted = Domain(epsilon=1.0, delta=1e-6, schema=schema, random_state=1)
    fitted.fit(pa.table({"ward": WARDS}))
    assert fitted.schema_after(schema)["ward"].labels == ("north", "south", "east", "other")
    promised = Domain(epsilon=1.0, delta=1e-6, schema=schema).rehearse()
    assert promised.amount == Pure(exact(1.0)), "a δ that is not needed is not taken"


def test_a_flow_buys_the_domain_that_its_model_uses():
    steps = {
        "people": {"do": "source", "data": "x"},
        "domain": {"do": "domain", "from": "people"},
        "model": {"do": "naive-bayes", "from": "domain"},
        "score": {"do": "evaluate", "from": ["model", "domain"], "measures": "confusion"},
    }
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(2.0, 1e-5), unit=OPEN.unit, accountant="basic")
    flow = Flow.from_dict({"epsilon": 2.0, "delta": 1e-6, "steps": steps})
    tables = {"people": (PEOPLE, OPEN)}
    plan = flow.plan(tables)
    assert plan.total == Approximate(exact(2.0), exact(1e-6))
    parts = [plan.amount_of(name) for name in ("domain", "model", "score")]
    assert sum((part.epsilon for part in parts), Fraction(0)) == 2
    assert [part.delta for part in parts] == [exact(1e-6), 0, 0]
    result = flow.run(tables, ledger=ledger)
    assert ledger.spent("people") == Approximate(exact(2.0), exact(1e-6))
    assert result.guarantee.amount == plan.total
    assert result["model"].schema_["ward"].origin == BOUGHT
    guessed = np.asarray(result["model"].predict(PEOPLE))
    assert np.mean(guessed == np.array(PEOPLE["ill"].to_pylist())) > 0.8

    with pytest.raises(PrivetError, match="a δ is needed"):
        Flow.from_dict({"epsilon": 2.0, "steps": steps}).plan(tables)
    fixed = {name: entry | ({} if name == "people" else {"epsilon": 0.5}) for name, entry in steps.items()}
    whole = Flow.from_dict({"allocation": "fixed", "delta": 1e-6, "steps": fixed}).plan(tables)
    assert whole.total == Approximate(exact(1.5), exact(1e-6))
    assert whole.amount_of("model") == Pure(exact(0.5))


def test_public_rows_tell_all_their_values():
    steps = {
        "people": {"do": "source", "data": "x", "public": True},
        "domain": {"do": "domain", "from": "people"},
    }
    found = Flow.from_dict({"epsilon": 1.0, "delta": 1e-6, "steps": steps}).run({"people": (PEOPLE, OPEN)})
    assert found["domain"].found_["ward"] == ["east", "north", "south", "the king's"]


def test_a_bought_domain_may_be_used_where_the_owner_left_it_open(tmp_path):
    bought = Domain(epsilon=1.0, delta=1e-6, schema=OPEN, random_state=1).fit(PEOPLE).schema_after(OPEN)
    write_schema(bought, tmp_path / "bought.schema.toml")
    bought = read_schema(tmp_path / "bought.schema.toml")
    require_narrowing(bought, OPEN)
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(2.0), unit=OPEN.unit)
    ledger.register_schema("people", OPEN)
    model = NaiveBayes(epsilon=1.0, schema=bought, ledger=ledger).fit(PEOPLE)
    assert ("domain of 'ward'", BOUGHT) in model.guarantee_.public
    for refuses in ({"outside": "refuse"}, {"missing": "error"}):
        strict = Schema(OPEN.columns, target="ill", dataset="people", **refuses)
        with pytest.raises(SchemaError, match="does not list"):
            require_narrowing(bought, strict)
    with pytest.raises(SchemaError, match="does not list"):
        require_narrowing(bought, Schema.of({"ward": ["a"], "age": (0, 100), "ill": ["no", "yes"]}))


CELLS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["a", "b", "c", None])), max_size=12)


@given(CELLS, st.sampled_from(["add_remove", "replace"]), st.integers(1, 2), st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_counts_of_neighbours_differ_by_no_more_than_the_mechanism_is_told(cells, relation, most, who):
    unit = Unit(relation, id="person", most=most)
    schema = Schema((Category("ward", (), other="another"),), unit=unit)
    question = FindValues(View(), "ward", Fraction(1, 100))
    told = question.mechanism(Pure(Fraction(1)), schema).sensitivity
    other = [row for row in cells if row[0] != who]
    if relation == "replace":
        other += [(who, "d")] * 3
    counts = [_counts(question, rows, schema) for rows in (cells, other)]
    apart = sum(abs(counts[0][value] - counts[1][value]) for value in {*counts[0], *counts[1]})
    assert apart <= told


def _counts(question: FindValues, rows: list, schema: Schema) -> Counter:
    people, wards = zip(*rows, strict=True) if rows else ((), ())
    table = pa.table(
        {"person": pa.array(map(str, people), pa.string()), "ward": pa.array(wards, pa.string())}
    )
    return question.counted(Exact((), as_source(table), schema, seeded(0)))


def test_the_probabilities_of_all_answers_add_up_to_one():
    threshold = Threshold(Fraction(1), Fraction(1, 100), 2)
    for count in (1, threshold.least, 40):
        counts = {"a": count}
        named = [threshold.log_probability(counts, {"a": n}) for n in range(threshold.least, 400)]
        total = sum(map(math.exp, [*named, threshold.log_probability(counts, {})]))
        assert total == pytest.approx(1.0, abs=1e-12)
    assert threshold.log_probability({}, {"a": 9}) == -math.inf
