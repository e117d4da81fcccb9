"""Generated tables of the shapes of the thesis's census sets, which are not free to pass on.

Shapes alone are taken from the thesis: records, columns after encoding, and which kind they are. Three hidden
traits make attributes go together, as age, schooling and family do, and an income above or below a threshold
follows from them and from chance. A linear rule can get about four of five right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from privet.schema import Schema

__all__ = ["CENSUS_SHAPES", "census_like"]

#: Name; records, columns after encoding (without the class), whether categories are one-hot blocks, and how
#: closely attributes follow the hidden traits (0 to 1).
CENSUS_SHAPES: dict[str, tuple[int, int, bool, float]] = {
    "BR-2000 shape": (38_000, 52, True, 0.6),
    "US-2000 shape": (40_000, 57, True, 0.6),
    "US-2009 shape": (370_044, 13, False, 0.6),
    # Not in the thesis: few attributes that go together closely, which is hard for methods that model them
    # apart.
    "closely linked": (40_000, 13, False, 0.8),
}
NUMBERS, CATEGORIES = 6, 7


def census_like(
    records: int, width: int, nominal: bool = True, strength: float = 0.6, seed: int = 0
) -> tuple[pa.Table, Schema]:
    """A table and its schema. With ``nominal``, 7 categories fill what 6 numbers leave of the width.

    >>> table, schema = census_like(100, 52)
    >>> from privet.learning.linear import Encoder
    >>> Encoder(schema=schema).transform(table).shape
    (100, 52)
    """
    draw = np.random.default_rng(seed)
    traits = draw.normal(size=(records, 3))

    def trait() -> Any:
        mixed = traits @ draw.dirichlet(np.ones(3)) ** 0.5 * draw.choice([-1, 1])
        return strength * mixed + np.sqrt(1 - strength**2) * draw.normal(size=records)

    numbers = min(NUMBERS, width) if nominal else width
    columns: dict[str, Any] = {}
    domains: dict[str, Any] = {}
    for j in range(numbers):
        name = f"number_{j}"
        # Half of the numbers of an unblocked table are yes or no, as in the census sets.
        yes_or_no = not nominal and j % 2 == 1
        columns[name] = (trait() > 0).astype(float) if yes_or_no else np.clip(trait(), -3, 3)
        domains[name] = (0.0, 1.0) if yes_or_no else (-3.0, 3.0)
    left = width - numbers
    blocks = min(CATEGORIES, left // 2) if nominal else 0
    for j in range(blocks):
        size = left // blocks + (1 if j < left % blocks else 0)
        cuts = np.quantile(draw.normal(size=2000), np.sort(draw.uniform(0.02, 0.98, size - 1)))
        columns[f"category_{j}"] = pa.array(np.searchsorted(cuts, trait()).astype(str))
        domains[f"category_{j}"] = [str(value) for value in range(size)]
    chance = 1 / (1 + np.exp(-2.5 * (traits @ np.array([0.8, 0.5, -0.4]))))
    columns["income"] = pa.array(np.where(draw.random(records) < chance, "above", "below"))
    return pa.table(columns), Schema.of({**domains, "income": ["below", "above"]}, target="income")
