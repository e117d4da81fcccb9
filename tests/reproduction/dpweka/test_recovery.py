"""The experiments' machinery: curves rise with ε, and the figure is drawn from them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from privet.schema import Schema
from privet.stats.association import Chi2
from privet.stats.association.chi2 import chi_square
from reproduction.dpweka.recovery import (
    GENOTYPE_CONTENDERS,
    Contender,
    attribute_tables,
    plot_recovery,
    recovery,
    simulated_tables,
)

BEST = GENOTYPE_CONTENDERS[0]


def test_signals_are_the_best_and_are_found_with_epsilon():
    tables = simulated_tables(3000)
    assert (np.sort(chi_square(tables))[-3:] > 25).all()
    points = recovery(tables, BEST, truth=Chi2(), ks=[3], epsilons=[0.1, 20.0], repetitions=10)
    assert points[0].percentage < 30
    assert points[1].percentage > 90
    assert plot_recovery(points) is not None
    weak = recovery(tables, BEST, truth=Chi2(), ks=[3], epsilons=[2.0], repetitions=10, among=100)
    strict = recovery(tables, BEST, truth=Chi2(), ks=[3], epsilons=[2.0], repetitions=10)
    assert weak[0].percentage >= strict[0].percentage


def test_any_public_table():
    draw = np.random.default_rng(0)
    y = draw.integers(0, 2, 500)
    table = pa.table({"a": y ^ (draw.random(500) < 0.1), "b": draw.integers(0, 3, 500), "y": y})
    schema = Schema.of({"a": [0, 1], "b": [0, 1, 2], "y": [0, 1]}, target="y")
    groups = attribute_tables(table, schema)
    [point] = recovery(groups, Contender(Chi2(), "permute_and_flip"), ks=[1], epsilons=[20.0], repetitions=5)
    assert point.percentage == 100


def test_those_as_good_as_the_last_count_and_errors_are_told():
    tables = np.tile([[[30, 20, 10], [10, 20, 30]]], (50, 1, 1))
    [tied] = recovery(tables, BEST, ks=[3], epsilons=[0.01], repetitions=5)
    assert (tied.percentage, tied.error) == (100, 0)
    [unsure] = recovery(simulated_tables(3000), BEST, truth=Chi2(), ks=[3], epsilons=[1.0], repetitions=40)
    assert 0 < unsure.error < 10
    assert unsure.among == 3


def test_weaker_signals_come_after_the_strong_ones():
    strengths = np.sort(chi_square(simulated_tables(5000, weaker=7)))[::-1]
    assert strengths[2] > strengths[3] + 5
    assert strengths[9] > strengths[10] + 5
