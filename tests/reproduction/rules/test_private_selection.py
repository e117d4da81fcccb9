"""The comparison of selections: every combination once, on the same folds, with its own budget."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from privet.schema import Schema
from reproduction.rules.private_selection import CLASSIFIERS, SELECTIONS, compare_selections


def test_every_combination_is_compared():
    draw = np.random.default_rng(0)
    y = draw.integers(0, 2, 400)
    names = ["a", "b", "c", "d"]
    columns = {name: draw.integers(0, 3, 400) for name in names} | {
        "good": (y + (draw.random(400) < 0.1)) % 2
    }
    schema = Schema.of({**{name: [0, 1, 2] for name in names}, "good": [0, 1], "y": [0, 1]}, target="y")
    table = pa.table({**columns, "y": y})
    found = compare_selections(table, schema, epsilons=(5.0,), k=1, folds=3)
    assert {(row.classifier, row.selection) for row in found} == {
        (c, s) for c in CLASSIFIERS for s in SELECTIONS
    }
    sizes = {row.selection: row.attributes for row in found}
    assert sizes["none"] == 5
    assert sizes["private filter"] == 1
    assert all(row.accuracy > 0.75 for row in found)
    assert all(0 <= row.standard_error < 0.1 for row in found)
