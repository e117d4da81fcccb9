"""Tables 5.16 to 5.22 and 5.25: 1R and naive Bayes over ε, with and without feature selection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks import data
from benchmarks.figures import Figure
from privet.report.plots import lines, save_svg
from reproduction.page import Cell, Page, Results
from reproduction.rules.one_r import EPSILONS, PUBLISHED, literature, repeat, table_of
from reproduction.rules.protocol import score
from reproduction.rules.selected_page import SETS, kept

REPEATS = 10
Found = Mapping[str, Sequence[Mapping[str, Sequence[float]]]]

TEXT = """# 1R and naive Bayes over ε, with and without feature selection

Tables 5.16 to 5.22 and 5.25 of Zorarpacı's thesis. `python -m reproduction rules-one-r` writes this page.

**Protocol.** {repeats} × 10-fold cross-validation (stratified, seeds 0 to {last}; the thesis has 10 ×, for which the shared machine had no time, so our deviations over repeats are rough; the heading of a table says where there were more); deviations are over the means of the repeats, as in the thesis (its ± 2E-16 is rounding: the same
folds again). Noise is on counts, so only *training* is private and there is no perturbed test set to speak of: the thesis's question "training only, or test too" does not arise
in this group.

* *thesis*: the printed figures.
* *as published*: the thesis's Algorithms 4.3 and 4.4 done again: noise on every count, ε divided by classes × all values; a number is taken by its distinct values, which the thesis does not
  say. Domains read off the data, so there is no guarantee.
* *with (public) selection*: attributes kept by `BeeSelection`, seed 0, from the whole exact table before the folds are made, as in the thesis. This is not private and has seen the test
  records.
* `OneR`, `NaiveBayes`: Privet's, with their defaults, at ε for the whole fit. *private top k*: `SelectKBest` with a fifth of ε, k as the thesis kept, then naive Bayes with the rest; all of ε
  counted.
* Bounds of breast_w are the documented ones; those of heart_statlog, credit_approval and spect_heart were read off the public sets and declared, so for these three the figures show accuracy and
  not a guarantee. "No noise" is ε = 10⁶.

![1R over ε](rules-one-r.svg)

{tables}
**Table 5.25**, ε = 1:

{literature}

**What one learns.** {lesson}

The published rows of spect_heart (1R without noise: 0.723) and of credit_approval's naive Bayes (0.693 and 0.681, the same digits as spect_heart's) do not fit these tables as others know them: always saying the
larger class gets 0.794 of spect_heart right. The thesis does not explain it, so those rows cannot be repeated. Its 1R without selection on mushroom has 0.950 without noise and 0.968 at ε = 3; here, as elsewhere, it has 0.985 without.
"""


def _mean(found: Found, name: str, method: str, epsilon: float) -> float:
    return score([one[method][1 + EPSILONS.index(epsilon)] for one in found[name]]).mean


def _lesson(found: Found) -> str:
    own = [
        abs(_mean(found, name, "NB, as published", epsilon) - PUBLISHED[name][1][3][1 + place][0])
        for name in found
        if name not in ("spect_heart", "credit_approval")
        for place, epsilon in enumerate(EPSILONS)
    ]
    gains = {
        (what, epsilon): score(
            [
                _mean(found, name, what, epsilon)
                - max(PUBLISHED[name][1][row][1 + EPSILONS.index(epsilon)][0] for row in rows)
                for name in found
            ]
        ).mean
        for what, rows in (("`OneR`", (0, 2)), ("`NaiveBayes`", (1, 3)))
        for epsilon in (1.0, 0.1)
    }
    more = {
        (after, before): score(
            [_mean(found, n, after, 0.1) - _mean(found, n, before, 0.1) for n in found]
        ).mean
        for after, before in (
            ("`OneR` with public selection", "`OneR`"),
            ("`NaiveBayes` with public selection", "`NaiveBayes`"),
            ("`NaiveBayes`, private top k", "`NaiveBayes`"),
        )
    }
    behind = [
        f"{name} at ε = {epsilon:g} ({method} {_mean(found, name, method, epsilon):.3f}, thesis {best:.3f})"
        for name in found
        for method, rows in (("`OneR`", (0, 2)), ("`NaiveBayes`", (1, 3)))
        for place, epsilon in enumerate(EPSILONS)
        if _mean(found, name, method, epsilon) + 0.005
        < (best := max(PUBLISHED[name][1][row][1 + place][0] for row in rows))
    ]
    return (
        f"The thesis's naive Bayes is repeated closely: on the five sets that can be compared, the mean difference from the printed figures is {score(own).mean:.3f}. Its privacy accounting is what costs"
        f" the accuracy. At the same ε, and without any selection, `OneR` is better than the better of the two published 1R rows by {gains['`OneR`', 1.0]:.3f} at ε = 1 and by {gains['`OneR`', 0.1]:.3f} at"
        f" ε = 0.1 (means over {len(found)} sets), and `NaiveBayes` than the better published row by {gains['`NaiveBayes`', 1.0]:.3f} and {gains['`NaiveBayes`', 0.1]:.3f}."
        f" Worse than a published row by more than half a point: {'; '.join(behind) or 'nowhere'}."
        f" Selecting by the exact records first, as the thesis does, adds {more['`OneR` with public selection', '`OneR`']:.3f} to `OneR` and"
        f" {more['`NaiveBayes` with public selection', '`NaiveBayes`']:.3f} to `NaiveBayes` at ε = 0.1, and is the one step that voids the guarantee (and has seen the test records);"
        f" choosing the top k privately keeps it, and adds {more['`NaiveBayes`, private top k', '`NaiveBayes`']:.3f}."
    )


def _measured(name: str, seed: int) -> dict[str, list[float]]:
    return repeat(name, *data.load(name), kept(name, 0), seed=seed)


def cells() -> Iterator[Cell]:
    for seed in range(REPEATS):
        for name in SETS:
            yield Cell(f"{name}/{seed}", partial(_measured, name, seed), needed=seed == 0)


def write(results: Results, folder: Path) -> list[Figure]:
    keys = {name: [f"{name}/{seed}" for seed in range(REPEATS)] for name in PUBLISHED}
    found = {name: [results[key] for key in each if key in results] for name, each in keys.items()}
    least = min(map(len, found.values()))
    series = {
        name: [_mean(found, name, "`OneR`", e) for e in EPSILONS[::-1]]
        for name in ("mushroom", "votes", "nursery")
    }
    series |= {
        f"{name}, thesis with selection": [
            PUBLISHED[name][1][0][1 + place][0] for place in range(len(EPSILONS))
        ][::-1]
        for name in list(series)
    }
    save_svg(
        lines(EPSILONS[::-1], series, xlabel="ε", ylabel="accuracy of 1R", log_x=True),
        folder / "rules-one-r.svg",
    )
    text = TEXT.format(
        repeats=least,
        last=least - 1,
        tables="\n".join(table_of(name, runs) for name, runs in found.items()),
        literature=literature(found),
        lesson=_lesson(found),
    )
    (folder / "rules-one-r.md").write_text(text, encoding="utf-8")
    return [
        Figure(f"5.16–5.22, {name}: {method} at ε = 0.1", _mean(found, name, method, 0.1), unit="")
        for name in found
        for method in ("`OneR`", "`NaiveBayes`")
    ]


PAGES = (
    Page(
        "rules", "rules-one-r", "1R and naive Bayes over ε, with and without feature selection", cells, write
    ),
)
