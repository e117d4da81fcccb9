"""Tables 5.12 to 5.15 of the thesis: iris before and after input perturbation, published beside measured.

The thesis computed its figures on "only one fold", so one draw of noise; here every training fold of every
repeat is perturbed, and means and deviations over those draws say where one draw may lie. Its three columns
are one draw: the published shift of a mean at ε = 2 and 3 is that at ε = 1 divided by 2 and 3.

Two ways of perturbing: as published (noise of the data's own range), and ``InputPerturbation`` with ε for
each attribute, whose range is declared. Exact statistics may be shown because the set is public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from privet.perturbation.local import InputPerturbation, beside
from privet.schema import Number, Schema
from reproduction import markdown
from reproduction.rules import as_published
from reproduction.rules.protocol import Score, score, splits

__all__ = ["EPSILONS", "PUBLISHED", "STATISTICS", "compare", "tables_of"]

EPSILONS = (1.0, 2.0, 3.0)
STATISTICS = ("mean", "standard deviation", "variance", "covariance", "correlation")
#: Attribute → statistic → (original, ε = 1, ε = 2, ε = 3).
PUBLISHED: dict[str, dict[str, tuple[float | None, float, float, float]]] = {
    "sepallength": {
        "mean": (5.840, 5.806, 5.823, 5.828),
        "standard deviation": (0.821, 4.738, 2.472, 1.758),
        "variance": (0.674, 22.454, 6.115, 3.090),
        "covariance": (None, 0.665, 0.670, 0.671),
        "correlation": (None, 0.170, 0.329, 0.465),
    },
    "sepalwidth": {
        "mean": (3.041, 3.192, 3.116, 3.091),
        "standard deviation": (0.427, 2.990, 1.542, 1.078),
        "variance": (0.182, 8.941, 2.380, 1.162),
        "covariance": (None, 0.198, 0.190, 0.187),
        "correlation": (None, 0.155, 0.288, 0.407),
    },
    "petallength": {
        "mean": (3.791, 4.880, 4.336, 4.154),
        "standard deviation": (1.753, 9.002, 4.654, 3.307),
        "variance": (3.074, 81.046, 21.668, 10.938),
        "covariance": (None, 1.275, 2.175, 2.474),
        "correlation": (None, 0.080, 0.266, 0.426),
    },
    "petalwidth": {
        "mean": (1.212, 1.561, 1.386, 1.328),
        "standard deviation": (0.762, 3.468, 1.869, 1.378),
        "variance": (0.581, 12.027, 3.495, 1.900),
        "covariance": (None, 0.686, 0.634, 0.616),
        "correlation": (None, 0.259, 0.444, 0.586),
    },
}
Found = Mapping[tuple[str, float, str, str], Score]


def compare(table: pa.Table, schema: Schema, *, repeats: int = 10, folds: int = 10, seed: int = 0) -> Found:
    """(way, ε, attribute, statistic) → mean and deviation over all training folds; ε = 0 is the original."""
    columns = [c.name for c in schema.attributes if isinstance(c, Number)]
    found: dict[tuple[str, float, str, str], list[float]] = {}
    generator = np.random.default_rng(seed)
    for repeat in range(repeats):
        for split in splits(table, schema.nominal_target().name, folds, seed + repeat):
            reach = as_published.ranges(split.train, schema)
            for epsilon in EPSILONS:
                exact = InputPerturbation(
                    schema=schema, epsilon=epsilon, per="attribute", random_state=repeat * folds + split.fold
                )
                ways: dict[str, Any] = {
                    "as published": as_published.perturb(split.train, reach, epsilon, generator),
                    "InputPerturbation": exact.fit_transform(split.train),
                }
                for way, noisy in ways.items():
                    for row in beside(split.train, noisy, columns):
                        _keep(found, way, epsilon, row)
    return {key: score(values) for key, values in found.items()}


def _keep(
    found: dict[tuple[str, float, str, str], list[float]], way: str, epsilon: float, row: dict[str, Any]
) -> None:
    for statistic in STATISTICS:
        value = row[statistic]
        if isinstance(value, tuple):
            found.setdefault((way, 0.0, row["column"], statistic), []).append(value[0])
            value = value[1]
        found.setdefault((way, epsilon, row["column"], statistic), []).append(value)


def tables_of(found: Found, columns: Sequence[str] = tuple(PUBLISHED)) -> str:
    """One table per attribute: published, and measured both ways."""
    lines: list[str] = []
    for number, column in enumerate(columns):
        rows = [
            [
                statistic,
                *(
                    _cell(found, column, statistic, epsilon, published)
                    for epsilon, published in zip((0.0, *EPSILONS), PUBLISHED[column][statistic], strict=True)
                ),
            ]
            for statistic in STATISTICS
        ]
        lines += [
            f"**Table 5.{12 + number}, {column}.** Published / as published, measured / `InputPerturbation`.",
            "",
            markdown.table(["statistic", "original", *(f"ε = {e:g}" for e in EPSILONS)], rows),
            "",
        ]
    return "\n".join(lines)


def _cell(found: Found, column: str, statistic: str, epsilon: float, published: float | None) -> str:
    measured = found.get(("as published", epsilon, column, statistic))
    if published is None or measured is None:
        return "–"
    if epsilon == 0:
        return f"{published:.3f} / {measured}"
    ours = found["InputPerturbation", epsilon, column, statistic]
    # How unusual the published draw is among the measured ones.
    off = abs(published - measured.mean) / measured.deviation if measured.deviation else 0.0
    return f"{published:.3f} / {measured} / {ours} ({off:.1f} σ)"
