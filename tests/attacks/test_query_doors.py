"""Ways around the price of a query: relations, parts and deltas of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
import pytest

from privet.budget import budget
from privet.curator import Apart, Curator, FindValues, Measure
from privet.errors import ParameterError
from privet.schema import Category, Schema
from privet.stats import CrossTable
from privet.stats.relations import Base, Chosen, Facts, Relation
from privet.stats.views import View

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
    def price(self, asked):
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
