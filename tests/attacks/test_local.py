"""Local privacy: what leaves with a perturbed table is what the guarantee speaks of, and nothing else.

Before, columns that came after a fit left in the clear under a guarantee that held, and so did the labels of
a data frame's rows, which may be names.
"""

from __future__ import annotations

import pandas as pd
import pytest

from privet.errors import DataError
from privet.perturbation import AdditiveNoise
from privet.perturbation.local import InputPerturbation
from privet.perturbation.nominal import RandomisedColumns
from privet.schema import Schema

SCHEMA = Schema.of({"age": (0.0, 100.0), "ill": ["no", "yes"]})
TABLE = pd.DataFrame({"age": [20.0, 70.0], "ill": ["no", "yes"]})
METHODS = {
    "input": (InputPerturbation(schema=SCHEMA), ["age", "ill"]),
    "response": (RandomisedColumns(schema=SCHEMA), ["ill"]),
    "additive": (AdditiveNoise(schema=SCHEMA, kind="laplace", epsilon=1.0), ["age"]),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_column_that_was_not_promised_does_not_leave(method):
    model, columns = METHODS[method]
    model.fit(TABLE[columns])
    assert model.guarantee_.holds
    assert list(model.transform(TABLE[columns]).columns) == columns
    with pytest.raises(DataError, match="in the clear") as refusal:
        model.transform(TABLE[columns].assign(name=["Ann", "Bob"]))
    assert "Ann" not in str(refusal.value)
    if method != "input":
        with pytest.raises(DataError, match="in the clear"):
            model.transform_one({**TABLE[columns].iloc[0], "name": "Ann"})


@pytest.mark.parametrize("method", METHODS)
def test_the_labels_of_rows_are_a_column_that_leaves_in_the_clear(method):
    model, columns = METHODS[method]
    named = TABLE[columns].set_axis(["Ann", "Bob"])
    if method == "input":  # it gives out a table without them
        assert model.fit(named).transform(named).index.tolist() == [0, 1]
        return
    assert not model.fit(named).guarantee_.holds
    assert model.fit(TABLE[columns].iloc[[1]]).guarantee_.holds
    with pytest.raises(DataError, match="in the clear"):
        model.transform(named)
