"""The published tables again: the published values are there, and the published formula is found out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.audit.perturbation.report import AttackReport
from privet.errors import DataError
from privet.schema import Schema
from reproduction.geometric import as_published
from reproduction.geometric.tables import (
    LEARNERS,
    MEASURES,
    PUBLISHED,
    VARIANTS,
    attacked,
    attacks_table,
    measures_table,
    mined,
)

SCHEMA = Schema.of(
    {"age": (0, 100), "hours": (0, 100), "gain": (0, 100), "sex": ["f", "m"], "class": ["no", "yes"]},
    target="class",
)


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    age, hours, gain = np.round(np.clip(generator.normal(40, 14, (3, 600)), 17, 90))
    rich = np.where(age + hours + generator.normal(0, 10, 600) > 80, "yes", "no")
    return pa.table(
        {"age": age, "hours": hours, "gain": gain, "sex": generator.choice(["f", "m"], 600), "class": rich}
    )


def test_every_variant_is_attacked(table):
    published, one, every = (attacked(table, SCHEMA, "age", variant) for variant in VARIANTS)
    assert published.resistance < 1e-6
    assert all(attack.succeeds for attack in published.attacks)
    assert every.resistance > one.resistance * 0.5 > published.resistance
    assert one.columns == ("age",)
    assert every.columns == ("age", "hours", "gain")
    again = AttackReport.from_dict(every.to_dict())
    assert again == every
    lines = attacks_table({("adult", "age", variant): again for variant in VARIANTS}).splitlines()
    assert len(lines) == 2 + len(VARIANTS)
    assert f"| {again.weakest} |" in lines[2]


def test_every_variant_is_mined_and_stands_beside_the_published_values(table):
    found = [
        mined("adult", table, SCHEMA, "age", variant, folds=3, repetitions=2 if variant == VARIANTS[1] else 1)
        for variant in VARIANTS
    ]
    for each in found:
        before, after = (side["naive Bayes"][0][0] for side in (each.original, each.perturbed))
        assert 0.5 < after <= before + 0.05
    lines = measures_table(found).splitlines()
    assert lines[2].startswith("| naive Bayes | accuracy | 0.8342 | 0.8318 |")
    assert len(lines) == 2 + len(LEARNERS) * len(MEASURES)
    assert " ± " in lines[2]
    assert len(PUBLISHED) == 8
    assert all(len(side) == len(MEASURES) for both in PUBLISHED.values() for side in both)


def test_the_published_program_on_what_it_cannot_do():
    with pytest.raises(DataError, match="fifth value"):
        as_published.perturb(np.arange(4.0))
    with pytest.raises(DataError, match="spread"):
        as_published.perturb(np.ones(9))
