"""What a choice among classifiers that costs nothing loses against the best one, on held-out tables.

The limits of the rule were chosen on the other half of the tables. "The best" is known only after all of them
were tried, which nobody could do for nothing.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from benchmarks.contest import CLASSIFIERS, cells, halves
from benchmarks.data import available
from benchmarks.figures import Figure
from privet.learning.classify import AutoClassifier

SIZES, EPSILONS, SPLITS = (200, 1000, 10**6), (0.1, 1.0, 3.0), 2


def run() -> list[Figure]:
    if not available():
        print("  the real tables are not here: nothing to measure")
        return []
    by_cell: dict[tuple[str, int, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in cells(halves()[1], SIZES, EPSILONS, SPLITS, CLASSIFIERS):
        found = by_cell[each["table"], each["records"], each["epsilon"]]
        found[each["algorithm"]].append(each["accuracy"])
    losses: dict[str, list[float]] = defaultdict(list)
    for (_, records, epsilon), accuracies in by_cell.items():
        means = {kind: float(np.mean(values)) for kind, values in accuracies.items()}
        chosen, _ = AutoClassifier(epsilon=epsilon, records=records)._choice()
        for kind, value in [("auto", means[chosen]), *means.items()]:
            losses[kind].append(max(means.values()) - value)
    return [
        Figure(
            f"always {kind}: accuracy lost against the best, {len(lost)} cells", float(np.mean(lost)), unit=""
        )
        for kind, lost in sorted(losses.items(), key=lambda item: np.mean(item[1]))
    ]
