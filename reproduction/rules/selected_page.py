"""Table 5.23: how many attributes ABC–DE feature selection keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.figures import Figure
from reproduction import markdown
from reproduction.page import Cell, Page, Results
from reproduction.rules.private_selection import SELECTIONS, compare_selections
from reproduction.rules.protocol import score
from reproduction.rules.selected import PUBLISHED, selected, table_of

REPEATS = 5
#: Small sets first, so that a stopped run has most of them.
SETS = ("heart_statlog", "votes", "spect_heart", "breast_w", "credit_approval", "nursery", "mushroom")

TEXT = """# ABC–DE feature selection: how many attributes are kept

Table 5.23 of Zorarpacı's thesis. `python -m reproduction rules-selected` writes this page.

**Protocol.** `BeeSelection` (population 20, 50 iterations, 3-fold accuracy of a decision tree, of equal subsets the smaller) on the whole table, seeds from 0; how many runs there were is in the table. The thesis's
fitness is WEKA's J48, which prunes and splits nominal attributes by all their values; here it is scikit-learn's unpruned tree on codes. The thesis says neither its population
nor its iterations. The selection reads the exact records: **not private**, whatever is trained on its result.

{tables}

**What one learns.** {lesson}

## Selection that is private

The thesis leaves a private selection to future work. At one total ε a classifier gets all attributes, or those of a private filter (`SelectKBest`, k as the thesis kept) or of the private ABC–DE search
(`PrivateBeeSelection`: the same search, its fitness computed from noisy tables), half of ε for choosing and half for learning; or those of the wrapper, here within the training folds, which is not private. 1 × 10-fold, deals
seeded; mean accuracy ± standard error (attributes kept).

{private}

{private_lesson}
"""


def _compared(name: str) -> list[dict[str, Any]]:
    return [asdict(one) for one in compare_selections(*data.load(name), k=PUBLISHED[name][1])]


def _selected(name: str, seed: int) -> list[str]:
    return selected(*data.load(name), seed=seed)


def cells() -> Iterator[Cell]:
    for seed in range(REPEATS):
        for name in SETS:
            yield Cell(f"kept/{name}/{seed}", partial(_selected, name, seed), needed=seed == 0)
    for name in SETS:
        yield Cell(f"compared/{name}", partial(_compared, name))


def kept(name: str, seed: int) -> list[str]:
    """The attributes that one run keeps; other tables use them too."""
    return list(PAGES[0].store.get(f"kept/{name}/{seed}", partial(_selected, name, seed)))


def _private(found: Mapping[str, list[dict[str, Any]]]) -> tuple[str, str]:
    """The table of private selections, and in how many cells each is the best private way."""
    rows = []
    best: dict[str, int] = dict.fromkeys(SELECTIONS[:3], 0)
    for name, results in found.items():
        cells = {(r["classifier"], r["epsilon"], r["selection"]): r for r in results}
        for classifier, epsilon in dict.fromkeys((r["classifier"], r["epsilon"]) for r in results):
            row = [cells[classifier, epsilon, selection] for selection in SELECTIONS]
            best[max(row[:3], key=lambda one: one["accuracy"])["selection"]] += 1
            words = [f"{r['accuracy']:.3f} ± {r['standard_error']:.3f} ({r['attributes']:.1f})" for r in row]
            rows.append([name, f"{classifier}, {epsilon:g}", *words])
    counted = ", ".join(f"{what} in {times}" for what, times in best.items())
    pairs = [
        (one["accuracy"], other["accuracy"])
        for results in found.values()
        for one in results
        for other in results
        if one["selection"] == "private filter" and other["selection"] == "private ABC–DE"
        and (one["classifier"], one["epsilon"]) == (other["classifier"], other["epsilon"])
    ]  # fmt: skip
    lesson = (
        f"Of the private ways the best is (of equal ones the first): {counted} cells. The filter is at least as good as the private search in {sum(a >= b for a, b in pairs)} of {len(pairs)} cells: it asks one question of sensitivity 1 for"
        " each attribute, where the search pays for tables of all attributes before it starts, and by noisy tables keeps one or two attributes. 1R chooses its attribute itself and gains nothing from a selection that costs it half"
        " of ε. With a fifth of ε for the choice, the filter helps naive Bayes ([the tables over ε](rules-one-r.md))."
    )
    return markdown.table(["set", "classifier, ε", *SELECTIONS], rows), lesson


def write(results: Results, folder: Path) -> list[Figure]:
    keys = {name: [f"kept/{name}/{seed}" for seed in range(REPEATS)] for name in SETS}
    found = {name: [results[key] for key in each if key in results] for name, each in keys.items()}
    sizes = {name: score([len(run) for run in runs]) for name, runs in found.items()}
    near = [
        name
        for name, size in sizes.items()
        if abs(size.mean - PUBLISHED[name][1]) <= max(2.0, 2 * size.deviation)
    ]
    lesson = (
        f"The number kept is within two attributes, or two deviations, of the published one on {len(near)} of {len(found)} sets"
        f" ({', '.join(near)}). Which attributes those are changes from run to run, except for a few strong ones: many subsets are nearly equally"
        " good for a tree, and the search takes the one that its own folds favour."
    )
    private, private_lesson = _private({name: results[f"compared/{name}"] for name in SETS})
    text = TEXT.format(tables=table_of(found), lesson=lesson, private=private, private_lesson=private_lesson)
    (folder / "rules-selected.md").write_text(text, encoding="utf-8")
    return [
        Figure(f"5.23, {name}: attributes kept (thesis {PUBLISHED[name][1]})", size.mean, unit="")
        for name, size in sizes.items()
    ]


PAGES = (Page("rules", "rules-selected", "Which attributes the bees select", cells, write),)
