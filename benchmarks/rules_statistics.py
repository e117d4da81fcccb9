"""Tables 5.12 to 5.15: iris before and after input perturbation."""

from __future__ import annotations

from pathlib import Path

from benchmarks import data
from benchmarks.figures import Figure
from privet.experiments.rules_perturbed_statistics import PUBLISHED, STATISTICS, compare, markdown

PAGE = Path(__file__).resolve().parents[1] / "docs" / "experiments" / "rules-perturbed-statistics.md"

TEXT = """# Input perturbation: statistics of iris before and after

Tables 5.12 to 5.15 of Zorarpacı's thesis. `python -m benchmarks.rules_tables statistics` writes this page.

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


def page(repeats: int, minutes: float | None) -> list[Figure]:
    del minutes  # a few seconds
    table, schema = data.load("iris")
    found = compare(table, schema, repeats=repeats)
    cells = [
        (published, found["as published", float(place), column, statistic])
        for column, rows in PUBLISHED.items()
        for statistic in STATISTICS
        for place, published in enumerate(rows[statistic])
        if place > 0 and published is not None
    ]
    inside = sum(abs(published - measured.mean) <= 2 * measured.deviation for published, measured in cells)
    PAGE.write_text(
        TEXT.format(
            runs=10 * repeats,
            repeats=repeats,
            last=repeats - 1,
            tables=markdown(found),
            inside=inside,
            every=len(cells),
        )
    )
    return [
        Figure(
            "5.12–5.15: published values within two deviations of one draw",
            inside / len(cells),
            0.9,
            True,
            "",
        )
    ]
