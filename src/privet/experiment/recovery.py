"""Algorithms that choose attributes, compared by how many of the truly best ones they find.

The truly best are those that the same algorithm chooses from the same records at an ε so large that its noise
changes nothing. The table is public, so nobody needs to be protected from that. Private tables have no such
figure: to know the truth would be to release it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone

__all__ = ["FIGURES", "recovered"]

WITHOUT_NOISE = 1_000_000.0
FIGURES = ("recovered", "chosen")


def recovered(selector: Any, table: pa.Table) -> dict[str, float | None]:
    """Which share of the truly best attributes a private choice finds, and how many it has chosen."""
    truth = clone(selector).set_params(epsilon=WITHOUT_NOISE, delta=0.0).fit(table).get_support()
    chosen = selector.fit(table).get_support()
    best = int(np.sum(truth))
    found = float(np.sum(truth & chosen)) / best if best else None
    return {"recovered": found, "chosen": float(np.sum(chosen))}
