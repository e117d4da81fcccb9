"""The smallest ε for an error: exact, from formulas alone, and held by the answers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import ParameterError
from privet.queries import query
from privet.queries.goal import largest_error
from privet.schema import Schema, Unit

SCHEMA = {"age": (0, 120), "ward": ["a", "b"]}


def people():
    return query(None, SCHEMA)


@pytest.mark.parametrize("unit", [Unit(), Unit(neighbours="replace")])
@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (lambda q: q.count(), 50),
        (lambda q: q.group_by("ward").count(), 7),
        (lambda q: q.sum("age"), 3000),
        (lambda q: q.count().sum("age"), 1000),
        (lambda q: q.count("age"), 20),
        (lambda q: q.quantile("age", 0.5), 40),
        (lambda q: q.distinct("ward"), 30),
    ],
)
def test_it_reaches_the_error_and_a_smaller_one_does_not(asked, error, unit):
    schema = Schema.of(SCHEMA, unit=unit)
    question = asked(query(None, schema))
    epsilon = question.epsilon_for(error=error)
    assert largest_error(question.program(), epsilon) <= error
    assert largest_error(question.program(), epsilon * 0.99) > error


def test_the_answer_has_the_error_that_was_asked_for():
    table = pa.table({"age": np.arange(600) % 100, "ward": ["a", "b"] * 300})
    question = query(table, SCHEMA).group_by("ward").count()
    answer = question.release(question.epsilon_for(error=25), random_state=1)
    assert max(figure.error for _, figures in answer.rows for figure in figures) <= 25


def test_errors_that_depend_on_the_records_are_not_foretold():
    for question in (people().mean("age"), people().variance("age"), people().count().mean("age")):
        with pytest.raises(ParameterError, match="how many records"):
            question.epsilon_for(error=1)


def test_an_error_that_no_epsilon_reaches():
    with pytest.raises(ParameterError, match=r"even then one may be off by 35\.9"):
        people().sum("age").epsilon_for(error=0.01)
    for error in (0, -1, float("nan"), float("inf"), True):
        with pytest.raises(ParameterError):
            people().count().epsilon_for(error=error)
