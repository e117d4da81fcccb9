"""Questions about slices: a record counts or not by itself, so nothing else moves when it comes or goes."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.curator.tables import as_source
from privet.engines.held import HeldEngine
from privet.engines.memory import MemoryEngine
from privet.errors import DataError
from privet.learning.classify import AdditiveModel, DecisionTree
from privet.schema import Schema
from privet.sources import ArraySource
from privet.stats import Coded, Contingency, Rows, Within
from privet.stats.choices.splits import Splits
from privet.stats.slices import Sliced, Slices, slice_of_each
from privet.stats.tree_parts import Branching, TreeParts

SCHEMA = Schema.of({"x": (0.0, 4.0), "colour": ["red", "blue", "green"], "ill": ["a", "b"]}, target="ill")
RECORDS = tuple(itertools.product((0.5, 3.0, None), ("red", "blue", "green", None), ("a", "b", None)))
TABLES = (Contingency("x", "ill", (2.0,)), Contingency("colour", "ill"))
HALF = Slices(("x", "colour", "ill"), 8, 0, 4)
ROOT = TreeParts((None,))
FEWER = Sliced(Within(ROOT, TABLES[1]), HALF)


def rows(records):
    kinds = (pa.float64(), pa.string(), pa.string())
    arrays = [pa.array([r[place] for r in records], kind) for place, kind in enumerate(kinds)]
    return Rows(pa.record_batch(arrays, names=["x", "colour", "ill"]), SCHEMA)


def answered(statistic, *parts):
    state = statistic.start(SCHEMA)
    for part in parts:
        state = statistic.fold(state, rows(part))
    return statistic.finish(state, SCHEMA)


def require_one_record(statistic, records, new):
    """The answer with a record more, in front of all others, is another one by at most 1."""
    moved = answered(statistic, [new, *records]) - answered(statistic, records)
    assert np.abs(moved).sum() <= statistic.norms(SCHEMA).l1


class EverySecond(Sliced):
    """A planted fault: which records count depends on how many come before them."""

    def _taken(self, rows):
        return Rows.gathered([rows], np.arange(0, rows.size, 2))


@given(records=st.lists(st.sampled_from(RECORDS), max_size=15), new=st.sampled_from(RECORDS))
def test_a_record_moves_no_more_than_itself(records, new):
    require_one_record(FEWER, records, new)


def test_a_choice_by_place_is_found_out():
    with pytest.raises(AssertionError):
        require_one_record(
            EverySecond(FEWER.statistic, FEWER.slices),
            [RECORDS[0], RECORDS[16]] * 5,
            RECORDS[0],
        )


@given(records=st.lists(st.sampled_from(RECORDS), max_size=15), new=st.sampled_from(RECORDS))
def test_scores_of_splits_stay_within_their_spread(records, new):
    question = Splits(ROOT, TABLES, slices=HALF)

    def scores(held):
        return question.groups([answered(s, held) for s in question.statistics], SCHEMA)[0]

    moved = scores([new, *records]) - scores(records)
    assert moved.max(initial=0) - moved.min(initial=0) <= question.spread


def test_how_rows_are_split_is_no_matter():
    held = [RECORDS[place] for place in np.random.default_rng(0).integers(0, len(RECORDS), 300)]
    whole = answered(FEWER, held)
    assert np.array_equal(whole, answered(FEWER, held[:120], held[120:]))
    assert 60 < whole.sum() < 240  # about half; records that are alike count together


def test_a_tree_of_many_records_is_chosen_by_a_part_of_them():
    draw = np.random.default_rng(0)
    X = draw.random((300_000, 3))
    y = (X[:, 0] > 0.5) & (X[:, 1] > 0.25)
    schema = Schema.of({"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0), "y": [False, True]}, target="y")
    model = DecisionTree(epsilon=1.0, schema=schema, depth=2, bins=4, random_state=0).fit(X, y)
    assert np.mean(model.predict(X[:10_000]) == y[:10_000]) > 0.99


def test_held_records_answer_as_those_that_are_read_again():
    """Few slices and many, in parts that others are around or that are all of what is around."""
    draw = np.random.default_rng(1)
    table = pa.table({"x": draw.random(3000) * 4, "colour": draw.choice(["red", "blue"], 3000)})
    table = table.append_column("ill", pa.array(draw.choice(["a", "b"], 3000)))
    held, source, names = HeldEngine(), as_source(table), ("x", "colour")
    held.answer(TABLES, source, SCHEMA)
    for first, last, around in ((0, 1, None), (3, 5, (3, 5)), (8, 9, (8, 16)), (8, 16, None), (0, 64, None)):
        wider = None if around is None else Slices(names, 64, *around)
        for statistic in TABLES:
            asked = [Sliced(statistic, Slices(names, 64, first, last), wider)]
            [told], [again] = (e.answer(asked, source, SCHEMA) for e in (held, MemoryEngine()))
            assert np.array_equal(told, again)
            assert again.sum() > 0


@pytest.mark.parametrize("foretold", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_held_rows_of_a_matrix_answer_as_those_that_are_read_again(monkeypatch, missing, foretold):
    """Numbers coded side by side, in slices and in a tree; values on cuts, and missing in one column."""
    draw = np.random.default_rng(2)
    X = draw.integers(0, 40, (70_000, 3)) / 10.0  # more than are read at once
    X[:, 1] += draw.random(len(X)) / 10
    if missing:
        X[5, 2] = np.nan
    schema = Schema.of({"a": (0.0, 4.0), "b": (0.0, 4.0), "c": (0.0, 4.0), "y": ["n", "p"]}, target="y")
    source = ArraySource(X, draw.choice(["n", "p"], len(X)), ("a", "b", "c"), "y")
    held, names, cuts = HeldEngine(), ("a", "b", "c"), (1.0, 2.0, 3.0)
    if foretold:  # in several blocks
        monkeypatch.setattr("privet.engines.slices.BLOCK", 10_000)
        held.by_slices_of(names)
    tables = [Contingency(name, "y", cuts) for name in names]
    tree = TreeParts((Branching(Coded("a", cuts), (1, 1, 2, 2, 2)), None, None))
    asked = [*tables, *(Within(tree, table) for table in tables)]
    whole, some, beside = Slices(names, 64, 0, 64), Slices(names, 64, 3, 5), Slices(names, 256, 15, 70)
    for slices, wanted in ((None, tables), (None, asked), (some, asked), (whole, asked), (beside, asked)):
        now = wanted if slices is None else [Sliced(each, slices) for each in wanted]
        told, again = (engine.answer(now, source, schema) for engine in (held, MemoryEngine()))
        assert all(np.array_equal(one, other) for one, other in zip(told, again, strict=True))
        assert again[0].sum() > 0


def test_slices_are_parts_of_larger_ones():
    """One order of the records serves fewer and more slices."""
    draw = np.random.default_rng(3)
    every = Rows(pa.record_batch({"x": draw.random(2000)}), Schema.of({"x": (0.0, 1.0)}))
    fine = slice_of_each(every, ("x",), 1 << 16)
    for bits in range(17):
        assert np.array_equal(slice_of_each(every, ("x",), 1 << bits), fine >> (16 - bits))
    assert len(np.unique(fine)) > 1900


def test_an_infinite_number_is_refused_where_slices_are_foretold():
    draw = np.random.default_rng(4)
    X = draw.random((1000, 2)) * 4
    X[500, 1] = np.inf
    schema = Schema.of({"a": (0.0, 4.0), "b": (0.0, 4.0), "y": ["n", "p"]}, target="y")
    held = HeldEngine()
    held.by_slices_of(("a", "b"))
    tables = [Contingency(name, "y", (1.0, 2.0, 3.0)) for name in ("a", "b")]
    with pytest.raises(DataError, match="infinite"):
        held.answer(tables, ArraySource(X, draw.choice(["n", "p"], 1000), ("a", "b"), "y"), schema)


def test_an_additive_model_looks_at_whole_parts_at_a_small_budget():
    """With many records and a small ε a round's choice needs all records of its part."""
    draw = np.random.default_rng(2)
    X = draw.random((200_000, 2))
    schema = Schema.of({"a": (0.0, 1.0), "b": (0.0, 1.0), "y": [False, True]}, target="y")
    model = AdditiveModel(epsilon=0.1, schema=schema, rounds=4, random_state=0).fit(X, X[:, 0] > 0.5)
    assert np.mean(model.predict(X[:10_000]) == (X[:10_000, 0] > 0.5)) > 0.97


@pytest.mark.parametrize("kind", ["category", "number", "integer"])
def test_slices_are_alike_where_records_are_made_of_few_values(kind):
    """Salts that are multiples of one number add up alike: once, slices of yes-or-no columns were not."""
    draw = np.random.default_rng(5)
    names = tuple(f"c{k}" for k in range(24))
    table = {name: draw.integers(0, 2, 60_000) for name in names}
    of_kind = {"category": [0, 1], "number": (0.0, 1.0), "integer": (0, 1)}[kind]
    every = Rows(pa.record_batch(table), Schema.of(dict.fromkeys(names, of_kind)))
    own = slice_of_each(every, names, 16)
    assert np.abs(np.bincount(own, minlength=16) / len(own) - 1 / 16).max() < 0.006
    for name in names:
        means = np.bincount(own, weights=table[name], minlength=16) / np.bincount(own, minlength=16)
        assert np.abs(means - 0.5).max() < 0.05
