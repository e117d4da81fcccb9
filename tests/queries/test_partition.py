"""Parts of a table cost as much as the dearest, and only if they are parts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import Ledger
from privet.budget import budget
from privet.curator import Apart, Curator, Measure
from privet.engines.memory import MemoryEngine
from privet.errors import ParameterError
from privet.queries import partition, query
from privet.schema import Schema, Unit
from privet.sources import ArrowSource
from privet.stats import CrossTable
from privet.stats.views import Field, IsIn, View, Viewed

SCHEMA = Schema.of({"cost": (0, 100), "ward": ["a", "b", "c"]}, dataset="clinic")
TABLE = pa.table({"cost": [10.0, 20.0, 90.0] * 100, "ward": ["a", "a", "b"] * 100})
ASKED = {
    "a": lambda part: part.mean("cost").quantile("cost", 0.5),
    "b": lambda part: part.count().sum("cost"),
}


def test_the_dearest_part_pays_for_all():
    ledger = Ledger.in_memory()
    ledger.open_account("clinic", budget(1.0), unit=SCHEMA.unit)
    parts = partition(query(TABLE, SCHEMA, ledger=ledger), "ward", ASKED)
    answers = parts.release(0.5)
    assert float(ledger.spent("clinic").epsilon) == 0.5
    assert set(answers) == {"a", "b"}
    sure = partition(query(TABLE, SCHEMA), "ward", ASKED).release(1e6)
    assert sure["a"].rows[0][1][0].value == pytest.approx(15, abs=0.01)
    assert [round(f.value) for f in sure["b"].rows[0][1]] == [100, 9000]


def test_what_is_no_part_is_refused():
    table = CrossTable(())
    in_a = Measure(Viewed(table, View(where=(IsIn(Field("ward"), ("a",)),))), "a")
    in_both = Measure(Viewed(table, View(where=(IsIn(Field("ward"), ("a", "b")),))), "a and b")
    everybody = Measure(table, "everybody")
    half = Fraction(1, 2)
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        for question in (in_both, everybody):
            with pytest.raises(ParameterError, match="other records"):
                curator.ask_together([(in_a, half), (question, half)], Apart("ward", ("a", "b")))
        with pytest.raises(ParameterError, match="which part"):
            curator.ask_together([(in_a, half), (in_a, half)], Apart("ward", ("a",)))
        with pytest.raises(ParameterError):  # twice the same part is no parallel
            curator.ask_together([(in_a, Fraction(1)), (in_a, Fraction(1))], Apart("ward", ("a", "a")))
        assert curator.left == 1
        curator.ask_together([(in_a, Fraction(1))], Apart("ward", ("a",)))
        assert curator.left == 0


RECORDS = st.lists(st.tuples(st.sampled_from([0.0, 30.0, 100.0]), st.sampled_from("abc")), max_size=5)


def loss(records, others, schema):
    """The privacy loss at ε = 1 for each part, summed: how far each answer moves, over its noise's scale."""
    parts = partition(query(TABLE, schema), "ward", {w: (lambda q: q.count().sum("cost")) for w in "abc"})
    total = Fraction(0)
    for _, _, question, share in parts._asked():
        one, two = (
            MemoryEngine().answer(question.statistics, ArrowSource(table(rows)), schema)[0]
            for rows in (records, others)
        )
        moved = int(np.abs(two - one).sum())
        total += share * Fraction(moved, question.statistics[0].sensitivity(schema).l1)
    return total


def table(records):
    return pa.table(
        {"cost": pa.array([c for c, _ in records], pa.float64()), "ward": [w for _, w in records]}
    )


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.tuples(st.sampled_from([0.0, 100.0]), st.sampled_from("abc")), RECORDS.filter(len))
def test_no_unit_moves_all_parts_by_more_than_one_budget(records, record, gone):
    assert loss(records, [*records, record], SCHEMA) <= 1
    replaced = Schema(SCHEMA.columns, unit=Unit("replace"))
    assert loss([*records, gone[0]], [*records, record], replaced) <= 1
