"""Preparers; with a PLANTED WRONG VERSION of what they ask, for tests only."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pytest

from privet.audit import Pair, Transcript
from privet.curator.ask import find_values
from privet.learning.prepare import (
    Bounds,
    ClipOutliers,
    Domain,
    EqualFrequency,
    Impute,
    RareValues,
    Standardise,
    SupervisedCuts,
    histogram,
    supervised,
)
from privet.mechanisms.threshold import Threshold
from privet.schema import Category, Schema
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


OPEN = Schema((Category("ward", (), other="another"),))
ALONE = Pair(
    "a value that one record has",
    pa.table({"ward": ["a"] * 20 + ["b"]}),
    pa.table({"ward": ["a"] * 20}),
)


def finds(thing=Domain):
    return Transcript(thing(epsilon=1.0, delta=1e-3, schema=OPEN))


class NamesAll(Threshold):
    """WRONG: names every value that occurs. A value that one record has gives its table away."""

    least = 0


class CountsTwentyTimes(Threshold):
    """WRONG: a record counts 20 times where once is said. Noisy counts have 20 times the ε."""

    def named(self, counts, randomness):
        return super().named({value: 20 * count for value, count in counts.items()}, randomness)


def test_values_that_are_found(passed):
    passed(finds(), pairs=[ALONE], runs=600)


@pytest.mark.parametrize("wrong", [NamesAll, CountsTwentyTimes])
def test_values_that_are_found_too_easily(caught, monkeypatch, wrong):
    monkeypatch.setattr(find_values, "Threshold", wrong)
    pair = ALONE if wrong is NamesAll else Pair("one more", ALONE.second.slice(1), ALONE.second)
    caught(finds(), pairs=[pair], runs=1_000)
