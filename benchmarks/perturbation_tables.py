"""Tables 7.1 and 7.2 of the geometric-perturbation work, and covertype: mined and attacked, at full size.

Every piece is kept in a folder as soon as it is measured (``PRIVET_EXPERIMENTS``, else one for temporary
files), so that a run that was stopped goes on where it was; remove the folder to measure anew. With
``PRIVET_QUICK=1`` it takes 3,000 records of each table and writes nothing; with ``PRIVET_MINUTES`` it stops after so
many, and the page says what is left.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks import data
from benchmarks.figures import Figure
from benchmarks.peers import weka_available
from benchmarks.perturbation_weka import weka_measures
from privet.audit.perturbation.report import AttackReport
from privet.experiments.perturbation_tables import (
    LEARNERS,
    VARIANTS,
    Measured,
    attacked,
    attacks_table,
    measures_table,
    mined,
    released,
)
from privet.schema import Category, Number, Schema
from privet.service.trade_off import TradeOff, trade_off

COLUMNS = {
    "adult": ("age", "education-num"),
    "bank_marketing": ("age", "duration"),
    "covertype_20k": ("Elevation", "Horizontal_Distance_To_Roadways"),
}
# The work mined the part of adult that is published for training: WEKA's naive Bayes gives its values for D to
# the last digit on these, and not on all.
TRAINING = 32_561
QUICK = bool(os.environ.get("PRIVET_QUICK"))
KEPT = Path(os.environ.get("PRIVET_EXPERIMENTS", Path(tempfile.gettempdir()) / "privet-experiments"))
PAGE = Path(__file__).resolve().parents[1] / "docs" / "experiments" / "perturbation-tables.md"
# How long to go on measuring; what is left is for the next call.
MINUTES = float(os.environ.get("PRIVET_MINUTES", "600"))
ONLY = os.environ.get(
    "PRIVET_ONLY", ""
)  # pieces whose names begin so: "WEKA", "scikit-learn-naive Bayes", "attacks", "trade"
REPETITIONS = 3
LEVELS = (0.01, 0.05, 0.1, 0.2, 0.4, 0.8)


def run() -> list[Figure]:
    if not data.available():
        print("  The tables beside the repository are not here: nothing to reproduce.")
        return []
    pieces = [
        (name, column, variant)
        for name, columns in COLUMNS.items()
        for column in columns
        for variant in VARIANTS
        # All numbers are the same release, whichever column is looked at.
        if variant != VARIANTS[2] or column == columns[0]
    ]
    works: dict[str, Callable[[], Any]] = {}
    for learner in LEARNERS:  # naive Bayes first: it takes seconds, the trees minutes
        for judge, work in JUDGES.items():
            for piece in pieces:
                if judge != "WEKA" or (weka_available() and piece[0] != "covertype_20k"):
                    works[f"{judge}-{learner}-{'-'.join(piece)}"] = (
                        lambda work=work, piece=piece, learner=learner: asdict(work(*piece, learner))
                    )
    for piece in pieces:
        works[f"attacks-{'-'.join(piece)}"] = lambda piece=piece: _attacked(*piece).to_dict()
    for name in COLUMNS:
        works[f"trade-{name}"] = lambda name=name: _traded(*load(name)).to_dict()
    found = _measured(works)
    missing = [name for name in works if name not in found]
    print(f"    {len(found)} of {len(works)} pieces are measured")
    joined: dict[tuple[str, ...], Measured] = {}
    for name, values in found.items():
        if name.startswith(tuple(JUDGES)):
            one = Measured(**values)
            place = (one.table, one.column, one.variant, one.judge)
            joined[place] = joined[place].joined(one) if place in joined else one
    measured = list(joined.values())
    reports = {
        piece: AttackReport.from_dict(found[name])
        for piece in pieces
        if (name := f"attacks-{'-'.join(piece)}") in found
    }
    trades = {
        name: TradeOff(**_tuples(found[f"trade-{name}"])) for name in COLUMNS if f"trade-{name}" in found
    }
    if not QUICK:
        _write(measured, reports, trades, missing)
    return _figures(measured, reports)


def _measured(works: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """What has been measured, now or before, until the time is over."""
    start, found = time.monotonic(), {}
    for name, work in works.items():
        wanted = name.startswith(ONLY) and time.monotonic() - start < 60 * MINUTES
        if wanted or _place(name).exists():
            print(f"    {name}", flush=True)
            found[name] = kept(name, work)
    return found


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
    if away and not QUICK:
        figures.append(
            Figure("accuracies on D by WEKA: farthest from the published", max(away), 0.001, unit="")
        )
    return figures


def load(name: str) -> tuple[pa.Table, Schema]:
    """A table and its schema; covertype's 44 columns of 0 and 1 are categories."""
    table, schema = data.load(name)
    binary = [c.name for c in schema.attributes if isinstance(c, Number) and (c.low, c.high) == (0, 1)]
    for column in binary:
        table = table.set_column(table.column_names.index(column), column, table[column].cast(pa.string()))
    columns = [Category(c.name, ("0", "1")) if c.name in binary else c for c in schema.columns]
    return table.slice(0, 3000) if QUICK else table, Schema(tuple(columns), target=schema.target)


def _by_weka(name: str, column: str, variant: str, learner: str) -> Measured:
    table, schema = load(name)
    if name == "adult":
        table = table.slice(0, TRAINING)
    release, _ = released(table, schema, column, variant)
    original = kept(f"part-{name}-{learner}", lambda: weka_measures(table, schema, learner))
    perturbed = weka_measures(release, schema, learner)
    return Measured(name, column, variant, "WEKA", table.num_rows, {learner: original}, {learner: perturbed})


def _by_scikit_learn(name: str, column: str, variant: str, learner: str) -> Measured:
    table, schema = load(name)
    return mined(
        name, table, schema, column, variant, learners=[learner], repetitions=1 if QUICK else REPETITIONS
    )


JUDGES: dict[str, Callable[[str, str, str, str], Measured]] = {
    "WEKA": _by_weka,
    "scikit-learn": _by_scikit_learn,
}


def _attacked(name: str, column: str, variant: str) -> AttackReport:
    return attacked(*load(name), column, variant)


def _traded(table: pa.Table, schema: Schema) -> TradeOff:
    return trade_off(table, schema, LEVELS, folds=3 if QUICK else 10, records=1000 if QUICK else 5000, seed=0)


def kept(name: str, work: Callable[[], Any]) -> Any:
    """A piece as it was measured before, or measured now and kept."""
    place = _place(name)
    if not place.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        text = json.dumps(work())
        place.with_suffix(".part").write_text(text)
        place.with_suffix(".part").rename(place)
    return json.loads(place.read_text())


def _place(name: str) -> Path:
    return KEPT / f"{'quick-' if QUICK else ''}{name.replace(', ', '-').replace(' ', '-')}.json"


def _tuples(found: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}


def _write(
    measured: list[Measured],
    reports: dict[tuple[str, str, str], AttackReport],
    trades: dict[str, TradeOff],
    missing: list[str],
) -> None:
    from privet.report import save_svg

    PAGE.parent.mkdir(parents=True, exist_ok=True)
    lines = [INTRODUCTION]
    if missing:
        lines += [
            "",
            f"**Not measured yet:** {', '.join(missing)}. The same command goes on where it stopped.",
        ]
    for name, columns in COLUMNS.items():
        for column in columns:
            lines += ["", f"## {name}: {column}"]
            for judge in ("WEKA", "scikit-learn"):
                here = [e for e in measured if (e.table, e.judge) == (name, judge)]
                found = [e for e in here if e.column == column or e.variant == VARIANTS[2]]
                found.sort(key=lambda each: VARIANTS.index(each.variant))
                if found:
                    lines += ["", f"By {judge}, on {found[0].records:,} records:", "", *measures_table(found)]
    if reports:
        lines += ["", "## The attacks", "", ATTACKS, "", *attacks_table(reports)]
    if trades:
        lines += ["", "## Accuracy and resistance over the noise", "", NOISE, ""]
    for name, trade in trades.items():
        picture = PAGE.with_name(f"perturbation-noise-{name.replace('_', '-')}.svg")
        save_svg(trade.figure(), picture)
        lines += [f"![{name}: accuracy and resistance over the noise]({picture.name})", ""]
        lines += ["```text", trade.text(), "```", ""]
    lines += ["", LEARNED]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


INTRODUCTION = """\
# Tables 7.1 and 7.2 of the geometric-perturbation work, and covertype

Written by `python -m benchmarks perturbation_tables`; do not edit. The protocol is
`privet.experiments.perturbation_tables`.

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
