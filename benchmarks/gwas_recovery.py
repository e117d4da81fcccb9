"""How many of three strong signals among 262,622 variants of 300 subjects are found, against ε.

The small form of ``python -m reproduction gwas``, which has every k, ε and data set.
"""

from __future__ import annotations

from benchmarks.figures import Figure
from privet.stats.association import Chi2
from reproduction.dpweka.recovery import GENOTYPE_CONTENDERS, recovery, simulated_tables

REPETITIONS = 20


def run() -> list[Figure]:
    tables = simulated_tables()
    figures, best = [], 0.0
    for contender in GENOTYPE_CONTENDERS:
        for point in recovery(
            tables, contender, truth=Chi2(), ks=[3], epsilons=[2.0, 5.0, 10.0], repetitions=REPETITIONS
        ):
            what = f"{point.contender}: found at ε = {point.epsilon:g}, k = 3"
            figures.append(Figure(what, point.percentage, unit="%"))
            best = max(best, point.percentage)
    return [*figures, Figure("best mechanism at k = 3, ε ≤ 10", best, 90, at_least=True, unit="%")]
