"""The experiments' machinery: curves rise with ε, and the figure is drawn from them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from privet.experiments.gwas import attribute_tables, plot_recovery, recovery, simulated_tables
from privet.schema import Schema
from privet.selection.scores.chi2 import chi_square


def test_signals_are_the_best_and_are_found_with_epsilon():
    tables = simulated_tables(3000)
    assert (np.sort(chi_square(tables))[-3:] > 25).all()
    points = recovery(tables, ks=[3], epsilons=[0.1, 20.0], repetitions=10)
    assert points[0].percentage < 30
    assert points[1].percentage > 90
    assert plot_recovery(points) is not None
    weak = recovery(tables, ks=[3], epsilons=[2.0], repetitions=10, among=100)
    strict = recovery(tables, ks=[3], epsilons=[2.0], repetitions=10)
    assert weak[0].percentage >= strict[0].percentage


def test_any_public_table():
    draw = np.random.default_rng(0)
    y = draw.integers(0, 2, 500)
    table = pa.table({"a": y ^ (draw.random(500) < 0.1), "b": draw.integers(0, 3, 500), "y": y})
    schema = Schema.of({"a": [0, 1], "b": [0, 1, 2], "y": [0, 1]}, target="y")
    groups = attribute_tables(table, schema)
    [point] = recovery(groups, score="chi2", ks=[1], epsilons=[20.0], repetitions=5)
    assert point.percentage == 100
