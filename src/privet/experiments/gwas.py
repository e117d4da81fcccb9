"""The thesis's figures on association: how many of the truly relevant variants are found, against ε.

The k truly relevant variants are the k best by the exact test; a private choice is repeated, and the mean
share of them among the chosen k is the figure. All on public or simulated data: exact scores are looked at
here, and noise comes from a seed, so nothing here carries a guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import budget
from privet.curator import currency_of, public_answers
from privet.mechanisms.top_k import How, TopK
from privet.randomness import seeded
from privet.schema import Schema, Unit
from privet.selection import SelectKBest
from privet.selection.distances import Test
from privet.selection.gwas.study import Study, tables_of
from privet.selection.gwas.top_snps import ScoreName, score_of

__all__ = ["Recovery", "attribute_tables", "plot_recovery", "recovery", "simulated_tables", "study_tables"]

EPSILONS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


@dataclass(frozen=True)
class Recovery:
    """Percentage of the truly relevant variants that were found, for one setting."""

    score: str
    mechanism: str
    k: int
    epsilon: float
    percentage: float


def simulated_tables(
    variants: int = 262_622, cases: int = 150, controls: int = 150, signals: int = 3, seed: int = 0
) -> NDArray[np.int64]:
    """Tables of the thesis's size: variants without effect in Hardy–Weinberg proportions, and strong signals.

    A signal's risk allele has a frequency of 0.5 in cases and of 0.2 in controls.
    """
    draw = np.random.default_rng(seed)
    frequency = draw.uniform(0.05, 0.5, (variants, 2))
    frequency[:, 1] = frequency[:, 0]
    frequency[draw.choice(variants, signals, replace=False)] = (0.5, 0.2)
    shares = np.stack([(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2], axis=2)
    groups = [draw.multinomial(size, shares[:, group]) for group, size in enumerate((cases, controls))]
    return np.stack(groups, axis=1).astype(np.int64)


def study_tables(path: str | Path, **how: Any) -> NDArray[np.int64]:
    """The exact tables of a *public* study."""
    study = Study.open(path, **how)
    [counts] = public_answers(study.source, study.schema, [study.question])
    return tables_of(counts)


def attribute_tables(data: Any, schema: Schema, bins: int = 8) -> list[NDArray[np.int64]]:
    """The exact tables of a *public* nominal or mixed table, in groups of equal shape, for ``recovery``."""
    selector = SelectKBest(schema=schema, bins=bins)
    answers = public_answers(data, schema, selector.plan(schema))
    return selector.groups(answers, schema)


def recovery(
    tables: NDArray[np.int64] | list[NDArray[np.int64]],
    *,
    score: ScoreName = "distance",
    test: Test = "genotypic",
    tau: float = 1e-5,
    mechanism: How = "permute_and_flip",
    ks: Sequence[int] = (3, 5, 10),
    epsilons: Sequence[float] = EPSILONS,
    delta: float = 0.0,
    repetitions: int = 100,
    among: int | None = None,
    seed: int = 0,
) -> list[Recovery]:
    """The curve of one score and mechanism. ``among``: any of that many best counts (a "weak" plot).

    >>> few = simulated_tables(200, signals=3)
    >>> [point] = recovery(few, ks=[3], epsilons=[1000.0], repetitions=5)
    >>> point.percentage
    100.0
    """
    groups = tables if isinstance(tables, list) else [tables]
    judged = score_of(score, test, tau).judge(groups, Unit("replace"))
    exact = np.concatenate([score_of("chi2", test, tau).evaluate(group) for group in groups])
    best = np.argsort(-exact, kind="stable")
    source = seeded(seed)
    found = []
    for k in ks:
        relevant = set(best[: among or k].tolist())
        for epsilon in epsilons:
            choice = TopK(currency_of(budget(epsilon, delta)), k, judged.sensitivity, mechanism)
            hits = [
                len(relevant & set(choice.choose(judged.scores, source).tolist())) for _ in range(repetitions)
            ]
            found.append(Recovery(score, mechanism, k, epsilon, 100 * float(np.mean(hits)) / k))
    return found


def plot_recovery(points: Sequence[Recovery]) -> Any:
    """The figure: percentage found against ε, one curve for each k."""
    from privet.report import lines

    epsilons = sorted({point.epsilon for point in points})
    series = {
        f"k = {k}": [next(p.percentage for p in points if p.k == k and p.epsilon == e) for e in epsilons]
        for k in sorted({point.k for point in points})
    }
    return lines(epsilons, series, xlabel="ε", ylabel="relevant variants found (%)", log_x=True)
