"""PLANTED WRONG VERSIONS of the mining of itemsets. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from privet.audit import Pair
from privet.learning.associate import FrequentItemsets, sparse
from privet.schema import Items, Schema
from privet.stats import proved
from privet.stats.item_sets import SetCounts

SCHEMA = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]})
FEW = {"runs": 400, "search_runs": 8}


class ExactNumber(FrequentItemsets):
    """WRONG: shares are made with the exact number of records that have anything at all."""

    def fit(self, X, y=None, **more):
        super().fit(X, y, **more)
        self.records_ = float(pc.sum(pc.equal(X["smoker"], "yes")).as_py() or 0)
        return self


def test_an_exact_number_beside_noisy_supports(caught, passed):
    caught(ExactNumber(epsilon=1.0, schema=SCHEMA), **FEW)
    passed(FrequentItemsets(epsilon=1.0, schema=SCHEMA), **FEW)


BASKETS = Schema.of({"basket": Items("basket", ("a", "b", "c", "d"), most=4)})
PAIRS = [
    Pair(
        "a long basket",
        pa.table({"basket": [["a"], [], ["a", "b", "c", "d"]]}),
        pa.table({"basket": [["a"], []]}),
    )
]


@proved
@dataclass(frozen=True)
class BoldSetCounts(SetCounts):
    """WRONG **Sensitivity**: a long basket weighs a hundred times what is said, and so does its ε."""

    def finish(self, state, schema):
        return 100 * state


def test_sets_that_weigh_more_than_is_said(caught, passed, monkeypatch):
    honest = FrequentItemsets(epsilon=1.0, schema=BASKETS)
    passed(honest, pairs=PAIRS, **FEW)
    monkeypatch.setattr(sparse, "SetCounts", BoldSetCounts)
    caught(honest, pairs=PAIRS, **FEW)
