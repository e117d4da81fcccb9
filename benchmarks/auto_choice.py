"""What choices among algorithms that cost nothing lose against the best one, on held-out tables.

The limits of the rule were chosen on the other half of the tables (``--half chosen`` measures those). "The
best" is known only after all of them were tried, which nobody could do for nothing. A forecast is told how
many records there are, and nothing else, as the rule is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.contest import CLASSIFIERS, REGRESSIONS, cells, halves, number_cells
from benchmarks.data import available
from benchmarks.figures import Figure
from benchmarks.forecast import tables
from privet.evaluation.forecast import learner_by_forecast
from privet.learning.classify import AutoClassifier
from privet.learning.regress import AutoRegressor
from privet.schema import Schema

SIZES, EPSILONS, SPLITS = (200, 1000, 10**6), (0.1, 1.0, 3.0), 2


def run(half: int = 1) -> list[Figure]:
    if not available():
        print("  the real tables are not here: nothing to measure")
        return []
    names, every = halves()[half], tables()
    classes = cells(names, SIZES, EPSILONS, SPLITS, CLASSIFIERS)
    numbers = number_cells(names, SIZES, EPSILONS, SPLITS, REGRESSIONS)

    def asked(name: str) -> Schema:
        table, _, target = name.partition(": ")
        schema = every[table][1]
        return Schema(schema.columns, target=target) if target else schema

    return [
        *_lost("accuracy", classes, lambda name, **given: AutoClassifier(schema=asked(name), **given)),
        *_lost("R²", numbers, lambda name, **given: AutoRegressor(schema=asked(name), **given)),
    ]


def _lost(measure: str, found: Iterator[dict[str, Any]], auto: Any) -> list[Figure]:
    """The mean over cells of what each way to choose loses against the best; nothing counts below −1."""
    by_cell: dict[tuple[str, int, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in found:
        cell = by_cell[each["table"], each["records"], each["epsilon"]]
        cell[each["algorithm"]].append(max(each["accuracy"], -1.0))
    losses: dict[str, list[float]] = defaultdict(list)
    for (name, records, epsilon), scores in by_cell.items():
        means = {kind: float(np.mean(values)) for kind, values in scores.items()}
        choosing = auto(name, epsilon=epsilon, records=records)
        foretold = learner_by_forecast(choosing).learner
        chosen = {"by rule": choosing._choice()[0], "by forecast": foretold}
        ways = {way: means.get(kind, min(means.values())) for way, kind in chosen.items()}
        for way, value in {**ways, **{f"always {kind}": value for kind, value in means.items()}}.items():
            losses[way].append(max(means.values()) - value)
    return [
        Figure(f"{way}: {measure} lost against the best, {len(lost)} cells", float(np.mean(lost)), unit="")
        for way, lost in sorted(losses.items(), key=lambda item: np.mean(item[1]))
    ]


def main(options: list[str]) -> int:
    """``--half chosen`` or ``--half reported``."""
    from benchmarks.figures import print_figures

    print_figures(run({"chosen": 0, "reported": 1}[options[1]]))
    return 0
