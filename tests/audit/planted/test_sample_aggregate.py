"""PLANTED WRONG VERSIONS of sample-and-aggregate. Nothing in this file may be used outside of tests.

The whole fitted aggregate is audited: curator, blocks, aggregate and guarantee. Only the process in which the
function runs is replaced by a call, because thousands of processes would take hours; ``tests/isolation``
tests that a block's process sees its block and nothing else.
"""

from __future__ import annotations

import numpy as np
import pytest

from privet.isolation import blocks
from privet.learning.sample_aggregate import SampleAggregate
from privet.schema import Schema, Unit

SCHEMA = Schema.of({"age": (0.0, 100.0)}, missing="error")
FEW = {"runs": 600, "search_runs": 8}


class Called:
    """In place of ``Isolated``: the same contract, in this process."""

    def __init__(self, function, outputs, timeout, as_pandas=True, *, isolation="full", rehearsal=None):
        self.function, self.outputs = function, outputs

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def run(self, tables):
        return [self.one(table) for table in tables]

    def one(self, table):
        try:
            result = np.asarray(self.function(table), float).ravel()
        except Exception:
            return None
        return result if result.size == self.outputs else None


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    monkeypatch.setattr(blocks, "Isolated", Called)


def extreme(table):
    """The worst that a function can do: one record moves it across its range."""
    return float(table["age"].to_numpy().max() > 50)


def fails_on_somebody(table):
    """Raises where somebody is, and returns nonsense where somebody else is."""
    ages = table["age"].to_numpy()
    if ages.max() > 50:
        raise ValueError("here")
    return [1.0, 2.0] if ages.min() < 1 else 1.0


def aggregate(function=extreme, **how):
    how = {"blocks": 8, "epsilon": 1.0, "schema": SCHEMA, "tables": "arrow"} | how
    return SampleAggregate(function, 0, 1, **how)


@pytest.mark.parametrize(("function", "how"), [(extreme, "mean"), (fails_on_somebody, "median")])
def test_the_right_aggregate_passes(passed, function, how):
    passed(aggregate(function, aggregate=how), **FEW)


def test_the_right_aggregate_passes_when_persons_are_exchanged(passed):
    unit = Unit("replace", id="person", most=2)
    schema = Schema.of({"age": (0.0, 100.0)}, unit=unit, missing="error")
    passed(aggregate(schema=schema), runs=200, search_runs=8)


def test_blocks_that_overlap(caught, monkeypatch):
    """WRONG: every record is in all of the eight blocks, so it moves all their outputs: the true ε is 8."""

    def overlapping(source, schema, count, randomness):
        return [blocks_of(source, schema, 1, randomness)[0]] * count

    blocks_of = blocks.block_tables
    monkeypatch.setattr(blocks, "block_tables", overlapping)
    caught(aggregate(), **FEW)


def test_outputs_outside_the_declared_range(caught, monkeypatch):
    """WRONG: what the function returns is not held to the ranges that the noise was made for."""

    def placed(self, result):
        middle = np.array([blocks.GRID // 2])
        return middle if result is None else np.rint(result * blocks.GRID).astype(np.int64)

    monkeypatch.setattr(blocks.BlockFunction, "_placed", placed)
    caught(aggregate(lambda table: 40 * extreme(table)), **FEW)


def test_failures_that_are_told(caught, monkeypatch):
    """WRONG: a block on which the function fails stops the release: that it failed is told exactly."""

    class Refuses(SampleAggregate):
        def fit(self, X, y=None):
            self.failed_ = False
            try:
                return super().fit(X, y)
            except RuntimeError:
                self.failed_ = True
                return self

    def one(self, table):
        try:
            self.function(table)
        except ValueError:
            raise RuntimeError from None
        return silent(self, table)

    silent = Called.one
    monkeypatch.setattr(Called, "one", one)
    caught(Refuses(fails_on_somebody, 0, 1, blocks=8, epsilon=1.0, schema=SCHEMA, tables="arrow"), **FEW)
