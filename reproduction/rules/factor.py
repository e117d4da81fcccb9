"""Table 5.11 of the thesis: what F, the readiness with which conditions come and go, does to 1-rule ABC.

The thesis says "at the end of 20 runs" and not what a run is; here each of the 20 runs is one fold of
2 × 10-fold cross-validation on exact records. Its own row F = 0.6 differs from what table 5.1 prints for the
same method with the same parameters (0.929 and 0.914 on breast_w, 0.758 and 0.703 on ecoli, 0.889 and 0.852
on iris).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from privet.schema import Schema
from reproduction import markdown
from reproduction.grid import folded
from reproduction.rules.mined import colony
from reproduction.rules.protocol import Score, score

__all__ = ["FACTORS", "PUBLISHED", "SETS", "runs", "table_of"]

SETS = ("breast_w", "ecoli", "iris")
FACTORS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
#: Set → (mean, deviation) for each of ``FACTORS``.
PUBLISHED: dict[str, tuple[tuple[float, float], ...]] = {
    "breast_w": (
        (0.910, 0.03), (0.937, 0.02), (0.931, 0.02), (0.934, 0.03), (0.921, 0.03),
        (0.929, 0.02), (0.922, 0.03), (0.927, 0.03), (0.921, 0.03), (0.916, 0.03),
    ),
    "ecoli": (
        (0.719, 0.05), (0.734, 0.04), (0.712, 0.04), (0.725, 0.05), (0.734, 0.04),
        (0.758, 0.04), (0.737, 0.05), (0.707, 0.05), (0.741, 0.04), (0.739, 0.05),
    ),
    "iris": (
        (0.862, 0.06), (0.870, 0.06), (0.882, 0.05), (0.873, 0.06), (0.878, 0.06),
        (0.889, 0.05), (0.880, 0.06), (0.884, 0.05), (0.878, 0.06), (0.884, 0.05),
    ),
}  # fmt: skip


def miner(schema: Schema, epsilon: float, delta: float, random_state: int, data: str, **given: Any) -> Any:
    """1-rule ABC on exact records, with the thesis's parameters for a set."""
    return colony(data, "one", None, schema, random_state, **given)


def runs(
    name: str, table: pa.Table, schema: Schema, factor: float, *, seed: int, folds: int = 10, **given: Any
) -> list[float]:
    """The accuracies of one cross-validation of 1-rule ABC with one F."""
    makes = {"1-rule ABC": (miner, {"data": name, "factor": factor, **given})}
    [found] = folded(table, schema, makes, folds=folds, seed=seed).values()
    return [one["accuracy"] for one in found]


def table_of(found: Mapping[str, Mapping[float, Sequence[float]]]) -> str:
    """Published (bold) and measured accuracy for every F."""
    rows = []
    for place, factor in enumerate(FACTORS):
        cells = []
        for name in SETS:
            printed = "**{:.3f} ± {:.2f}**".format(*PUBLISHED[name][place])
            measured = found.get(name, {}).get(factor)
            cells.append(printed if not measured else f"{printed} / {score(measured)}")
        rows.append([f"{factor:g}", *cells])
    return markdown.table(["F", *SETS], rows)


def spread(scores: Sequence[Score]) -> float:
    """How far the means of several F lie apart."""
    means = [one.mean for one in scores]
    return max(means) - min(means)
