"""Slices of the records cost as much as the dearest of them, in however many steps, if they are slices."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget import budget
from privet.curator import Choose, Curator, Measure
from privet.curator.by_slice import BySlice
from privet.engines.held import HeldEngine
from privet.engines.memory import MemoryEngine
from privet.errors import ParameterError
from privet.schema import Schema, Unit
from privet.sources import ArrowSource
from privet.stats import Coded, Contingency, CrossTable, Moments, proved
from privet.stats.choices.largest import LargestClass
from privet.stats.slices import Sliced, Slices

SCHEMA = Schema.of({"x": (0.0, 9.0), "ill": ["no", "yes"]}, target="ill")
VALUES = [round(0.1 * k, 1) for k in range(90)]
TABLE = pa.table({"x": VALUES, "ill": ["no", "yes"] * 45})
COUNTS = Contingency(None, "ill")
HALF = Fraction(1, 2)


def some(first, last, many=4, columns=("x",), kind=Sliced):
    return Measure(kind(COUNTS, Slices(columns, many, first, last)), "a question")


@proved
@dataclass(frozen=True)
class Everybody(Sliced):
    """WRONG **Sensitivity**: it is said to be about a slice, and looks at all records."""

    def _taken(self, rows):
        return rows


def test_the_dearest_slice_pays_for_all():
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        for place in range(4):
            curator.ask(some(place, place + 1), HALF)
        assert curator.left == HALF
        curator.ask(Measure(COUNTS, "everybody"), Fraction(1, 4))
        curator.ask(some(1, 3), Fraction(1, 4))
        assert curator.left == 0
        curator.ask(some(0, 1), Fraction(1, 4))  # the first slice had something left
        for question in (some(0, 1), some(2, 4), Measure(COUNTS, "everybody")):
            with pytest.raises(ParameterError, match="is left"):
                curator.ask(question, Fraction(1, 8))


@pytest.mark.parametrize(
    "question",
    [
        Measure(COUNTS, "all records"),
        some(2, 3, many=8),
        some(2, 3, columns=("x", "ill")),
        some(2, 3, kind=Everybody),
        Choose(LargestClass("ill"), "a choice by all records"),
    ],
)
def test_what_is_no_slice_of_these_costs_as_all_records_do(question):
    before, _ = BySlice().after([(some(0, 2), HALF)])
    after, rest = before.after([(question, HALF)])
    assert (after.cost, rest) == (HALF, HALF)


def test_what_is_refused_is_not_counted():
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        curator.ask(some(0, 1), HALF)
        with pytest.raises(ParameterError):
            curator.ask_together([(some(1, 2), Fraction(1)), (some(1, 2), Fraction(1))])
        curator.ask(some(1, 2), HALF)
        assert curator.left == HALF


RECORDS = st.lists(st.sampled_from(VALUES), max_size=4)


def lost(kind, rest, gone, come, schema):
    """What is lost between neighbours of what was paid for: how far answers move, over what noise is for."""
    asked = [(some(k, k + 1, kind=kind), HALF) for k in range(4)] + [(some(0, 2, kind=kind), HALF)]
    total = Fraction(0)
    for question, share in asked:
        one, two = (
            MemoryEngine().answer(
                question.statistics, ArrowSource(pa.table({"x": x, "ill": ["no"] * len(x)})), schema
            )[0]
            for x in ([*gone, *rest], [*come, *rest])
        )
        moved = int(np.abs(two - one).sum())
        total += share * Fraction(moved, question.statistics[0].sensitivity(schema).l1)
    slices = [(some(k, k + 1), HALF) for k in range(4)] + [(some(0, 2), HALF)]
    return total, BySlice().after(slices)[0].cost


@settings(max_examples=50)
@given(rest=RECORDS, gone=st.sampled_from(VALUES), come=st.sampled_from(VALUES))
def test_nobody_loses_more_than_the_dearest_slice(rest, gone, come):
    for unit, one, other in ((Unit(), [gone], []), (Unit("replace"), [gone], [come])):
        loss, cost = lost(Sliced, rest, one, other, Schema(SCHEMA.columns, target="ill", unit=unit))
        assert loss <= cost


def test_slices_that_overlap_are_found_out():
    loss, cost = lost(Everybody, VALUES[:7], [VALUES[8]], [], SCHEMA)
    assert loss > cost


def test_held_records_give_the_same_answers():
    slices = [Slices(("x", "ill"), 8, *span) for span in ((0, 8), (0, 1), (3, 6), (4, 5))]
    inner = (Contingency("x", "ill", (2.0, 5.0)), Moments("x", "ill"), CrossTable((Coded("ill"),)))
    held, source = HeldEngine(), ArrowSource(TABLE)
    whole = MemoryEngine().answer(inner, source, SCHEMA)
    for around in (None, slices[2]):
        for each in slices:
            asked = [Sliced(statistic, each, around) for statistic in inner]
            for one, other in zip(
                held.answer(asked, source, SCHEMA), MemoryEngine().answer(asked, source, SCHEMA), strict=True
            ):
                np.testing.assert_array_equal(one, other)
    alone = [Sliced(inner[0], Slices(("x", "ill"), 8, k, k + 1)) for k in range(8)]
    parts = [held.answer([each], source, SCHEMA)[0] for each in alone]
    np.testing.assert_array_equal(sum(parts), whole[0])
    assert all(0 < part.sum() < 45 for part in parts)
