"""Algorithms that choose attributes, compared by how many of the truly best ones they find.

The truly best are those that the same algorithm chooses from the same records at an ε so large that its noise
changes nothing. The table is public, so nobody needs to be protected from that. Private tables have no such
figure: to know the truth would be to release it.

How hard that is shows in the p-values: where those of neighbours in the order are alike, no choice tells them
apart. ``p_value`` is that of the weakest of the k truly best, by Pearson's test, without noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone

__all__ = ["FIGURES", "recovered"]

WITHOUT_NOISE = 1_000_000.0
FIGURES = ("recovered", "chosen", "p_value")


def recovered(selector: Any, table: pa.Table, measure: str | None = None) -> dict[str, float | None]:
    """Which share of the truly best attributes a private choice finds, and how many it has chosen.

    The p-value is looked at only if it is the ``measure``.
    """
    if measure == "p_value":
        return {"p_value": _weakest(selector, table)}
    truth = clone(selector).set_params(epsilon=WITHOUT_NOISE, delta=0.0).fit(table).get_support()
    chosen = selector.fit(table).get_support()
    best = int(np.sum(truth))
    found = float(np.sum(truth & chosen)) / best if best else None
    return {"recovered": found, "chosen": float(np.sum(chosen))}


def _weakest(selector: Any, table: pa.Table) -> float | None:
    """The p-value of the weakest of the k best; None for an algorithm that does not score by χ²."""
    from scipy.stats import chi2

    if getattr(selector, "criterion", None) != "chi2" or not selector.k:
        return None
    best = clone(selector).set_params(epsilon=WITHOUT_NOISE, delta=0.0, values=True).fit(table)
    classes = best.schema_.nominal_target().size
    tables = {str(each.row): each for each in best.tables(best.schema_)}
    heights = [tables[name].shape(best.schema_)[0] - 1 for name in best.chosen_]  # one row is for missing
    freedom = [(height - 1) * (classes - 1) for height in heights]
    values = np.maximum(best.values_[:, 0], 0.0)
    return float(np.max(chi2.sf(values, np.maximum(freedom, 1))))
