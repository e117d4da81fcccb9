"""PLANTED WRONG VERSIONS of input perturbation. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privet.mechanisms import Laplace, RandomisedResponse
from privet.randomness import secure
from privet.schema import Schema, Unit

SCHEMA = Schema.of(
    {"age": (0.0, 100.0), "ill": ["no", "yes"]}, target="ill", unit=Unit("replace"), missing="error"
)


def ages(table):
    return np.clip(table["age"].to_numpy(), 0, 100)


def class_in_the_clear(table):
    """WRONG, as printed: noise on the numbers, and the class column left as it is; claimed as ε."""
    noisy = Laplace(Fraction(1), Fraction(100)).randomise(ages(table), secure())
    return {"age": noisy, "ill": table["ill"].to_pylist()}


def both_perturbed(table):
    """RIGHT: half of ε for the number, half for the class, by randomised response."""
    noisy = Laplace(Fraction(1, 2), Fraction(100)).randomise(ages(table), secure())
    codes = np.array([label == "yes" for label in table["ill"].to_pylist()], int)
    return {"age": noisy, "ill": RandomisedResponse(Fraction(1, 2), 2).randomise(codes, secure())}


def test_class_column_in_the_clear(caught, passed):
    found = caught(class_in_the_clear, schema=SCHEMA, epsilon=1.0, runs=1_000, search_runs=16)
    assert "ill" in found.event.description
    passed(both_perturbed, schema=SCHEMA, epsilon=1.0, runs=1_000, search_runs=16)
