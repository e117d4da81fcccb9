from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.learning.classify import NaiveBayes
from privet.schema import Schema

COLUMNS = {"age": (0, 100), "sex": ["f", "m"], "stage": ["none", "early", "late"]}


def patients(number: int, seed: int = 0) -> pa.Table:
    """People whose stage follows from age and sex, with noise; a few cells are missing."""
    generator = np.random.default_rng(seed)
    age = generator.integers(0, 101, number)
    sex = generator.integers(0, 2, number)
    stage = np.clip((age + 20 * sex + generator.normal(0, 15, number)) // 45, 0, 2).astype(int)
    ages = pa.array(age.astype(float), mask=generator.random(number) < 0.02)
    stages = pa.array(np.array(["none", "early", "late"])[stage], mask=generator.random(number) < 0.01)
    return pa.table({"age": ages, "sex": np.array(["f", "m"])[sex], "stage": stages})


@pytest.fixture(scope="session")
def schema():
    return Schema.of(COLUMNS, target="stage", dataset="patients")


@pytest.fixture(scope="session")
def model(schema):
    return NaiveBayes(epsilon=2.0, schema=schema, random_state=0).fit(patients(4000))


@pytest.fixture(scope="session")
def held_out():
    return patients(3000, seed=1)
