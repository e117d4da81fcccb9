"""GUPT's experiments: a mean, k-means and logistic regression, by the ways to cut and aggregate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from benchmarks.figures import Figure
from reproduction.gupt.programs import AGED, EPSILONS, PROGRAMS, RECORDS, RUNS, WAYS, exact, measured
from reproduction.markdown import table
from reproduction.page import Cell, Page, Results

WHAT = {
    "mean": "How far the mean age is off, in years",
    "k-means": "Mean squared distance to the nearest centre, of the exact centres' (1 is as good)",
    "logistic regression": "Share of records on the wrong side",
}
TEXT = """# GUPT: any program, by sample and aggregate

The kinds of experiments of Mohan, Thakurta, Shi, Song and Culler (2012), on made-up tables, since theirs are not
public here: a mean, k-means with three clusters, and logistic regression. `python -m reproduction gupt` writes this
page.

**Protocol.** {records:,} records, {aged:,} aged ones beside them, {runs} runs for each number; ± is the standard
error. Ranges are declared widely: ages 0 to 120, coordinates and coefficients −5 to 5. `loose ranges` and `resampled`
(four cuts) use the blocks of theory.

{parts}

**What one learns.** {lesson}
"""
LESSON = (
    "A tenth of the records, aged, is worth more than anything else here: they find that all three programs bear "
    "small blocks, and so nearly remove the noise where ε is small. Theory's n^0.4 blocks are too few for each of them. "
    "Loose ranges spend half of ε on quartiles: with 53 blocks these are found only at the largest ε, and below it "
    "the result is often worse than with the wide range. Resampling leaves the noise as it is, and noise is most of "
    "the error, so it changes little."
)


#: What takes longest; the page can be written without it.
LONG = {("k-means", "blocks by aged records"), ("k-means", "resampled"), ("logistic regression", "resampled")}


def cells() -> Iterator[Cell]:
    yield from (Cell(f"{name}/exact", partial(exact, name)) for name in PROGRAMS)
    pairs = [(name, way) for name in PROGRAMS for way in WAYS]
    for name, way in sorted(pairs, key=lambda pair: pair in LONG):
        for epsilon in EPSILONS:
            work = partial(measured, name, way, epsilon)
            yield Cell(f"{name}/{way}/{epsilon:g}", work, needed=(name, way) not in LONG)


def write(results: Results, folder: Path) -> list[Figure]:
    parts, figures = [], []
    for name, what in WHAT.items():
        rows = []
        for way in WAYS:
            found = [results.get(f"{name}/{way}/{epsilon:g}") for epsilon in EPSILONS]
            rows.append([way, *map(_shown, found)])
            if found[-1] is not None:
                figures.append(Figure(f"{name}, {way}, ε = {EPSILONS[-1]:g}", found[-1]["score"], unit=""))
        heads = ["(blocks)", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)]
        without = f"Without privacy: {results[f'{name}/exact']:.3g}."
        parts.append(f"## {name.capitalize()}\n\n{what}. {without}\n\n{table(heads, rows)}")
    text = TEXT.format(
        records=RECORDS, aged=AGED, runs=RUNS, parts="\n\n".join(parts), lesson=_wrapped(LESSON)
    )
    (folder / "gupt.md").write_text(text, encoding="utf-8")
    return figures


def _shown(found: Mapping[str, float] | None) -> str:
    if found is None:
        return "not measured"
    return f"{found['score']:.3g} ± {found['error']:.1g} ({found['blocks']:g})"


def _wrapped(text: str) -> str:
    import textwrap

    return textwrap.fill("**What one learns.** " + text, 118).removeprefix("**What one learns.** ")


PAGES = (Page("gupt", "gupt", "Any program by sample and aggregate", cells, write, tables=False),)
