"""The k variants most associated with the phenotype, chosen privately, with noisy values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from privet.budget import Ledger
from privet.curator import TopK
from privet.curator.study import Study
from privet.errors import ParameterError
from privet.mechanisms.top_k import How
from privet.release import Guarantee
from privet.selection.odds_ratio import OddsRatioEstimate, odds_ratio
from privet.stats.association import Allelic, Association, Chi2, Distance, OddsRatio, PValue, Trend
from privet.stats.association.distances import Test
from privet.stats.association.mantel import MantelTrend

__all__ = ["ScoreName", "Snp", "TopSnps", "top_snps"]

ScoreName = Literal["distance", "chi2", "p_value", "odds_ratio"]


@dataclass(frozen=True)
class Snp:
    """One chosen variant, and what was released of it."""

    name: str
    chromosome: str
    position: int
    a1: str
    a2: str
    value: float | None = None
    odds_ratio: OddsRatioEstimate | None = None

    def to_dict(self) -> dict[str, Any]:
        data = {
            "id": self.name,
            "chromosome": self.chromosome,
            "position": self.position,
            "a1": self.a1,
            "a2": self.a2,
            "value": self.value,
        }
        if (ratio := self.odds_ratio) is not None:
            data["odds_ratio"] = ratio.value
            data["interval"] = [ratio.low, ratio.high if ratio.high < float("inf") else None]
        return data


@dataclass(frozen=True)
class TopSnps:
    """What was released: the variants, what their values count, their error, and the guarantee.

    The variants are in the order of their released values, the largest first; without values, as chosen.
    """

    snps: tuple[Snp, ...]
    unit: str
    error: float | None
    guarantee: Guarantee

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Heads and rows for people to read: where each variant is, and what was released of it."""
        head = ["variant", "chromosome", "position", "a1", "a2"]
        rows = [[s.name, s.chromosome, str(s.position), s.a1, s.a2] for s in self.snps]
        if self.error is not None:
            ratios = self.snps[0].odds_ratio is not None
            head.append("odds ratio of a1 (95 % interval)" if ratios else self.unit)
            for row, snp in zip(rows, self.snps, strict=True):
                row.append(str(snp.odds_ratio) if ratios else f"{snp.value:.3g}")
        return head, rows

    def accuracy(self) -> str | None:
        """How good the released values are, in a sentence."""
        if self.error is None:
            return None
        if self.snps[0].odds_ratio is not None:
            return (
                f"The allele counts behind the ratios are off by at most {self.error:.3g} in 95 % of cases; "
                "the intervals account for that, and for sampling."
            )
        return f"Values are off by at most {self.error:.3g} in 95 % of cases."

    def to_dict(self) -> dict[str, Any]:
        return {
            "snps": [snp.to_dict() for snp in self.snps],
            "unit": self.unit,
            "error": self.error,
            "guarantee": self.guarantee.to_dict(),
        }


def _rank(snp: Snp) -> float:
    if snp.odds_ratio is not None:
        value = snp.odds_ratio.value
        return -abs(math.log(value)) if 0 < value < math.inf else -math.inf
    return 0.0 if snp.value is None else -snp.value


def score_of(score: ScoreName, test: Test, tau: float) -> Association:
    """The score that these words stand for."""
    match score:
        case "distance":
            return Distance(test, tau)
        case "odds_ratio":
            return OddsRatio(tau=tau)
        case "p_value":
            if test != "genotypic":
                raise ParameterError("A noisy p-value is of the genotypic test.", "Use the score distance.")
            return PValue()
        case "chi2":
            return {"genotypic": Chi2(), "allelic": Allelic(), "trend": Trend()}[test]
    raise ParameterError(f"There is no score called {score!r}.")


def refuse(study: Study, k: int, score: Association, how: How, delta: float) -> None:
    """Every refusal of a request, before anything is paid for: all of it is about public things."""
    number = len(study.variant_places)
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= number:
        raise ParameterError(
            f"k must lie between 1 and the number of variants that are looked at, {number:,}.",
            "Counting the significant variants privately helps to choose it.",
        )
    if how not in get_args(How):
        raise ParameterError(
            f"There is no mechanism called {how!r}.", f"Use one of {', '.join(get_args(How))}."
        )
    if how == "gaussian" and not delta:
        raise ParameterError("The Gaussian form needs a delta above 0.", "Give delta=1e-6, say.")
    if study.stratified and not isinstance(score, MantelTrend):
        raise ParameterError(
            "Strata are used by the trend test's χ² alone.",
            "Give score chi2 and test trend, or leave the strata out.",
        )
    score.feasible(study.sizes, 3)


def top_snps(
    study: Study,
    k: int = 10,
    *,
    epsilon: float = 1.0,
    delta: float = 0.0,
    score: ScoreName = "distance",
    test: Test = "genotypic",
    tau: float = 1e-5,
    mechanism: How = "permute_and_flip",
    values: bool = True,
    ledger: Ledger | None = None,
    random_state: Any = None,
) -> TopSnps:
    """Choose k variants with half the budget and release noisy values of them with the other half.

    The values are those of the score: records to significance, units of χ², or, for ``odds_ratio``, allele
    counts, from which the odds ratio of the first allele and an interval are computed. Without ``values``
    the choice has the whole budget. (ε, δ)-differentially private for one subject's genotypes:
    ``mechanisms.top_k``, and the proof of the score's sensitivity beside it.
    """
    scorer = score_of(score, test, tau)
    if study.stratified and isinstance(scorer, Trend):
        scorer = MantelTrend()
    refuse(study, k, scorer, mechanism, delta)
    variants = study.source.variants  # a damaged list of variants is refused here, where it costs nothing
    curator = study.curator(epsilon, delta, ledger, random_state, f"gwas top-snps by {score} ({test})")
    what = f"the {k} best of {len(study.variant_places):,} variants by {scorer.what}"
    with curator:
        best = curator.ask(TopK(scorer, study.candidates, k, what, mechanism, values), Fraction(1))
    chosen, release = best.chosen, best.values
    places = study.variant_places[chosen]
    rows = variants.take(places).to_pylist()
    snps = []
    for number, (place, row) in enumerate(zip(places.tolist(), rows, strict=True)):
        told: dict[str, Any] = {}
        if release is not None and score == "odds_ratio":
            first, second = release.value[number]
            deviation = release.standard_deviation
            told["odds_ratio"] = odds_ratio(first, second, 2 * study.cases, 2 * study.controls, deviation)
        elif release is not None:
            told["value"] = float(release.value[number, 0])
        name = row["id"] if row["id"] != "." else study.source.variant_names[place]
        snps.append(Snp(name, str(row["chromosome"]), int(row["position"]), row["a1"], row["a2"], **told))
    # What stands out most comes first, as a reader expects; which was chosen first is of no interest.
    snps.sort(key=_rank)
    error = None if release is None else release.error
    return TopSnps(tuple(snps), scorer.unit, error, curator.guarantee)
