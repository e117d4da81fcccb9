"""The sensitivity of item counts and bases on neighbours, and a planted fault."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

from privet.engines.memory import fold
from privet.errors import ParameterError
from privet.schema import Number, Schema, Unit
from privet.stats.items import Basis, Item, ItemCounts, items_of

SCHEMA = Schema.of({"milk": [0, 1], "bread": ["no", "yes"], "colour": ["red", "blue", "green"]})
ITEMS = items_of(SCHEMA)
RECORDS = list(itertools.product((0, 1, None), ("no", "yes", None), ("red", "blue", None)))


def answers(statistics, records):
    kinds = (pa.int64(), pa.string(), pa.string())
    columns = [pa.array([r[k] for r in records], kind) for k, kind in enumerate(kinds)]
    return fold(statistics, [pa.record_batch(columns, names=["milk", "bread", "colour"])], SCHEMA)


def test_items():
    assert len(ITEMS) == 5
    assert Item("milk", 1) in ITEMS
    assert Item("milk", 0) not in ITEMS


def test_whole_numbers_from_0_to_1_are_items():
    """As a draft has them; what a cell holds, a record has the item or has not, and moves one cell."""
    schema = Schema.of([Number("milk", 0, 1, integer=True), Number("age", 0, 9, integer=True)])
    [item] = items_of(schema)
    rows = pa.record_batch({"milk": [1, 0, None, 7, -3], "age": [1] * 5})
    scores = ItemCounts((item,))
    basis, *counted = fold([Basis((item,)), *scores.statistics], [rows], schema)
    assert basis.tolist() == [3, 2]
    assert scores.groups(counted, schema)[0].tolist() == [2]


def test_whole_numbers_from_0_to_1_stay_within_the_sensitivity():
    schema = Schema.of([Number("milk", 0, 1, integer=True), Number("eggs", 0, 1, integer=True)])
    basis, scores = Basis(items_of(schema)), ItemCounts(items_of(schema))

    def counted(records):
        columns = [pa.array([record[k] for record in records], pa.float64()) for k in range(2)]
        rows = pa.record_batch(columns, names=["milk", "eggs"])
        cells, *tables = fold([basis, *scores.statistics], [rows], schema)
        return cells, scores.groups(tables, schema)[0]

    rest = [(1.0, 1.0), (0.0, None)]
    before, had = counted(rest)
    cells = (0.0, 1.0, 0.5, 7.0, -3.0, float("nan"), None)
    after = [counted([*rest, record]) for record in itertools.product(cells, repeat=2)]
    for found, has in after:
        assert np.abs(found - before).sum() == basis.sensitivity(schema).l1 == 1
        assert set((has - had).tolist()) <= {0, scores.spread}
    replaced = basis.sensitivity(schema, Unit("replace")).l1
    assert all(np.abs(one[0] - other[0]).sum() <= replaced for one, other in itertools.combinations(after, 2))


@pytest.mark.parametrize("rest", [[], [(1, "yes", "red"), (0, "no", None)]])
def test_every_record_stays_within_the_sensitivity(rest):
    basis, scores = Basis(ITEMS), ItemCounts(ITEMS)
    [before] = answers([basis], rest)
    [counted] = scores.groups(answers(scores.statistics, rest), SCHEMA)
    after = {r: answers([basis], [*rest, r])[0] for r in RECORDS}
    for record, found in after.items():
        assert np.abs(found - before).sum() == basis.sensitivity(SCHEMA).l1 == 1
        [more] = scores.groups(answers(scores.statistics, [*rest, record]), SCHEMA)
        assert set((more - counted).tolist()) <= {0, scores.spread}
    replaced = basis.sensitivity(SCHEMA, Unit("replace"))
    for one, other in itertools.combinations(after.values(), 2):
        assert np.abs(one - other).sum() <= replaced.l1 == 2
        assert ((one - other) ** 2).sum() <= replaced.squared_l2 == 2


def test_supports_released_one_by_one_would_cost_more():
    """The planted fault: supports of all sets have sensitivity 2^b − 1, and not 1 as their cells have."""
    from privet.learning.associate.supports import Supports

    basis = Basis((Item("milk", 1), Item("bread", 1), Item("colour", 0)))
    one, other = (answers([basis], r)[0] for r in ([], [(1, "yes", "red")]))
    moved = Supports.of(other.astype(float), 0.0).values - Supports.of(one.astype(float), 0.0).values
    assert np.abs(moved).sum() == 8 > basis.sensitivity(SCHEMA).l1


def test_too_many_items():
    with pytest.raises(ParameterError):
        Basis(tuple(Item("a", k) for k in range(17)))
