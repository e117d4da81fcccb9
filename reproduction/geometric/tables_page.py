"""Tables 7.1 and 7.2 of the geometric-perturbation work, and covertype: mined and attacked, at full size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks import data
from benchmarks.figures import Figure
from benchmarks.peers import weka_available
from privet.audit.perturbation.report import AttackReport
from privet.report import save_svg
from privet.schema import Category, Number, Schema
from privet.service.trade_off import TradeOff, trade_off
from reproduction.geometric.attacks import numbers
from reproduction.geometric.tables import (
    LEARNERS,
    VARIANTS,
    Measured,
    attacked,
    attacks_table,
    measures_table,
    mined,
    released,
)
from reproduction.geometric.weka import weka_measures
from reproduction.page import Cell, Page, Results

COLUMNS = {
    "adult": ("age", "education-num"),
    "bank_marketing": ("age", "duration"),
    "covertype_20k": ("Elevation", "Horizontal_Distance_To_Roadways"),
}
# The work mined the part of adult that is published for training: WEKA's naive Bayes gives its values for D to
# the last digit on these, and not on all.
TRAINING = 32_561
LEVELS = (0.01, 0.05, 0.1, 0.2, 0.4, 0.8)
PIECES = tuple(
    (name, column, variant)
    for name, columns in COLUMNS.items()
    for column in columns
    for variant in VARIANTS
    # All numbers are the same release, whichever column is looked at.
    if variant != VARIANTS[2] or column == columns[0]
)


def load(name: str) -> tuple[pa.Table, Schema]:
    """A table and its schema; covertype's 44 columns of 0 and 1 are categories."""
    table, schema = data.load(name)
    binary = [c.name for c in schema.attributes if isinstance(c, Number) and (c.low, c.high) == (0, 1)]
    for column in binary:
        table = table.set_column(table.column_names.index(column), column, table[column].cast(pa.string()))
    columns = [Category(c.name, ("0", "1")) if c.name in binary else c for c in schema.columns]
    return table, Schema(tuple(columns), target=schema.target)


def _by_weka(learner: str, name: str, column: str, variant: str) -> dict[str, Any]:
    table, schema = load(name)
    if name == "adult":
        table = table.slice(0, TRAINING)
    release, _ = released(table, schema, column, variant)
    exact = PAGES[0].store.get(f"WEKA/{learner}/{name}", partial(weka_measures, table, schema, learner))
    noisy = weka_measures(release, schema, learner)
    return asdict(Measured(name, column, variant, "WEKA", table.num_rows, {learner: exact}, {learner: noisy}))


def _by_scikit_learn(learner: str, name: str, column: str, variant: str) -> dict[str, Any]:
    return asdict(mined(name, *load(name), column, variant, learners=[learner]))


JUDGES = {"WEKA": _by_weka, "scikit-learn": _by_scikit_learn}


def _attacked(name: str, column: str, variant: str) -> dict[str, Any]:
    return numbers(attacked(*load(name), column, variant))


def _traded(name: str) -> dict[str, Any]:
    return trade_off(*load(name), LEVELS, folds=10, records=5000, seed=0).to_dict()


def cells() -> Iterator[Cell]:
    for learner in LEARNERS:  # naive Bayes first: it takes seconds, the trees minutes
        for judge, work in JUDGES.items():
            for piece in PIECES:
                if judge != "WEKA" or (weka_available() and piece[0] != "covertype_20k"):
                    key = "/".join((judge, learner, *piece))
                    # The page says which trees are missing.
                    yield Cell(key, partial(work, learner, *piece), needed=learner == LEARNERS[0])
    for piece in PIECES:
        yield Cell("/".join(("attacks", *piece)), partial(_attacked, *piece))
    for name in COLUMNS:
        yield Cell(f"trade/{name}", partial(_traded, name), needed=False)


def write(found: Results, folder: Path) -> list[Figure]:
    joined: dict[tuple[str, ...], Measured] = {}
    for learner in LEARNERS:
        for judge in JUDGES:
            for piece in PIECES:
                if (key := "/".join((judge, learner, *piece))) in found:
                    one = Measured(**found[key])
                    joined[judge, *piece] = (
                        joined[judge, *piece].joined(one) if (judge, *piece) in joined else one
                    )
    measured = list(joined.values())
    reports = {piece: AttackReport.from_dict(found["/".join(("attacks", *piece))]) for piece in PIECES}
    trades = {name: _trade(found[f"trade/{name}"]) for name in COLUMNS if f"trade/{name}" in found}
    missing = [cell.key for cell in cells() if cell.key not in found]
    (folder / "perturbation-tables.md").write_text(
        _text(measured, reports, trades, missing), encoding="utf-8"
    )
    for name, trade in trades.items():
        save_svg(trade.figure(), folder / _picture(name))
    return _figures(measured, reports)


def _trade(values: dict[str, Any]) -> TradeOff:
    found: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return TradeOff(**found)


def _picture(name: str) -> str:
    return f"perturbation-noise-{name.replace('_', '-')}.svg"


def _text(
    measured: list[Measured],
    reports: dict[tuple[str, str, str], AttackReport],
    trades: dict[str, TradeOff],
    missing: list[str],
) -> str:
    lines = [INTRODUCTION]
    if missing:
        words = f"**Not measured yet:** {', '.join(missing)}. The same command goes on where it stopped."
        lines += ["", words]
    for name, columns in COLUMNS.items():
        for column in columns:
            lines += ["", f"## {name}: {column}"]
            for judge in JUDGES:
                here = [e for e in measured if (e.table, e.judge) == (name, judge)]
                found = [e for e in here if e.column == column or e.variant == VARIANTS[2]]
                found.sort(key=lambda each: VARIANTS.index(each.variant))
                if found:
                    lines += ["", f"By {judge}, on {found[0].records:,} records:", "", measures_table(found)]
    lines += ["", "## The attacks", "", ATTACKS, "", attacks_table(reports)]
    if trades:
        lines += ["", "## Accuracy and resistance over the noise", "", NOISE, ""]
    for name, trade in trades.items():
        lines += [f"![{name}: accuracy and resistance over the noise]({_picture(name)})", ""]
        lines += ["```text", trade.text(), "```", ""]
    return "\n".join([*lines, "", LEARNED, ""])


def _figures(measured: list[Measured], reports: dict[tuple[str, str, str], AttackReport]) -> list[Figure]:
    published = [report for (_, _, variant), report in reports.items() if variant == VARIANTS[0]]
    together = [report for (_, _, variant), report in reports.items() if variant == VARIANTS[2]]
    away = [
        abs(each.original[learner][0][0] - printed[0][0])
        for each in measured
        for learner in each.original
        if each.judge == "WEKA" and (printed := each.published(learner)) is not None
    ]
    figures = []
    if published and together:
        figures = [
            Figure("the published formula: error of the best attack, at most",
                   max(report.resistance for report in published), 0.01, unit=""),
            Figure("  attacks that break it, of 7, at least",
                   min(sum(attack.succeeds for attack in report.attacks) for report in published), 7,
                   at_least=True, unit=""),
            Figure("geometric, all columns: error of the best attack, at least",
                   min(report.resistance for report in together), unit=""),
        ]  # fmt: skip
    if away:
        figures.append(
            Figure("accuracies on D by WEKA: farthest from the published", max(away), 0.001, unit="")
        )
    return figures


INTRODUCTION = """\
# Tables 7.1 and 7.2 of the geometric-perturbation work, and covertype

Written by `python -m reproduction perturbation-tables`; do not edit. The protocol is
`reproduction.geometric.tables`.

The work perturbs one numeric column at a time, and compares WEKA's naive Bayes and J48 on the original table D and on
the perturbed D′. Here the same is done with its own formula (*as published*: column times its reversal, plus mean, plus
one constant), and with real geometric perturbation (rotation, translation, noise of 0.05 half ranges) of that column
and of all numeric columns together. Every release is attacked, which the work did not do.

Two judges: **WEKA** 3.6 itself, ten folds with its default seed, on the records that the work mined: the 32,561 of adult's
training part and all 45,211 of bank. And **scikit-learn** on all 48,842, 45,211 and 20,000 records, ten folds, three
repetitions with other keys and folds (seeds 0, 1, 2): mean ± standard error over the repetitions. The binomial standard
error of an accuracy on so many records is about 0.002 (covertype 0.003). Covertype's 44 columns of 0 and 1 are
categories here. Bounds of bank and covertype are drafted from the tables themselves, and declared public as a whole."""

ATTACKS = """\
The error of each attack on the column that it recovers best, in standard deviations (0 is exact, 1 is a guess), on 2,000
records, seed 0. The attacker of *known sample* knows 20 records and their images. *Found again* is the largest share
of records that any attack re-identifies; with one column it cannot exceed the share of different values."""

NOISE = """\
Geometric perturbation of all numbers, logistic regression, 5,000 records in 10 folds, attacks on 1,500."""

LEARNED = """\
## What one learns

- WEKA gives the published values for naive Bayes to the last printed digit, on D *and* on D′: the formula that is kept here
  as published is the one that the work ran, on adult's training part and on all of bank. J48's accuracies come out within 0.0002 of the
  published ones. Where single values of naive Bayes differ, the work has a misprint: its 0.3152 for education-num is 0.3751,
  and its 0.8807 for bank is 0.8801.
- That formula hides nothing: every attack undoes it, most of them exactly, from published means alone.
- Real geometric perturbation of a *single* column is hardly better: one column cannot be rotated, only mirrored, moved and
  blurred, and the blur is what the error shows.
- Of all numbers together, with this little noise, it costs naive Bayes and trees more accuracy than the formula did, since both
  look at one column at a time, and still leaves the weakest column with a small error for who knows 20 records. More
  noise buys resistance for accuracy; `privet compare --over-noise` shows at which rate."""

PAGES = (
    Page(
        "geometric",
        "perturbation-tables",
        "Tables 7.1 and 7.2, and covertype: mined and attacked",
        cells,
        write,
    ),
)
