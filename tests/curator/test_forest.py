"""Forests are chosen privately: no rings, early stops, and the best at an enormous epsilon."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from privet.budget import budget
from privet.curator import ChooseForest, Curator
from privet.schema import Schema
from privet.stats import Coded, CrossTable
from privet.stats.choices.distances import Distances

NAMES = ("a", "b", "c", "d")
SCHEMA = Schema.of({name: ["no", "yes"] for name in NAMES})
ENDS = tuple((i, j) for i in range(4) for j in range(i))


def table(rows=4000):
    draw = np.random.default_rng(0)
    a = draw.random(rows) < 0.5
    b = np.where(draw.random(rows) < 0.9, a, ~a)
    c = np.where(draw.random(rows) < 0.8, b, ~b)
    d = draw.random(rows) < 0.5
    return pa.table({n: np.where(v, "yes", "no") for n, v in zip(NAMES, (a, b, c, d), strict=True)})


def asked(handicap, epsilon, delta=0.0):
    tables = tuple(CrossTable((Coded(NAMES[i]), Coded(NAMES[j]))) for i, j in ENDS)
    expected = tuple(np.pad(np.full((2, 2), 1000), ((0, 1), (0, 1))) for _ in ENDS)
    question = ChooseForest(Distances(tables, expected, (handicap,) * len(ENDS)), ENDS, 4, "pairs")
    with Curator(table(), SCHEMA, budget(epsilon, delta)) as curator:
        return curator.ask(question, Fraction(1)), curator.guarantee


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_strongest_pairs_and_no_ring(delta):
    found, guarantee = asked(400, 1e6, delta)
    assert [{NAMES[e] for e in ENDS[place]} for place in found.chosen] == [{"a", "b"}, {"b", "c"}]
    assert guarantee.steps[0].what == "pairs"
    assert guarantee.amount.epsilon == 10**6


def test_always_a_forest():
    for epsilon in (1e-3, 0.1, 1.0):
        found, _ = asked(-10_000_000, epsilon)  # everything is better than to stop
        tree = list(range(4))
        for place in found.chosen:
            one, other = (tree[end] for end in ENDS[place])
            assert one != other
            tree = [one if each == other else each for each in tree]
        assert len(found.chosen) == 3


def test_nothing_is_chosen_where_nothing_is_worth_it():
    assert asked(10**6, 1.0)[0].chosen == []
