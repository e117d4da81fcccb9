"""What a private scan would find at each ε: rehearsed on made-up tables, of which a few have a strong effect.

Only public things go in: how many cases, controls and variants there are, and the settings. The choice itself
is the real mechanism's; what it chooses from is made up. No genotype is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.budget import Pure
from privet.curator.study import Study
from privet.mechanisms.top_k import How, TopK
from privet.randomness import seeded
from privet.report.charts import Chart, Lines, Series
from privet.selection.gwas.top_snps import ScoreName, refuse, score_of
from privet.selection.gwas.verdict import MOST_NULLS, STRONG, by_chance
from privet.stats.association.distances import Test

__all__ = ["EPSILONS", "Foreseen", "foreseen"]

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
#: How many variants are given an effect, and how often each ε is tried.
EFFECTS, TRIES = 5, 15
MEASURE = "share of the strong variants found"


@dataclass(frozen=True)
class Foreseen:
    """The share of strong variants that would be among the chosen, at each ε, with its band."""

    epsilons: tuple[float, ...]
    low: tuple[float, ...]
    middle: tuple[float, ...]
    high: tuple[float, ...]
    #: Found without noise, and by choosing blindly.
    attainable: float
    floor: float
    rests_on: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        best = max(self.attainable, 1e-9)
        points = [
            {
                "epsilon": epsilon, "low": low, "value": middle, "high": high,
                "share": middle / best, "share_low": low / best, "share_high": high / best,
            }
            for epsilon, low, middle, high in zip(
                self.epsilons, self.low, self.middle, self.high, strict=True
            )
        ]  # fmt: skip
        return {
            "points": points,
            "measure": MEASURE,
            "guess": {},
            "attainable": self.attainable,
            "floor": self.floor,
            "rests_on": list(self.rests_on),
            "chart": self.chart().to_dict(),
        }

    def chart(self) -> Chart:
        return Lines(
            "Forecast: strong variants found, on made-up people",
            self.epsilons,
            (Series("expected", self.middle),),
            levels=(("without privacy", self.attainable),),
            log_x=True,
            x="privacy budget (epsilon)",
            y=MEASURE,
            note=" ".join(self.rests_on),
        )


def foreseen(
    study: Study,
    k: int = 10,
    *,
    score: ScoreName = "distance",
    test: Test = "genotypic",
    tau: float = 1e-5,
    mechanism: How = "permute_and_flip",
    values: bool = True,
    epsilons: Sequence[float] = EPSILONS,
) -> Foreseen:
    """Forecast how many strong variants a scan would find; a cautious figure where a delta is given."""
    scorer = score_of(score, test, tau)
    refuse(study, k, scorer, "exponential", 0.0)
    number = len(study.variant_places)
    strong = min(EFFECTS, k, number)
    without = by_chance((study.cases, study.controls), min(number, MOST_NULLS) - strong)
    tables = np.concatenate([without, _with_effect(study, strong)], axis=0)
    judged = scorer.judge([tables], study.schema.unit)
    places = np.arange(len(tables) - strong, len(tables))
    exact = np.argsort(-judged.scores, kind="stable")[:k]
    how: How = "exponential" if mechanism == "gaussian" else mechanism  # which needs a delta
    found = []
    for epsilon in epsilons:
        paid = Pure(Fraction(epsilon) / (2 if values else 1))
        choice = TopK(paid, k, judged.sensitivity, how, judged.monotonic)
        chosen = (choice.choose(judged.scores, seeded(seed)) for seed in range(TRIES))
        found.append([float(np.isin(places, each).mean()) for each in chosen])
    middle = np.mean(found, axis=1)
    low, high = np.quantile(found, [0.1, 0.9], axis=1)
    low, high = np.minimum(low, middle), np.maximum(high, middle)
    cases, controls = STRONG
    return Foreseen(
        tuple(epsilons),
        tuple(low.tolist()),
        tuple(middle.tolist()),
        tuple(high.tolist()),
        float(np.isin(places, exact).mean()),
        k / number,
        (
            f"{strong} of the {number:,} variants are made strong: their allele is on {cases:.0%} of the "
            f"cases' chromosomes and on {controls:.0%} of the controls'. Weaker ones need more.",
            f"There are {study.cases:,} cases and {study.controls:,} controls, as in this study.",
            "All the others have no effect, and all variants are independent of each other.",
            "No genotype was read.",
        ),
    )


def _with_effect(study: Study, number: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    draw = np.random.default_rng(2)
    groups = []
    for size, share in zip((study.cases, study.controls), STRONG, strict=True):
        shares = [(1 - share) ** 2, 2 * share * (1 - share), share**2]
        groups.append(draw.multinomial(size, shares, number))
    return np.stack(groups, axis=1)
