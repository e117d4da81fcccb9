"""The thesis's figures on selection: how many of the truly relevant attributes are found, against ε.

The k truly relevant variants (or attributes) are the k best by an exact score; a private choice is repeated,
and the mean share of them among the chosen k is the figure. Exact scores are computed once for a data set
and only the choice is repeated, thousands of times: so this loop is its own and no experiment, whose cells
each read the table anew. (The experiments ``figure-17`` to ``figure-19`` do so, on smaller tables.) All on public or simulated data: exact scores are looked at here, and noise
comes from a seed, so nothing here carries a guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import budget
from privet.curator.currency import currency_of
from privet.curator.public import public_answers
from privet.curator.study import Study
from privet.mechanisms.top_k import How, TopK
from privet.randomness import seeded
from privet.schema import Schema, Unit
from privet.selection import SelectKBest
from privet.stats.association import Association, Attributes, Chi2, Distance, PValue
from privet.stats.association.candidates import genotype_tables

__all__ = [
    "EPSILONS",
    "GENOTYPE_CONTENDERS",
    "Contender",
    "Recovery",
    "attribute_tables",
    "plot_recovery",
    "recovery",
    "simulated_tables",
    "study_tables",
]

REPLACE = Unit("replace")
EPSILONS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


@dataclass(frozen=True)
class Contender:
    """A way to choose: a score, a mechanism, its δ, and the neighbours for which it holds."""

    score: Association
    mechanism: How
    delta: float = 0.0
    unit: Unit = REPLACE

    @property
    def name(self) -> str:
        """What it is called in tables and figures.

        >>> Contender(Chi2(), "laplace").name
        'chi2, laplace'
        """
        return f"{self.score.what}, {self.mechanism.replace('_', '-')}"


#: For genotypes; the Gaussian form is (ε, 10⁻⁶).
GENOTYPE_CONTENDERS = (
    Contender(Distance(), "permute_and_flip"),
    Contender(Distance(), "exponential"),
    Contender(Distance(), "laplace"),
    Contender(Distance(), "gaussian", 1e-6),
    Contender(Chi2(), "permute_and_flip"),
    Contender(Chi2(), "laplace"),
    Contender(Chi2(), "gaussian", 1e-6),
    Contender(PValue(), "permute_and_flip"),
    Contender(PValue(), "laplace"),
)


@dataclass(frozen=True)
class Recovery:
    """Percentage of the truly relevant that were found, for one setting, and its standard error.

    ``among`` is the number of best ones any of which count as relevant: k, or more for a "weak" figure.
    """

    contender: str
    k: int
    among: int
    epsilon: float
    percentage: float
    error: float


def simulated_tables(
    variants: int = 262_622,
    cases: int = 150,
    controls: int = 150,
    signals: int = 3,
    weaker: int = 0,
    seed: int = 0,
) -> NDArray[np.int64]:
    """Tables of the thesis's size: variants without effect in Hardy–Weinberg proportions, and signals.

    A strong signal's risk allele has a frequency of 0.5 in cases and of 0.2 in controls. With ``weaker`` ones
    (0.5 and from 0.25 to 0.27), the signals' tables are not drawn but what is expected of them, so that the
    ordered p-values rise sharply after the last strong and the last weaker one, as the thesis's do.
    """
    draw = np.random.default_rng(seed)
    frequency = draw.uniform(0.05, 0.5, (variants, 2))
    frequency[:, 1] = frequency[:, 0]
    places = draw.choice(variants, signals + weaker, replace=False)
    frequency[places[:signals]] = (0.5, 0.2)
    if weaker:
        frequency[places, 1] = np.r_[np.linspace(0.18, 0.2, signals), np.linspace(0.25, 0.27, weaker)]
        frequency[places, 0] = 0.5
    shares = np.stack([(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2], axis=2)
    groups = [draw.multinomial(size, shares[:, group]) for group, size in enumerate((cases, controls))]
    tables = np.stack(groups, axis=1).astype(np.int64)
    if weaker:
        sizes = np.array([[cases], [controls]])
        tables[places] = np.rint(shares[places] * sizes)
        tables[places, :, 1] += sizes[:, 0] - tables[places].sum(axis=2)
    return tables


def study_tables(path: str | Path, **how: Any) -> NDArray[np.int64]:
    """The exact tables of a *public* study."""
    study = Study.open(path, **how)
    [counts] = public_answers(study.source, study.schema, [study.question])
    return genotype_tables(counts)


def attribute_tables(data: Any, schema: Schema, bins: int = 8) -> list[NDArray[np.int64]]:
    """The exact tables of a *public* nominal or mixed table, in groups of equal shape, for ``recovery``."""
    candidates = Attributes(tuple(SelectKBest(schema=schema, bins=bins).tables(schema)))
    return candidates.groups(public_answers(data, schema, candidates.tables), schema)


def recovery(
    tables: NDArray[np.int64] | list[NDArray[np.int64]],
    contender: Contender,
    *,
    truth: Association | None = None,
    ks: Sequence[int] = (3, 5, 10),
    epsilons: Sequence[float] = EPSILONS,
    repetitions: int = 100,
    among: int | None = None,
    seed: int = 0,
) -> list[Recovery]:
    """The curves of one contender: choices only, with all of ε for them.

    ``truth`` is the exact score that says which are relevant (the contender's own unless given); those that
    are as good as the last of the k best count, too.

    >>> few = simulated_tables(200, signals=3)
    >>> [point] = recovery(few, GENOTYPE_CONTENDERS[0], ks=[3], epsilons=[1000.0], repetitions=5)
    >>> point.percentage, point.error
    (100.0, 0.0)
    """
    groups = tables if isinstance(tables, list) else [tables]
    judged = contender.score.judge(groups, contender.unit)
    exact = judged.scores
    if truth is not None:
        exact = truth.judge(groups, contender.unit).scores
    falling = -np.sort(-exact)
    source = seeded(seed)
    found = []
    for k in ks:
        count = max(among or k, k)
        relevant = exact >= falling[count - 1]
        for epsilon in epsilons:
            amount = currency_of(budget(epsilon, contender.delta))
            choice = TopK(amount, k, judged.sensitivity, contender.mechanism, judged.monotonic)
            hits = [relevant[choice.choose(judged.scores, source)].mean() for _ in range(repetitions)]
            error = float(np.std(hits, ddof=1) / np.sqrt(repetitions)) if repetitions > 1 else 0.0
            found.append(Recovery(contender.name, k, count, epsilon, 100 * float(np.mean(hits)), 100 * error))
    return found


def plot_recovery(points: Sequence[Recovery], what: str = "variants") -> Any:
    """The figure of one k: percentage found against ε, a curve for each contender (P&F: permute-and-flip)."""
    from privet.report import lines

    epsilons = sorted({point.epsilon for point in points})
    series: dict[str, list[float]] = {}
    for point in sorted(points, key=lambda each: each.epsilon):
        series.setdefault(point.contender, []).append(point.percentage)
    names = dict.fromkeys(point.contender for point in points)
    ordered = {name.replace("permute-and-flip", "P&F"): series[name] for name in names}
    return lines(epsilons, ordered, xlabel="ε", ylabel=f"relevant {what} found (%)", log_x=True)
