"""Candidate pairs really are neighbours, and reach the extremes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from privet.audit.examples import deep_schemas, quick_schema
from privet.audit.pairs import candidate_pairs
from privet.engines.memory import fold
from privet.learning.classify import NaiveBayes
from privet.schema import Schema, Unit
from privet.stats import Contingency

COLUMNS = Schema.of({"age": (0.0, 100.0), "ward": ["a", "b"], "ill": ["no", "yes"]}, target="ill")
UNITS = {
    "records": Unit(),
    "replaced": Unit("replace"),
    "persons": Unit(id="who", most=2),
    "persons replaced": Unit("replace", id="who", most=2),
}


def rows(table, unit):
    return Counter(tuple(row.values()) for row in table.to_pylist())


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_pairs_differ_in_one_unit(unit):
    schema = replace(COLUMNS, unit=unit)
    pairs = candidate_pairs(schema, np.random.default_rng(0))
    assert len({pair.name for pair in pairs}) == len(pairs)
    for pair in pairs:
        gone, come = (
            rows(a, unit) - rows(b, unit) for a, b in ((pair.first, pair.second), (pair.second, pair.first))
        )
        if unit.neighbours == "add_remove":
            assert not come
        changed = gone + come
        if unit.id is None:
            assert gone.total() == 1
            assert come.total() == (unit.neighbours == "replace")
        else:
            assert len({row[-1] for row in changed}) == 1


def test_extremes_are_there():
    schema = replace(COLUMNS, unit=Unit(id="who", most=2))
    pairs = candidate_pairs(schema, np.random.default_rng(0))
    added = [pair.first.to_pylist()[pair.second.num_rows :] for pair in pairs]
    assert any(pair.second.num_rows == 0 for pair in pairs)
    assert any(row["age"] is not None and row["age"] > 100 for unit in added for row in unit)
    assert any(row["age"] is None and row["ill"] is None for unit in added for row in unit)
    assert any(len(unit) == 6 for unit in added)  # more than are allowed
    assert any({row["ill"] for row in unit} == {"yes"} and "yes" not in pair.second["ill"].to_pylist()
               for pair, unit in zip(pairs, added, strict=True))  # fmt: skip


def test_every_pair_can_be_learned_from():
    for schema in deep_schemas(NaiveBayes()).values():
        for pair in candidate_pairs(schema, np.random.default_rng(0)):
            for table in (pair.first, pair.second):
                fold([Contingency(None, "ill")], table.to_batches(), schema)


def test_schemas_for_every_kind_of_algorithm():
    from sklearn.cluster import KMeans
    from sklearn.linear_model import LinearRegression

    assert quick_schema(LinearRegression()).target == "pressure"
    assert quick_schema(KMeans()).target is None
    for algorithm in (LinearRegression(), KMeans(), NaiveBayes()):
        assert len(deep_schemas(algorithm)) == 3
