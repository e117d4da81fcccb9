"""The published tables again: the published values are there, and the published formula is found out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import DataError
from privet.experiments import geometric_as_published
from privet.experiments.perturbation_tables import MEASURES, PUBLISHED, VARIANTS, markdown, reproduce
from privet.schema import Schema

SCHEMA = Schema.of(
    {"age": (0, 100), "hours": (0, 100), "gain": (0, 100), "sex": ["f", "m"], "class": ["no", "yes"]},
    target="class",
)


@pytest.fixture(scope="module")
def found():
    generator = np.random.default_rng(0)
    age, hours, gain = np.round(np.clip(generator.normal(40, 14, (3, 600)), 17, 90))
    rich = np.where(age + hours + generator.normal(0, 10, 600) > 80, "yes", "no")
    table = pa.table(
        {"age": age, "hours": hours, "gain": gain, "sex": generator.choice(["f", "m"], 600), "class": rich}
    )
    return reproduce("adult", table, SCHEMA, ("age",), folds=3)


def test_every_variant_is_mined_and_attacked(found):
    assert [each.variant for each in found] == list(VARIANTS)
    published, one, every = found
    assert published.attacks.resistance < 1e-6
    assert published.attacks.by_column["age"][1] == "reversal"
    assert every.attacks.resistance > published.attacks.resistance
    assert one.attacks.columns == ("age",)
    assert every.attacks.columns == ("age", "hours", "gain")
    for each in found:
        before, after = each.scores["naive Bayes"]
        assert 0.5 < after.accuracy <= before.accuracy + 0.05


def test_published_values_stand_beside_the_measured_ones(found):
    text = markdown(found)
    assert "| adult | age | naive Bayes | accuracy | 0.8342 | 0.8318 |" in text
    assert text.count("| adult | age |") == 2 * len(MEASURES) + 3
    assert len(PUBLISHED) == 8
    assert all(len(side) == len(MEASURES) for both in PUBLISHED.values() for side in both)


def test_the_published_program_on_what_it_cannot_do():
    with pytest.raises(DataError, match="fifth value"):
        geometric_as_published.perturb(np.arange(4.0))
    with pytest.raises(DataError, match="spread"):
        geometric_as_published.perturb(np.ones(9))
