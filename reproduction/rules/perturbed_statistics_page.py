"""Tables 5.12 to 5.15: iris before and after input perturbation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks import data
from benchmarks.figures import Figure
from reproduction.page import Cell, Page, Results
from reproduction.rules.perturbed_statistics import PUBLISHED, STATISTICS, compare, tables_of
from reproduction.rules.protocol import Score

REPEATS = 10

TEXT = """# Input perturbation: statistics of iris before and after

Tables 5.12 to 5.15 of Zorarpacı's thesis. `python -m reproduction rules-perturbed-statistics` writes this page.

**Protocol.** The training part of each of {runs} folds ({repeats} × 10-fold, stratified, seeds 0 to {last}) is perturbed by itself. *As published*:
Laplace noise whose scale is the data's own range over ε, for each number of a record, from NumPy. *`InputPerturbation`*: the same ε for each attribute
(4·ε for a record), public bounds, exact discrete noise. Iris is public, so its exact statistics may be shown; its bounds here were read off
the set and declared, so that this shows the noise and not a guarantee. Each cell: published / measured as published (mean ± deviation of a
single draw) / measured with `InputPerturbation`; in brackets how many deviations the published draw is off.

{tables}
**What one learns.** The published figures are single draws of the noise that was measured here: {inside} of {every} lie within two deviations of one
draw. They are the *same* draw for the three ε: the shift of petal length's mean is 1.089 at ε = 1 and 0.545 and 0.363 at 2 and 3, which is 1.089/2 and
1.089/3. So the three columns are one observation, and the rising correlation is arithmetic and no finding. Covariance does not depend on the noise in the mean, as it
must be: the noise is independent of the value. `InputPerturbation` has the same errors: nothing is paid for its exact sampler and its public bounds, as long as
these are as tight as the data's own.
"""


def _measured() -> list[list[object]]:
    found = compare(*data.load("iris"), repeats=REPEATS)
    return [[*key, one.mean, one.deviation, one.runs] for key, one in found.items()]


def cells() -> Iterator[Cell]:
    yield Cell("iris", _measured)


def write(results: Results, folder: Path) -> list[Figure]:
    found = {
        (way, e, column, statistic): Score(*values) for way, e, column, statistic, *values in results["iris"]
    }
    cells = [
        (published, found["as published", float(place), column, statistic])
        for column, rows in PUBLISHED.items()
        for statistic in STATISTICS
        for place, published in enumerate(rows[statistic])
        if place > 0 and published is not None
    ]
    inside = sum(abs(published - measured.mean) <= 2 * measured.deviation for published, measured in cells)
    text = TEXT.format(
        runs=10 * REPEATS,
        repeats=REPEATS,
        last=REPEATS - 1,
        tables=tables_of(found),
        inside=inside,
        every=len(cells),
    )
    (folder / "rules-perturbed-statistics.md").write_text(text, encoding="utf-8")
    what = "5.12–5.15: published values within two deviations of one draw"
    return [Figure(what, inside / len(cells), 0.9, True, "")]


PAGES = (
    Page(
        "rules",
        "rules-perturbed-statistics",
        "What input perturbation does to the statistics of a table",
        cells,
        write,
    ),
)
