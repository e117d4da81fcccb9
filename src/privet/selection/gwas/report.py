"""The HTML report of a private scan: Manhattan and QQ plots from what was released, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privet.report import Page, points
from privet.selection.distances import Test
from privet.selection.gwas.study import Study
from privet.selection.gwas.top_snps import ScoreName, TopSnps, score_of

__all__ = ["write_report"]

# Null tables that are drawn to see what chance gives: their largest values are scaled to the study's number.
_NULLS = 20_000


def write_report(
    study: Study, release: TopSnps, path: str | Path, *, score: ScoreName, test: Test, tau: float
) -> Path:
    """Write the report of a release: post-processing of the release and of public things."""
    page = Page("Private association scan", f"{len(release.snps)} variants of {len(study.variant_places):,}")
    section = page.section("What was found")
    section.note(release.guarantee.headline, "good" if release.guarantee.holds else "warning")
    head = ["variant", "chromosome", "position", "a1", "a2", release.unit]
    rows = [
        [s.name, s.chromosome, str(s.position), s.a1, s.a2, _shown(s.value, str(s.odds_ratio or ""))]
        for s in release.snps
    ]
    caption = "The chosen variants, in the order in which they were chosen."
    if release.error is not None:
        caption += f" Values are off by at most {release.error:.3g} in 95 % of cases."
    section.table(head, rows, caption)
    values = np.array([s.value if s.value is not None else np.nan for s in release.snps])
    if release.error is not None and not np.isnan(values).any():
        _plots(page, study, release, values, score, test, tau)
    page.section("The guarantee").code(str(release.guarantee))
    return page.write(path)


def _plots(
    page: Page,
    study: Study,
    release: TopSnps,
    values: NDArray[np.float64],
    score: ScoreName,
    test: Test,
    tau: float,
) -> None:
    assert release.error is not None
    section = page.section("Where on the genome")
    places, ticks = _genome(study, release)
    section.figure(
        points(places, values, release.error, xlabel="chromosome", ylabel=release.unit, ticks=ticks),
        alt="Released values of the chosen variants along the genome",
        caption="Manhattan plot of the release: the chosen variants, with the error of their noise.",
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
        caption="QQ plot of the largest values. Chance: as many simulated variants without effect. "
        "Points far above the line are more than chance and noise.",
    )


def expected_by_chance(study: Study, k: int, score: ScoreName, test: Test, tau: float) -> NDArray[np.float64]:
    """The k largest scores of as many variants if none had an effect: simulated, not measured."""
    draw = np.random.default_rng(0)  # a picture of chance, not noise: the same each time
    number = len(study.variant_places)
    frequency = draw.uniform(0.05, 0.5, _NULLS)
    shares = np.stack([(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2], axis=1)
    tables = np.stack([draw.multinomial(size, shares) for size in (study.cases, study.controls)], axis=1)
    found = np.sort(np.asarray(score_of(score, test, tau).evaluate(tables), np.float64))
    ranks = 1 - (np.arange(1, k + 1) - 0.5) / number
    expected: NDArray[np.float64] = np.quantile(found, np.clip(ranks, 0, 1))
    return expected


def _genome(study: Study, release: TopSnps) -> tuple[NDArray[np.float64], list[tuple[float, str]]]:
    """A place for each chosen variant with all chromosomes in a row, and where the chromosomes' names go."""
    table = study.source.variants
    names = list(dict.fromkeys(table["chromosome"].to_pylist()))
    positions = table["position"].to_numpy()
    which = np.array([names.index(c) for c in table["chromosome"].to_pylist()])
    starts, ticks, start = {}, [], 0.0
    for place, name in enumerate(names):
        length = float(positions[which == place].max(initial=1))
        starts[name] = start
        ticks.append((start + length / 2, str(name)))
        start += length
    return np.array([starts[s.chromosome] + s.position for s in release.snps]), ticks


def _shown(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else f"{value:.3g}"
