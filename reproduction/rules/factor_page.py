"""Table 5.11: what F does to 1-rule ABC."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks import data
from benchmarks.figures import Figure
from reproduction.page import Cell, Page, Results
from reproduction.rules.factor import FACTORS, PUBLISHED, SETS, runs, spread, table_of
from reproduction.rules.protocol import Score, score

REPEATS = 2

TEXT = """# F in 1-rule ABC

Table 5.11 of Zorarpacı's thesis. `python -m reproduction rules-factor` writes this page.

**Protocol.** `BeeRules(method="one")` with the thesis's other parameters (swarm 20, limit 100, 500 iterations, α = 0.4, β = 0.6) on exact records, {repeats} × 10-fold cross-validation (stratified,
seeds 0 to {last}): {runs} runs for each F, as many as the thesis has, which does not say what a run is. Published values are bold; deviations are over runs.

{table}

**What one learns.** {lesson}
"""


def _measured(name: str, factor: float, seed: int) -> list[float]:
    return runs(name, *data.load(name), factor, seed=seed)


def cells() -> Iterator[Cell]:
    for seed in range(REPEATS):
        for name in SETS:
            for factor in FACTORS:
                yield Cell(f"{name}/{factor}/{seed}", partial(_measured, name, factor, seed))


def write(results: Results, folder: Path) -> list[Figure]:
    found = {
        name: {f: [one for seed in range(REPEATS) for one in results[f"{name}/{f}/{seed}"]] for f in FACTORS}
        for name in SETS
    }
    scores = {name: [score(runs) for runs in each.values()] for name, each in found.items()}
    lesson = "; ".join(
        f"on {name} the means lie within {spread(each):.3f} of each other, where the standard error of one is {max(s.standard_error for s in each):.3f}"
        f" (thesis: within {spread([Score(m, d, 20) for m, d in PUBLISHED[name]]):.3f})"
        for name, each in scores.items()
    )
    lesson = (
        f"F hardly matters: {lesson}. The thesis takes 0.6 as the best of these; differences of that size are within the noise of 20 runs, in its table and in ours."
        " Its row for 0.6 is itself 0.015 to 0.055 above what its table 5.1 prints for the same method and parameters, which is about the spread of the whole table."
    )
    text = TEXT.format(
        repeats=REPEATS, last=REPEATS - 1, runs=10 * REPEATS, table=table_of(found), lesson=lesson
    )
    (folder / "rules-factor.md").write_text(text, encoding="utf-8")
    return [
        Figure(f"5.11, {name}: spread of the means over F", spread(each), unit="")
        for name, each in scores.items()
    ]


PAGES = (Page("rules", "rules-factor", "The scale factor F", cells, write),)
