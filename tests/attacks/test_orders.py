"""A database has no order of rows, however many hands its rows go through on their way.

Which of a person's records stay must not depend on others (``stats.contribution``). A source that wraps a
table of a database and does not say so brings back the attack on "the first records of a person".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from privet.curator.folds import Folds
from privet.engines import MemoryEngine
from privet.learning.prepare import Impute, Standardise
from privet.randomness import seeded
from privet.schema import Schema, Unit
from privet.sources import ArrowSource
from privet.stats import Coded, CrossTable
from privet.stats.contribution import resolved

SCHEMA = replace(Schema.of({"x": (0.0, 10.0)}), unit=Unit(id="person", most=1))
MANY = 300


class Database(ArrowSource):
    """Two records of each person, which come in another order if somebody more is there."""

    ordered = False

    def __init__(self, more: bool) -> None:
        people = [f"p{number}" for number in range(MANY)] * 2
        values = [0.0] * MANY + [10.0] * MANY
        if more:
            people, values = ["one more", *people[::-1]], [5.0, *values[::-1]]
        super().__init__(pa.table({"x": values, "person": people}))


def fitted(kind):
    return kind(epsilon=1.0, schema=SCHEMA, random_state=0).fit(ArrowSource(Database(False)._table))


WRAPPERS = {
    "standardised": fitted(Standardise).mapped,
    "imputed": fitted(Impute).mapped,
    "training part": lambda source: Folds(source, SCHEMA, 5, seeded(1)).outside(0),
    "test part": lambda source: Folds(source, SCHEMA, 5, seeded(1)).inside(0),
    "both": lambda source: Folds(fitted(Impute).mapped(source), SCHEMA, 5, seeded(1)).outside(0),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_one_person_more_decides_nothing_about_the_records_of_others(name):
    wide = replace(SCHEMA, columns=(replace(SCHEMA["x"], low=-10.0, high=10.0),))
    statistic = CrossTable((Coded("x", tuple(np.linspace(-9, 9, 19).tolist())),))
    sources = [WRAPPERS[name](Database(more)) for more in (False, True)]
    for source in sources:
        assert resolved(SCHEMA.unit, source).keep == "content"
    one, other = (MemoryEngine().answer([statistic], source, wide)[0] for source in sources)
    assert np.abs(one - other).sum() <= statistic.sensitivity(wide).l1
