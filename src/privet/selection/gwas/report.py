"""The HTML report of a private scan: Manhattan and QQ plots from what was released, and nothing else."""

from __future__ import annotations

import math

import numpy as np

from privet.curator.study import Study
from privet.report import Bars, Chart, Page, Points, Series
from privet.report.charts import numbers
from privet.selection.gwas.top_snps import ScoreName, TopSnps
from privet.selection.gwas.verdict import best_by_chance, in_words
from privet.stats.association.distances import Test

__all__ = ["charts", "report"]

#: A picture holds no more points than this: those with the largest values. All are in the table.
MOST_POINTS = 2_000


def report(study: Study, release: TopSnps, *, score: ScoreName, test: Test, tau: float) -> Page:
    """The report of a release: post-processing of the release and of public things."""
    page = Page("Private association scan", f"{len(release.snps)} variants of {len(study.variant_places):,}")
    section = page.section("What was found")
    section.note(release.guarantee.headline, "good" if release.guarantee.protects else "warning")
    section.table(*release.table(), "The chosen variants, the largest value first.")
    for words in in_words(study, release, score=score, test=test, tau=tau):
        section.text(words)
    for chart in charts(study, release, score=score, test=test, tau=tau):
        page.section(chart.title).chart(chart)
    page.section("The guarantee").prose(str(release.guarantee))
    return page


def charts(study: Study, release: TopSnps, *, score: ScoreName, test: Test, tau: float) -> tuple[Chart, ...]:
    """A Manhattan and a QQ plot of the release, or the odds ratios; none if no values were released."""
    if release.error is None:
        return ()
    if score == "odds_ratio":
        return (_ratios(release),)
    return _manhattan(study, release), _against_chance(study, release, score, test, tau)


def _ratios(release: TopSnps) -> Bars:
    """Odds ratios on their own scale, the logarithm, where an interval is as wide on both sides."""
    ratios = {snp.name: snp.odds_ratio for snp in release.snps if snp.odds_ratio is not None}
    known = {name: r for name, r in ratios.items() if r.low > 0 and r.high < math.inf}
    note = "Effect sizes, with intervals for sampling and noise together."
    if len(known) < len(ratios):
        note += " Where noise is as large as a count, the ratio is not bounded, and is not shown here."
    values = numbers(math.log2(ratio.value) for ratio in known.values())
    errors = numbers(math.log2(ratio.high / ratio.low) / 2 for ratio in known.values())
    return Bars(
        "How strong", tuple(known), (Series("log₂ of the odds ratio", values, errors),),
        x="log₂ of the odds ratio", note=note,
    )  # fmt: skip


def _manhattan(study: Study, release: TopSnps) -> Points:
    """The chosen variants along the genome, all chromosomes in a row."""
    table = study.source.variants.select(["chromosome", "position"]).group_by("chromosome", use_threads=False)
    starts, start = {}, 0.0
    for row in table.aggregate([("position", "max")]).to_pylist():  # in the order of the file
        starts[str(row["chromosome"])] = start
        start += max(float(row["position_max"]), 1.0)
    shown = release.snps[:MOST_POINTS]  # the largest value first
    groups = [name for name in starts if any(snp.chromosome == name for snp in shown)]
    among = [[snp for snp in shown if snp.chromosome == name] for name in groups]
    return Points(
        "Where on the genome",
        tuple(f"chromosome {name}" for name in groups),
        tuple(tuple((starts[s.chromosome] + s.position, s.value or 0.0) for s in each) for each in among),
        errors=tuple((release.error or 0.0,) * len(each) for each in among),
        labels=tuple(tuple(snp.name for snp in each) for each in among),
        x="place in the genome, chromosomes in a row",
        y=release.unit,
        note="Manhattan plot of the release: the chosen variants, with the error of their noise. "
        f"Nothing is known of the others, but that they were not chosen.{_thinned(release)}",
    )


def _against_chance(study: Study, release: TopSnps, score: ScoreName, test: Test, tau: float) -> Points:
    values = -np.sort([-(snp.value or 0.0) for snp in release.snps])[:MOST_POINTS]
    chance = best_by_chance(study, len(values), score, test, tau)
    ends = (float(chance.min()), float(chance.max()))
    return Points(
        "Compared with chance",
        ("released", "chance"),
        (
            tuple((float(x), float(y)) for x, y in zip(chance, values, strict=True)),
            tuple((end, end) for end in ends),
        ),
        errors=((release.error or 0.0,) * len(values), (0.0, 0.0)),
        x=f"expected by chance ({release.unit})",
        y=f"released ({release.unit})",
        note=f"QQ plot of the {len(values)} chosen, against the {len(values)} best of as many simulated "
        "variants without effect. Points above those of chance by more than their error bar are more than "
        "chance and noise; sorting by noisy values makes the first ones look a little too large. Only the "
        "chosen are shown, so that confounding of the whole genome (inflation) cannot be seen here.",
    )


def _thinned(release: TopSnps) -> str:
    if len(release.snps) <= MOST_POINTS:
        return ""
    return f" Of the {len(release.snps):,} chosen, the {MOST_POINTS:,} with the largest values are drawn."
