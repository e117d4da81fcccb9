"""Preparers; with a PLANTED WRONG VERSION of what they ask, for tests only."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pytest

from privet.audit import Pair
from privet.learning.prepare import (
    Bounds,
    ClipOutliers,
    EqualFrequency,
    Impute,
    RareValues,
    Standardise,
    SupervisedCuts,
    histogram,
    supervised,
)
from privet.schema import Schema
from privet.stats import CrossTable, proved

SCHEMA = Schema.of({"age": (0.0, 100.0), "smoker": ["no", "yes"]})


def table(records):
    return pa.table(
        {"age": [10.0] * 20 + [90.0] * (records - 20), "smoker": ["no"] * 20 + ["yes"] * (records - 20)}
    )


PAIRS = [Pair("one record that stands alone", table(21), table(20))]
PREPARERS = [
    Bounds(bins=4),
    ClipOutliers(grain=8),
    EqualFrequency(bins=2, grain=8),
    Impute(bins=4),
    RareValues(),
    Standardise(bins=4),
    SupervisedCuts(grain=8),
]


@proved
@dataclass(frozen=True)
class CountsTwenty(CrossTable):
    """WRONG **Sensitivity**: a record adds 20 to its cell where 1 is said. A histogram has 20 times the ε."""

    def finish(self, state, schema):
        return 20 * super().finish(state, schema)


@pytest.mark.parametrize("preparer", PREPARERS, ids=lambda each: type(each).__name__)
def test_preparers(passed, preparer):
    passed(preparer.set_params(schema=SCHEMA), pairs=PAIRS, runs=600)


@pytest.mark.parametrize("preparer", PREPARERS, ids=lambda each: type(each).__name__)
def test_histograms_with_too_little_noise(caught, monkeypatch, preparer):
    monkeypatch.setattr(histogram, "CrossTable", CountsTwenty)
    monkeypatch.setattr(supervised, "CrossTable", CountsTwenty)
    caught(preparer.set_params(schema=SCHEMA), pairs=PAIRS, runs=1_000)
