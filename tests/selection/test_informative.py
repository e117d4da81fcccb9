"""Attributes that tell nothing are dropped, and one stays in any case."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import DataError, ParameterError
from privet.flow import Flow
from privet.schema import Schema
from privet.selection.informative import Informative

DRAW = np.random.default_rng(0)
ILL = DRAW.integers(0, 2, 6000)
SCHEMA = Schema.of(
    {"cough": [0, 1], "age": (0.0, 100.0), "noise": (0.0, 1.0), "coin": [0, 1], "ill": [0, 1]}, target="ill"
)
TABLE = pa.table(
    {
        "cough": (ILL + (DRAW.random(6000) < 0.2)) % 2,
        "age": np.clip(40 + 20 * ILL + DRAW.normal(0, 10, 6000), 0, 100),
        "noise": DRAW.random(6000),
        "coin": DRAW.integers(0, 2, 6000),
        "ill": ILL,
    }
)


def test_what_tells_nothing_is_dropped():
    assert Informative(epsilon=1.0, schema=SCHEMA, random_state=1).fit(TABLE).chosen_ == ["cough", "age"]


def test_one_attribute_stays_in_any_case():
    nothing = TABLE.drop_columns(["cough", "age"])
    schema = Schema.of({"noise": (0.0, 1.0), "coin": [0, 1], "ill": [0, 1]}, target="ill")
    assert len(Informative(epsilon=0.01, times=1000, schema=schema, random_state=1).fit(nothing).chosen_) == 1


def test_in_a_flow_no_column_can_be_counted_on_afterwards():
    steps = {
        "people": {"do": "source", "data": "x"},
        "telling": {"do": "informative", "from": "people"},
        "some": {"do": "keep", "from": "telling", "columns": ["age"]},
    }
    with pytest.raises(ParameterError, match="may drop"):
        Flow.from_dict({"steps": steps}).plan({"people": (TABLE, SCHEMA)})


def test_a_table_without_attributes_is_refused():
    schema = Schema.of({"y": ["no", "yes"]}, target="y")
    with pytest.raises(DataError, match="no attribute to choose from"):
        Informative(epsilon=1.0, schema=schema).fit(pa.table({"y": ["no", "yes"]}))
