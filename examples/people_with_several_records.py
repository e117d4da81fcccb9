"""Protect people, not records, where one person may have several records.

python examples/people_with_several_records.py
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from privet import NaiveBayes, Schema, Unit

generator = np.random.default_rng(7)
visits = 6000
people = generator.integers(0, 2500, visits)
ill = people % 3 == 0
table = pa.table(
    {
        "patient": people,
        "temperature": 36.6 + 1.4 * ill + generator.normal(0, 0.5, visits),
        "ill": np.where(ill, "yes", "no"),
    }
)

columns = {"temperature": (34.0, 43.0), "ill": ["no", "yes"]}
for unit in (Unit(), Unit(id="patient", most=3)):
    schema = Schema.of(columns, target="ill", unit=unit)
    model = NaiveBayes(epsilon=1.0, schema=schema).fit(table)
    print(model.guarantee_.headline)
    print(" ", model.guarantee_.steps[0].sentence())
