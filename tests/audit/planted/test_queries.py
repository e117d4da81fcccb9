"""PLANTED WRONG VERSIONS of queries. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privet.queries import Selection, query
from privet.queries.measures import Sum
from privet.queries.program import Program
from privet.schema import Number, Schema
from privet.stats.views import Arithmetic, Constant, Field, View

SCHEMA = Schema.of({"age": (0.0, 100.0), "ill": ["no", "yes"]})
THRICE = Arithmetic("*", Field("age"), Constant(3.0))


def right(table):
    """Three times the age, summed: bounds of the product, three times as wide."""
    asked = query(table, SCHEMA)
    return asked.with_columns(thrice=asked["age"] * 3).sum("thrice").release(1.0).value.value


@dataclass(frozen=True)
class Unwidened(Arithmetic):
    """WRONG: keeps the bounds of its first column, while its values are three times as large."""

    def domain(self, name, schema):
        return replace(self.one.domain(name, schema), name=name)


def test_a_product_with_the_bounds_of_its_factor_is_refused_by_the_door():
    """A foreign expression never reaches an answer: its class is not Privet's own."""
    import pytest

    from privet.errors import ParameterError

    view = View(made=(("thrice", Unwidened("*", Field("age"), Constant(3.0))),))
    program = Program(_people(), SCHEMA, (Selection(view, measures=(Sum("thrice"),)),))
    with pytest.raises(ParameterError, match="Unwidened"):
        program.release(1.0)


def _people():
    import pyarrow as pa

    return pa.table({"age": [50.0] * 20, "ill": ["no"] * 20})


def unwidened(table):
    """WRONG: the noise of a sum of ages on the sum of three times the age."""
    asked = query(table, SCHEMA)
    released = asked.sum("age").release(1.0).value.value
    exact = sum(min(max(value, 0.0), 100.0) for value in table["age"].to_pylist() if value is not None)
    return 3 * exact + (released - exact)


def compared_with_the_records(table):
    """WRONG: whether a group is shown depends on its exact count."""
    asked = query(table, SCHEMA).group_by("ill").count().release(1.0)
    exact = table["ill"].to_pylist().count("yes")
    return asked["yes"].value if exact >= 1 else -1.0


def test_bounds_that_were_not_widened(caught, passed):
    caught(unwidened, schema=SCHEMA, epsilon=1.0, runs=2500, search_runs=100)  # its ε is 3
    passed(right, schema=SCHEMA, epsilon=1.0, runs=500, search_runs=30)


def test_groups_hidden_by_their_exact_count(caught):
    caught(compared_with_the_records, schema=SCHEMA, epsilon=1.0, runs=1500, search_runs=100)


def test_the_bounds_of_a_product_are_those_of_its_values():
    column = THRICE.domain("thrice", SCHEMA)
    assert isinstance(column, Number)
    assert (column.low, column.high) == (0.0, 300.0)
