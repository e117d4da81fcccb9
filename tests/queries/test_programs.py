"""Generated queries on generated tables never exceed their derived stability."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.engines.memory import MemoryEngine
from privet.queries import Count, CountDistinct, CountOf, Mean, Quantile, Query, Sum, Variance, query
from privet.schema import Category, Number, Schema, Unit
from privet.sources import ArrowSource

WARD = Category("ward", ("a", "b", "c"), other="else")
COLUMNS = (Number("age", 0, 120), Number("cost", -100.0, 400.0), WARD)
CELLS = st.tuples(
    st.one_of(st.none(), st.sampled_from([-5.0, 0.0, 17.5, 60.0, 60.1, 120.0, 500.0])),
    st.one_of(st.none(), st.floats(-1e6, 1e6, width=32)),
    st.sampled_from(["a", "b", "c", "z", None]),
)
RECORDS = st.lists(CELLS, max_size=6)


def table(records, people=None):
    kinds = (pa.float64(), pa.float64(), pa.string())
    arrays = [pa.array([r[place] for r in records], kind) for place, kind in enumerate(kinds)]
    names = ["age", "cost", "ward"]
    if people is not None:
        arrays.append(pa.array(people, pa.string()))
        names.append("person")
    return pa.table(dict(zip(names, arrays, strict=True)))


@st.composite
def conditions(draw, asked, depth=2):
    kind = draw(st.sampled_from(["compare", "in", "missing"] + (["and", "or", "not"] if depth else [])))
    if kind == "compare":
        number, bound = draw(st.sampled_from(["age", "cost"])), draw(st.floats(-150, 500))
        term = asked[number] if draw(st.booleans()) else asked["age"] * 2 - asked["cost"]
        within = term.between(bound, bound + 50)
        return draw(st.sampled_from([term > bound, term <= bound, term == bound, within]))
    if kind == "in":
        values = st.lists(st.sampled_from(["a", "b", "else"]), min_size=1, max_size=2)
        return asked["ward"].is_in(draw(values))
    if kind == "missing":
        return asked[draw(st.sampled_from(["age", "cost", "ward"]))].is_missing()
    one = draw(conditions(asked, depth - 1))
    if kind == "not":
        return ~one
    other = draw(conditions(asked, depth - 1))
    return one & other if kind == "and" else one | other


@st.composite
def queries(draw, schema):
    asked: Query = query(table([]), schema)
    if draw(st.booleans()):
        asked = asked.with_columns(old=asked["age"] > draw(st.floats(1, 119)))
    if draw(st.booleans()):
        asked = asked.with_columns(net=asked["cost"] * draw(st.floats(0.5, 3)) - asked["age"])
    if draw(st.booleans()):
        asked = asked.join_public({"ward": ["a", "b"], "beds": [10, 30], "city": ["x", "y"]}, on="ward")
    for _ in range(draw(st.integers(0, 2))):
        asked = asked.where(draw(conditions(asked)))
    numbers = [c.name for c in asked.seen.columns if isinstance(c, Number)]
    categories = [c.name for c in asked.seen.columns if isinstance(c, Category)]
    keys = draw(st.lists(st.sampled_from([*categories, ("age", 3)]), max_size=2, unique=True))
    number, category = draw(st.sampled_from(numbers)), draw(st.sampled_from(categories))
    offered = [
        Count(),
        CountOf(number),
        CountDistinct(category),
        Sum(number),
        Mean(number),
        Variance(number),
        Quantile(number, Fraction(1, 3)),
    ]
    measures = draw(st.lists(st.sampled_from(offered), min_size=1, max_size=3, unique=True))
    return asked.group_by(*keys).measure(*measures)


def exact(statistics, records, schema, people=None):
    return MemoryEngine().answer(statistics, ArrowSource(table(records, people)), schema)


def require_within(one, two, allowed):
    change = (two - one).ravel().astype(object)
    assert int(np.abs(change).sum()) <= allowed.l1
    assert int((change * change).sum()) <= allowed.squared_l2


@settings(max_examples=400, deadline=None)
@given(st.data(), RECORDS, CELLS, st.sampled_from(["add_remove", "replace"]))
def test_no_program_exceeds_its_stability(data, records, record, relation):
    schema = Schema(COLUMNS, unit=Unit(relation))
    asked = data.draw(queries(schema))
    others = [*records, record]
    if relation == "replace":
        records = [*records, data.draw(CELLS)]
    for question in asked.selection.questions(schema).values():
        scores = getattr(question, "scores", None)
        one, two = (exact(question.statistics, rows, schema) for rows in (records, others))
        if scores is None:
            require_within(one[0], two[0], question.statistics[0].sensitivity(schema))
            continue
        groups = zip(scores.groups(one, schema), scores.groups(two, schema), strict=True)
        moved = [after - before for before, after in groups]
        # A choice loses by how far apart two candidates of a group move.
        assert sum(int(m.max(initial=0) - m.min(initial=0)) for m in moved) <= scores.sensitivity(schema)


@settings(max_examples=150, deadline=None)
@given(st.data(), RECORDS, st.lists(CELLS, min_size=1, max_size=3))
def test_no_program_exceeds_its_stability_for_a_person(data, records, mine):
    schema = Schema(COLUMNS, unit=Unit(id="person", most=2))
    asked = data.draw(queries(schema))
    people = [f"p{place}" for place in range(len(records))]
    for question in asked.selection.questions(schema).values():
        if hasattr(question, "scores"):
            continue
        one = exact(question.statistics, records, schema, people)[0]
        two = exact(question.statistics, records + mine, schema, people + ["me"] * len(mine))[0]
        require_within(one, two, question.statistics[0].sensitivity(schema))


def test_the_bound_of_a_sum_is_attained():
    schema = Schema(COLUMNS)
    [(key, question)] = query(table([]), schema).sum("cost").selection.questions(schema).items()
    change = exact(question.statistics, [(None, 1e6, "a")], schema)[0]  # the sum of no record is 0
    assert int(change) == question.statistics[0].sensitivity(schema).l1 == key.scale
