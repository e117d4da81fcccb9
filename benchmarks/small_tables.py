"""Small tables and small budgets: how far each classifier is from the largest class, on held-out tables.

The limits below which a classifier predicts the largest class were chosen on the other half of the tables.
"""

from __future__ import annotations

import numpy as np

from benchmarks.contest import CLASSIFIERS, cells, halves
from benchmarks.data import available
from benchmarks.figures import Figure

SIZES, EPSILONS, SPLITS = (100, 200), (0.1, 1.0), 8


def run() -> list[Figure]:
    if not available():
        print("  the real tables are not here: nothing to measure")
        return []
    found = list(cells(halves()[1], SIZES, EPSILONS, SPLITS, CLASSIFIERS))
    figures = []
    for size in SIZES:
        for epsilon in EPSILONS:
            for kind in CLASSIFIERS:
                gains = [
                    each["accuracy"] - each["majority"]
                    for each in found
                    if (each["size"], each["epsilon"], each["algorithm"]) == (size, epsilon, kind)
                ]
                what = f"{kind}, {size} records, ε = {epsilon:g}: accuracy beyond the largest class"
                figures.append(Figure(what, float(np.mean(gains)), -0.01, at_least=True, unit=""))
    return figures
