"""A table of patients who do not exist, for demonstrations and examples.

The people are drawn at random from plausible distributions; the seed makes the same table each time. That is
fine for *data*: it is noise for privacy that must never come from a seed.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from privet.schema import Category, Number, Schema, Unit

__all__ = ["DATASET", "SEED", "TARGET", "patients", "public_knowledge"]

DATASET = "clinic-patients"
TARGET = "diabetes"
SEED = 2024
OUTCOMES = ("no", "at risk", "yes")
_HOW_MANY = (0.62, 0.23, 0.15)


def patients(records: int = 20_000, seed: int = SEED) -> pa.Table:
    """Generated patients: numbers, categories, some cells missing.

    >>> table = patients(1000)
    >>> table.num_rows, table.column_names[-1]
    (1000, 'diabetes')
    """
    draw = np.random.default_rng(seed)
    outcome = draw.choice(3, records, p=_HOW_MANY)
    severity = outcome + draw.normal(0, 0.5, records)  # what the signs share beyond the diagnosis

    def number(base: float, slope: float, spread: float, low: float, high: float) -> np.ndarray:
        return np.clip(base + slope * severity + draw.normal(0, spread, records), low, high)

    def category(*tables: tuple[float, ...]) -> np.ndarray:
        """One of several choices, with the probabilities that belong to the outcome."""
        thresholds = np.cumsum(np.array(tables), axis=1)[outcome]
        return np.minimum((draw.random(records)[:, None] > thresholds).sum(axis=1), len(tables[0]) - 1)

    def words(codes: np.ndarray, names: tuple[str, ...], missing: float = 0.0) -> pa.Array:
        return pa.array(np.array(names, dtype=object)[codes], mask=draw.random(records) < missing)

    def rounded(values: np.ndarray, digits: int, missing: float = 0.0) -> pa.Array:
        values = np.round(values, digits)
        return pa.array(values if digits else values.astype(np.int64), mask=draw.random(records) < missing)

    return pa.table(
        {
            "age": rounded(number(44, 9, 12, 18, 99), 0),
            "sex": words(draw.integers(0, 2, records), ("female", "male")),
            "region": words(draw.integers(0, 4, records), ("north", "east", "south", "west")),
            "smoker": words(
                category((0.6, 0.25, 0.15), (0.5, 0.3, 0.2), (0.42, 0.33, 0.25)),
                ("never", "former", "current"),
                missing=0.04,
            ),
            "family_history": words(category((0.8, 0.2), (0.65, 0.35), (0.48, 0.52)), ("no", "yes")),
            "exercise": words(
                category((0.25, 0.45, 0.3), (0.4, 0.42, 0.18), (0.52, 0.36, 0.12)), ("little", "some", "much")
            ),
            "bmi": rounded(number(25, 2.8, 3.2, 15, 58), 1, missing=0.03),
            "systolic": rounded(number(121, 6.5, 12, 80, 220), 0, missing=0.02),
            "glucose": rounded(number(90, 19, 8, 55, 300), 0, missing=0.05),
            "medication": words(
                category((0.78, 0.2, 0.02), (0.62, 0.3, 0.08), (0.4, 0.28, 0.32)),
                ("none", "blood pressure", "statins and other"),
            ),
            TARGET: words(outcome, OUTCOMES),
        }
    )


def public_knowledge() -> Schema:
    """What a clinic can say about its table without looking: round bounds, the answers on its form."""
    columns = (
        Number("age", 18, 100, integer=True),
        Category("sex", ("female", "male")),
        Category("region", ("north", "east", "south", "west")),
        Category("smoker", ("never", "former", "current")),
        Category("family_history", ("no", "yes")),
        Category("exercise", ("little", "some", "much")),
        Number("bmi", 10, 60),
        Number("systolic", 70, 230, integer=True),
        Number("glucose", 50, 300, integer=True),
        Category("medication", ("none", "blood pressure", "statins and other")),
        Category(TARGET, OUTCOMES),
    )
    return Schema(columns, target=TARGET, unit=Unit(), dataset=DATASET)
