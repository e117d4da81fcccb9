"""The HTML report of a private scan: Manhattan and QQ plots from what was released, and nothing else."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privet.curator.study import Study
from privet.report import Page, error_bars, points
from privet.selection.gwas.top_snps import ScoreName, TopSnps, score_of
from privet.stats.association.distances import Test

__all__ = ["report"]

#: Variants without effect that are drawn to see what chance gives: as many as the study has, up to this.
MOST_NULLS = 1_000_000
_MEANING = {
    "distance": "A value of +d says that d records would have to change for the variant to lose its "
    "significance (p < {tau:g}, {test} test); a value of 1 − d, that d would have to "
    "change for it to become significant.",
    "chi2": "Values are χ² of the {test} test.",
    "p_value": "Values are 1 − p of the {test} test.",
    "odds_ratio": "Odds of the first allele (a1) among cases over its odds among controls.",
}


def report(study: Study, release: TopSnps, *, score: ScoreName, test: Test, tau: float) -> Page:
    """The report of a release: post-processing of the release and of public things."""
    page = Page("Private association scan", f"{len(release.snps)} variants of {len(study.variant_places):,}")
    section = page.section("What was found")
    section.note(release.guarantee.headline, "good" if release.guarantee.holds else "warning")
    caption = "The chosen variants, in the order in which they were chosen."
    if (accuracy := release.accuracy()) is not None:
        caption += f" {_MEANING[score].format(tau=tau, test=test)} {accuracy}"
    section.table(*release.table(), caption)
    if release.error is not None and score == "odds_ratio":
        _ratios(page, release)
    elif release.error is not None:
        _plots(page, study, release, score, test, tau)
    page.section("The guarantee").prose(str(release.guarantee))
    return page


def _ratios(page: Page, release: TopSnps) -> None:
    """Odds ratios on their own scale, the logarithm, where an interval is as wide on both sides."""
    ratios = [snp.odds_ratio for snp in release.snps if snp.odds_ratio is not None]
    bounded = [ratio.low > 0 and ratio.high < math.inf for ratio in ratios]
    errors = [
        math.log2(ratio.high / ratio.low) / 2 if closed else math.nan
        for ratio, closed in zip(ratios, bounded, strict=True)
    ]
    names = [snp.name for snp in release.snps]
    caption = "Effect sizes, in the order of the table, with intervals for sampling and noise together."
    if not all(bounded):
        caption += " Where noise is as large as a count, the ratio is not bounded, and has no interval here."
    page.section("How strong").figure(
        error_bars(
            names if len(names) <= 8 else [str(place + 1) for place in range(len(names))],
            [math.log2(ratio.value) for ratio in ratios],
            errors,
            ylabel="log₂ of the odds ratio",
        ),
        alt="Odds ratios of the chosen variants with their intervals",
        caption=caption,
    )


def _plots(page: Page, study: Study, release: TopSnps, score: ScoreName, test: Test, tau: float) -> None:
    assert release.error is not None
    values = np.array([snp.value for snp in release.snps], np.float64)
    section = page.section("Where on the genome")
    places, ticks = _genome(study, release)
    section.figure(
        points(places, values, release.error, xlabel="chromosome", ylabel=release.unit, ticks=ticks),
        alt="Released values of the chosen variants along the genome",
        caption="Manhattan plot of the release: the chosen variants, with the error of their noise. "
        "Nothing is known of the others, but that they were not chosen.",
    )
    section = page.section("Compared with chance")
    chance = expected_by_chance(study, len(values), score, test, tau)
    section.figure(
        points(
            chance,
            -np.sort(-values),
            release.error,
            xlabel=f"expected by chance ({release.unit})",
            ylabel=f"released ({release.unit})",
            diagonal=True,
        ),
        alt="Released values against the values that the best variants have by chance",
        caption=f"QQ plot of the {len(values)} chosen, against the {len(values)} best of as many simulated "
        "variants without effect. Points above the line by more than their error bar are more than chance "
        "and noise; sorting by noisy values makes the first ones look a little too large. Only the chosen "
        "are shown, so that confounding of the whole genome (inflation) cannot be seen here.",
    )


def expected_by_chance(study: Study, k: int, score: ScoreName, test: Test, tau: float) -> NDArray[np.float64]:
    """The k largest scores of as many variants if none had an effect: simulated, not measured."""
    draw = np.random.default_rng(0)  # a picture of chance, not noise: the same each time
    number = len(study.variant_places)
    simulated = max(min(number, MOST_NULLS), k)
    frequency = draw.uniform(0.05, 0.5, simulated)
    shares = np.stack([(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2], axis=1)
    tables = np.stack([draw.multinomial(size, shares) for size in (study.cases, study.controls)], axis=1)
    found = np.asarray(score_of(score, test, tau).evaluate(tables), np.float64)
    return -np.sort(-found)[:k]


def _genome(study: Study, release: TopSnps) -> tuple[NDArray[np.float64], list[tuple[float, str]]]:
    """A place for each chosen variant with all chromosomes in a row, and where the chromosomes' names go."""
    table = study.source.variants.select(["chromosome", "position"]).group_by("chromosome", use_threads=False)
    starts, ticks, start = {}, [], 0.0
    for row in table.aggregate([("position", "max")]).to_pylist():  # in the order of the file
        starts[str(row["chromosome"])] = start
        length = max(float(row["position_max"]), 1.0)
        ticks.append((start + length / 2, str(row["chromosome"])))
        start += length
    return np.array([starts[s.chromosome] + s.position for s in release.snps]), ticks
