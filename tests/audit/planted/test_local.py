"""PLANTED WRONG VERSIONS of input perturbation. Nothing in this file may be used outside of tests."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from privet.schema import Schema, Unit

SCHEMA = Schema.of(
    {"age": (0.0, 100.0), "ill": ["no", "yes"]}, target="ill", unit=Unit("replace"), missing="error"
)


GENERATOR = np.random.default_rng()


def ages(table, scale):
    """Ages with two-sided geometric noise."""
    one, other = GENERATOR.geometric(-np.expm1(-1 / scale), (2, len(table)))
    return np.clip(table["age"].to_numpy(), 0, 100).round() + one - other


def ill(table):
    return pc.equal(table["ill"], "yes").to_numpy().astype(int)


def class_in_the_clear(table):
    """WRONG, as printed: noise on the numbers, and the class column left as it is; claimed as ε."""
    return {"age": ages(table, 100), "ill": ill(table)}


def both_perturbed(table):
    """RIGHT: half of ε for the number, half for the class, which tells the truth with odds of e^(ε/2)."""
    lies = GENERATOR.random(len(table)) < 1 / (1 + np.exp(0.5))
    return {"age": ages(table, 200), "ill": np.where(lies, 1 - ill(table), ill(table))}


def test_class_column_in_the_clear(caught, passed):
    found = caught(class_in_the_clear, schema=SCHEMA, epsilon=1.0, runs=1_000, search_runs=8)
    assert "ill" in found.event.description
    passed(both_perturbed, schema=SCHEMA, epsilon=1.0, runs=400, search_runs=8)
