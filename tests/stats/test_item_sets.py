"""Sets of items: read alike from lists and texts, cut by their own content, counted within their price."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.engines.memory import fold
from privet.errors import DataError, ParameterError, SchemaError
from privet.schema import Items, Schema, Unit
from privet.schema.lists import joined
from privet.stats import Coded, CrossTable, Rows
from privet.stats.item_sets import FrequentItems, ItemTotals, SetCounts, Sets, sets_of

NAMES = tuple("abcdefgh")
SCHEMA = Schema.of({"x": Items("x", NAMES, most=3)})
basket = st.lists(st.sampled_from([*NAMES, "unlisted"]), max_size=12)


def table(baskets):
    return pa.record_batch([pa.array(baskets, pa.list_(pa.string()))], names=["x"])


def answer(statistic, baskets, schema=SCHEMA):
    return fold([statistic], [table(baskets)], schema)[0]


@given(st.lists(basket, max_size=5), basket, basket)
@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize("largest", [1, 2, 3])
def test_every_record_stays_within_the_sensitivity(largest, rest, one, other):
    counts = SetCounts("x", (0, 2, 3, 5, 7), largest)
    without, first, second = (answer(counts, [*rest, *more]) for more in ([], [one], [other]))
    for moved, unit in ((first - without, Unit()), (first - second, Unit("replace"))):
        allowed = counts.sensitivity(SCHEMA, unit)
        assert np.abs(moved).sum() <= allowed.l1
        assert (moved**2).sum() <= allowed.squared_l2
    scores = FrequentItems("x")
    [before] = scores.groups([answer(ItemTotals("x"), rest)], SCHEMA)
    [after] = scores.groups([answer(ItemTotals("x"), [*rest, one])], SCHEMA)
    assert set((after - before).tolist()) <= {0, scores.spread}


def test_the_sensitivity_is_attained_and_no_cut_is_caught():
    counts = SetCounts("x", tuple(range(8)), 3)
    moved = answer(counts, [list(NAMES)])
    assert np.abs(moved).sum() == counts.norms(SCHEMA).l1 == 2 + 3 + 3 + 1
    # The planted fault: counting all items of a long set at the price of a cut one.
    uncut = answer(counts, [list(NAMES)], Schema.of({"x": Items("x", NAMES, most=8)}))
    assert np.abs(uncut).sum() > counts.norms(SCHEMA).l1


def test_a_cut_that_depends_on_others_is_caught():
    """The planted fault: keeping the items that most records have moves other people's sets, too."""

    def popular(baskets, most=1):
        total = {name: sum(name in b for b in baskets) for name in NAMES}
        kept = [sorted(set(b), key=lambda n: (-total[n], n))[:most] for b in baskets]
        return np.array([sum(name in b for b in kept) for name in NAMES])

    rest = [["a", "b"]] * 10
    moved = popular([*rest, ["b"]]) - popular(rest)
    assert (
        np.abs(moved).sum()
        > SetCounts("x", tuple(range(8)), 1).norms(Schema.of({"x": Items("x", NAMES, most=1)})).l1
    )


@given(st.lists(basket, min_size=1, max_size=8), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_what_stays_of_a_set_is_its_own_affair(baskets, most):
    whole = sets_of(Rows(table(baskets), SCHEMA), "x").cut(most)
    for place, each in enumerate(baskets):
        alone = sets_of(Rows(table([each[::-1]]), SCHEMA), "x").cut(most)
        mine = whole.item[whole.record == place]
        assert alone.item.tolist() == mine.tolist()
        assert len(mine) == min(most, len(set(each) & set(NAMES)))


def test_cuts_favour_no_item():
    sets = Sets(np.repeat(np.arange(50 * 70 // 1), 4), np.zeros(14_000, np.int64), 3500)
    every = np.array(list(combinations(range(8), 4)) * 50)
    sets = Sets(sets.record, every.ravel(), 3500)
    kept = sets.cut(2)
    shares = np.bincount(kept.item, minlength=8) / len(kept.item)
    assert shares.min() > 0.06
    assert shares.max() < 0.2


def test_counts_are_exact():
    draw = np.random.default_rng(0)
    baskets = [[n for n in NAMES if draw.random() < 0.3][:3] for _ in range(300)]
    counts = SetCounts("x", tuple(range(8)), 3)
    found = answer(counts, baskets)
    assert found[0] == 300
    assert found[1] == 0
    for places, value in zip(counts.sets, found[2:], strict=True):
        assert value == sum({NAMES[p] for p in places} <= set(b) for b in baskets)


@pytest.mark.parametrize(
    ("array", "between"),
    [
        (pa.array([["a", "b", "b"], [], None, ["z", "c", None]]), ","),
        (pa.array([["a", "b"], [], None, ["c"]], pa.large_list(pa.large_string())), ","),
        (pa.array(["a, b,a", "", None, "c,,zzz"]), ","),
        (pa.array(["a  b", " ", None, "zzz\tc"]), " "),
        (pa.array(["a;b", "", None, "c"]).dictionary_encode(), ";"),
    ],
)
def test_all_ways_to_write_a_set_are_read_alike(array, between):
    schema = Schema.of({"x": Items("x", NAMES, between=between)})
    found = sets_of(Rows(pa.record_batch([array], names=["x"]), schema), "x")
    assert list(zip(found.record.tolist(), found.item.tolist(), strict=True)) == [(0, 0), (0, 1), (3, 2)]
    assert found.size == 4


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, None, 12]),
        pa.array([1.0, None, 1.5]),
        pa.array(["1", None, "1.5"]),
        pa.array(["1.0", None, "12"]),
        pa.array([[1], [], [12]]),
        pa.array([[1.0], None, [1.5]]),
    ],
)
def test_numbers_are_the_same_items_however_they_are_stored(array):
    schema = Schema.of({"x": Items("x", (1, 2))})
    found = sets_of(Rows(pa.record_batch([array], names=["x"]), schema), "x")
    assert (found.record.tolist(), found.item.tolist(), found.size) == ([0], [0], 3)


def test_bad_input():
    rows = Rows(table([["a"]]), SCHEMA)
    with pytest.raises(SchemaError, match="holds sets"):
        rows.codes("x")
    with pytest.raises(SchemaError, match="holds sets"):
        answer(CrossTable((Coded("x"),)), [["a"]])
    with pytest.raises(ParameterError):
        SetCounts("x", tuple(range(8)), 4)
    strange = Rows(pa.record_batch([pa.array([b"a"])], names=["x"]), SCHEMA)
    with pytest.raises(DataError, match="set of items"):
        sets_of(strange, "x")
    strict = Schema.of({"x": SCHEMA["x"]}, missing="error")
    with pytest.raises(DataError, match="missing"):
        sets_of(Rows(pa.record_batch([pa.array([None, "a"])], names=["x"]), strict), "x")
    for wrong in ({"most": 0}, {"between": ""}, {"between": "ab"}, {"other": "z"}, {"most": True}):
        with pytest.raises(SchemaError):
            Items("x", NAMES, **wrong)
    with pytest.raises(SchemaError, match="character between"):
        Items("x", ("a,b", "c"))


def test_lists_as_texts_keep_apart_what_differs():
    kinds = pa.array([["a"], ["a", ""], [], None, ["a", "b"], ["b", "a"]])
    texts = joined(kinds).to_pylist()
    assert texts[3] is None
    assert len(set(texts)) == 6
    assert joined(kinds.slice(3, 2)).to_pylist() == texts[3:5]
