"""Map and reduce: one unit changes one slot, functions that misbehave, and a planted wrong version."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.audit import audit
from privet.budget import Ledger, budget
from privet.curator.ask import mapped
from privet.errors import BudgetExceeded, ParameterError
from privet.isolation import units
from privet.isolation.units import slots_of
from privet.learning.map_reduce import MapReduce
from privet.randomness import secure
from privet.schema import Schema, Unit
from privet.sources import as_source
from tests.audit.planted.test_sample_aggregate import Called

AGES = Schema.of({"age": (0.0, 100.0)}, dataset="patients")
PEOPLE = Schema.of({"age": (0.0, 100.0)}, unit=Unit(id="person", most=2))


class Given:
    """A source of randomness whose draws are given: first the units' keys, then the slots'."""

    def __init__(self, keys, places):
        self.draws = [list(keys), list(places)]

    def uniform_indices(self, size, bound):
        drawn = self.draws.pop(0)
        assert len(drawn) == size
        return np.array(drawn, np.int64)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([1.0, 2.0, 3.0]), max_size=6, unique_by=id),
    st.integers(1, 8),
    st.randoms(use_true_random=False),
    st.sampled_from(["add_remove", "replace"]),
)
def test_one_unit_changes_one_slot(ages, slots, random, relation):
    """The coupling of the proof, draw by draw: shared units keep their keys, and slots their order."""
    keys = random.sample(range(100), len(ages) + 1)
    order = random.sample(range(100), slots)
    one = [*ages, 50.0] if relation == "replace" else ages
    two = [*ages, 99.0]
    found = []
    for table in (one, two):
        source = as_source(pa.table({"age": pa.array(table, pa.float64())}))
        given_ = Given(keys[: len(table)], order) if table else secure()
        found.append([t["age"].to_pylist() for t in slots_of(source, AGES, slots, given_)])
    # Slots are dealt to kept units in the order of their keys; who is pushed out makes room for who comes.
    contents = [sorted(map(str, each)) for each in found]
    gone, come = list(contents[0]), list(contents[1])
    for each in contents[0]:
        if each in come:
            come.remove(each)
            gone.remove(each)
    assert len(gone) <= 1
    assert len(come) <= 1


def test_people_get_one_slot_with_at_most_their_records():
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0, 5.0], "person": ["a", "b", "a", "a", None]})
    tables = slots_of(as_source(frame), PEOPLE, 10, secure())
    held = sorted(t["age"].to_pylist() for t in tables if t.num_rows)
    assert held == [[1.0, 3.0], [2.0]]  # a record without a name is nobody's, and left out


def old(person):
    return float(person["age"].iloc[0] > 50)


def test_the_reducers_release_what_they_say():
    frame = pd.DataFrame({"age": [20.0] * 30 + [80.0] * 10})
    common = {"low": 0.0, "high": 100.0, "units": 64, "epsilon": 1e5, "schema": AGES}
    age = lambda person: person["age"].iloc[0]  # noqa: E731
    total = MapReduce(old, low=0, high=1, units=64, epsilon=1e5, schema=AGES).fit(frame)
    assert total.value_ == pytest.approx([10], abs=0.01)
    assert MapReduce(age, reducer="mean", **common).fit(frame).value_ == pytest.approx([35], abs=0.01)
    histogram = MapReduce(age, reducer="histogram", bins=4, **common).fit(frame)
    assert histogram.counts_ == [[30, 0, 0, 10]]
    assert histogram.pictures()[0].table()[1][0][0] == "0 to 25"
    assert 15 < MapReduce(age, reducer="quantile", **common).fit(frame).value_[0] < 25


def test_more_units_than_slots_are_a_random_choice():
    frame = pd.DataFrame({"age": [80.0] * 50})
    found = MapReduce(old, low=0, high=1, units=20, epsilon=1e5, schema=AGES).fit(frame)
    assert found.value_ == pytest.approx([20], abs=0.01)


def test_a_function_that_fails_or_lies_stays_within_its_range():
    def wild(person):
        age = person["age"].iloc[0]
        return 1e9 if age > 90 else {}[age] if age > 80 else float("nan") if age > 70 else 0.0

    frame = pd.DataFrame({"age": [95.0, 85.0, 75.0, 5.0]})
    found = MapReduce(wild, low=0, high=1, units=8, epsilon=1e6, schema=AGES).fit(frame)
    assert found.value_ == pytest.approx([1 + 0.5 + 0.5 + 0], abs=1e-3)


def test_it_remembers_nobody():
    """What a mapper keeps from one unit is gone at the next."""

    def remembers(person):
        import builtins

        builtins.seen = getattr(builtins, "seen", 0) + 1
        return builtins.seen

    frame = pd.DataFrame({"age": [50.0] * 12})
    found = MapReduce(remembers, low=0, high=100, units=16, epsilon=1e6, schema=AGES).fit(frame)
    assert found.value_ == pytest.approx([12], abs=0.01)


def test_it_is_paid_for_once_and_refused_before_that():
    ledger = Ledger.in_memory()
    ledger.open_account("patients", budget(1.0), unit=Unit())
    frame = pd.DataFrame({"age": [50.0] * 12})
    common = {"low": 0, "high": 1, "units": 16, "schema": AGES, "ledger": ledger}
    with pytest.raises(ParameterError, match="low must be below"):
        MapReduce(old, low=1, high=0, schema=AGES, ledger=ledger).fit(frame)
    with pytest.raises(ParameterError, match="made-up records"):
        MapReduce(lambda person: person["nothing"], **common).fit(frame)
    assert ledger.spent("patients") is None
    MapReduce(old, epsilon=0.75, **common).fit(frame)
    assert float(ledger.spent("patients").epsilon) == 0.75
    with pytest.raises(BudgetExceeded):
        MapReduce(old, epsilon=0.5, **common).fit(frame)


def extreme(person):
    return float(person["age"].to_numpy().max() > 50)


def reduced(table):
    return MapReduce(extreme, low=-1, high=1, units=8, epsilon=1.0, schema=AGES).fit(table).value_[0]


def test_the_whole_passes_its_audit_and_too_little_noise_does_not(monkeypatch):
    # Thousands of processes would take hours; that a cell sees its unit alone is tested in tests/isolation.
    monkeypatch.setattr(units, "Isolated", Called)
    few = {"schema": AGES, "epsilon": 1.0, "runs": 1600, "search_runs": 16, "confidence": 1 - 1e-8}
    assert not audit(reduced, **(few | {"runs": 400})).violated
    wrong = mapped.noise_for

    def too_little(amount, l1, squared_l2):
        return wrong(amount, max(l1 // 16, 1), squared_l2)

    monkeypatch.setattr(mapped, "noise_for", too_little)
    assert audit(reduced, **few).violated


def test_the_sensitivity_is_that_of_a_row_that_changes():
    question = mapped.Mapped(
        old, (0.0,), (1.0,), MapReduce(old, 0, 1)._reducers(["output_1"], *np.array([[0.0], [1.0]])), 8, 1.0
    )
    [reducer] = question.reducers
    assert question.schema.unit == Unit("replace")
    added = reducer.sensitivity(replace(question.schema, unit=Unit())).l1
    assert reducer.sensitivity(question.schema).l1 == 2 * added
