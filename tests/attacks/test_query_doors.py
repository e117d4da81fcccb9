"""Ways around the price of a query: relations, parts and deltas of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
import pytest

from privet.budget import budget
from privet.curator import Apart, Curator, FindValues, Measure
from privet.engines.memory import MemoryEngine
from privet.errors import ParameterError
from privet.schema import Category, Schema
from privet.sources import ArrowSource
from privet.stats import Coded, CrossTable, Rows
from privet.stats.relations import Base, Chosen, Facts, Relation
from privet.stats.views import Field, IsIn, IsMissing, Labelled, LookedUp, Not, View, Viewed

SCHEMA = Schema((Category("ill", ("no",), other="else"),))
TABLE = pa.table({"ill": ["no", "S3NT1NEL"]})
SEEN = []


@dataclass(frozen=True)
class Peeping(Relation):
    """A relation that keeps what it sees, and claims that nobody changes anything."""

    name: str = "t"

    @property
    def facts(self):
        return Facts(SCHEMA.columns, 1)

    def pieces(self, tables):
        SEEN.append(tables)
        yield from tables["t"]

    def leaves(self):
        yield "t"


def test_a_relation_of_ones_own_sees_no_record():
    for relation in (Peeping(), Chosen(Peeping(), View())):
        with pytest.raises(ParameterError, match="may not hold"):
            Curator.of_tables(relation, {"t": (TABLE, SCHEMA)}, budget(1.0))
    assert not SEEN
    Curator.of_tables(Base("t", SCHEMA), {"t": (TABLE, SCHEMA)}, budget(1.0))


class Free(Apart):
    def price(self, asked, schema):
        return Fraction(0)


class Chameleon(str):
    """A label that is another part each time."""

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return True


def test_parts_of_ones_own_are_no_discount():
    question = Measure(CrossTable(()), "everybody")
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        for apart in (Free("ill", ("no",)), Apart("ill", (Chameleon("no"),)), Apart("ill", ("no",))):
            with pytest.raises(ParameterError):
                curator.ask_together([(question, Fraction(1))], apart)
        assert curator.left == 1


def test_a_negative_delta_buys_nothing():
    with Curator(TABLE, SCHEMA, budget(1.0, 1e-9), searches=True) as curator:
        with pytest.raises(ParameterError):
            curator.ask(FindValues(View(), "ill", Fraction(-1, 2)), Fraction(1, 4))
        with pytest.raises(ParameterError, match="δ"):
            curator.ask(FindValues(View(), "ill", Fraction(1, 2)), Fraction(1, 4))
        assert curator.left == 1


def part_of(view):
    return Measure(Viewed(CrossTable((Coded("ill"),)), view), "a part")


def test_a_column_that_each_question_makes_for_itself_makes_no_parts():
    """Before: 200 questions about everybody cost as much as one, ε = 20 at a claim of 0.1."""

    def everybody(label):
        made = Labelled(((Not(IsMissing(Field("ill"))), label),))
        return part_of(View((("part", made),), (IsIn(Field("part"), (label,)),)))

    labels = ("a", "b")
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        with pytest.raises(ParameterError, match="its own categories"):
            curator.ask_together([(everybody(label), Fraction(1)) for label in labels], Apart("part", labels))
        assert curator.left == 1


def test_values_that_are_equal_and_written_otherwise_are_other_parts():
    """1, 1.0 and True are equal: the first one's records were counted for all three, and paid for once."""
    schema = Schema.of({"key": ["1", "True", "1.0"], "ill": ["no", "yes"]})
    table = pa.table({"key": ["1"] * 3 + ["True"] * 20 + ["1.0"] * 100, "ill": ["no"] * 123})
    asked = [part_of(View(where=(IsIn(Field("key"), (value,)),))) for value in (1, True, 1.0)]
    found = MemoryEngine().answer([each.statistic for each in asked], ArrowSource(table), schema)
    assert [int(each.sum()) for each in found] == [3, 20, 100]
    with Curator(table, schema, budget(1.0)) as curator:
        curator.ask_together([(each, Fraction(1)) for each in asked], Apart("key", ("1", "True", "1.0")))
        assert curator.left == 0


def test_public_tables_whose_entries_are_equal_and_written_otherwise_are_others():
    rows = Rows(pa.record_batch({"ill": ["no", "else"]}), SCHEMA)
    for entries, labels in ((((("no", 1), ("else", 1.0))), 2), ((("no", 1), ("else", 1)), 1)):
        view = View((("found", LookedUp(Field("ill"), entries)),))
        statistic = Viewed(CrossTable((Coded("found"),)), view)
        answer = statistic.finish(statistic.fold(statistic.start(SCHEMA), rows), SCHEMA)
        assert answer.tolist() == ([1, 1, 0] if labels == 2 else [2, 0])
