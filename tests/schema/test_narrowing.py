"""What is a narrowing of a registered schema, and what is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from privet.errors import SchemaError
from privet.schema import Category, Number, Schema
from privet.schema.narrowing import require_narrowing

OWNER = Schema(
    (Number("age", 0, 120), Category("sex", ("f", "m")), Category("ill", ("no", "yes"))), target="ill"
)


@pytest.mark.parametrize(
    "columns",
    [
        OWNER.columns,
        (Number("age", 0, 120, cuts=(3.0,), integer=True),),
        (Number("age", 1, 2), OWNER["ill"]),
        (Category("sex", ("m",)),),
        (Category("sex", ("m",), other="else"),),
    ],
)
def test_narrowings(columns):
    require_narrowing(Schema(columns, dataset="people"), OWNER)
    require_narrowing(Schema(columns, target=columns[0].name), OWNER)


@pytest.mark.parametrize("strict", [{"outside": "refuse"}, {"missing": "error"}])
def test_under_an_owner_who_refuses_only_columns_may_be_left_out(strict):
    owner = replace(OWNER, **strict)
    require_narrowing(Schema((OWNER["age"],)), owner)
    for column in (Number("age", 0, 119), Category("sex", ("m",)), Category("sex", ("f", "m"), other="x")):
        with pytest.raises(SchemaError, match="registered schema"):
            require_narrowing(Schema((column,)), owner)
