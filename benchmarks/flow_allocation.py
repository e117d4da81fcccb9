"""Flows: what undeclared bounds cost, and what the automatic allocation is worth.

Every flow has one ε for bounds (if any), imputation, selection, model and evaluation. The model that it ends
in is scored exactly on records held out: the sets are public. Splits and noise come from seeds.

With 4 splits, and 12 of tables below a thousand records, the mean over half of the tables has a standard
deviation of half a point, which is the goal. So there are many splits of those that are small.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.contest import halves
from benchmarks.data import available, load
from benchmarks.figures import Figure
from benchmarks.forecast import tables
from privet.flow import Flow
from privet.schema import Number, Schema

MANY, REPEATS = 40, 8  # of tables below a thousand records, and of others
MOST, SCORED = 40_000, 10_000  # records of a split, and of those that are held out
LEARNERS = ("naive-bayes", "logistic-regression")
FAR = 1e9


def steps(learner: str, attributes: int, *, bounds: bool) -> dict[str, Any]:
    """The process, as a flow's steps."""
    found: dict[str, Any] = {"people": {"do": "source", "data": "table"}}
    last = "people"
    if bounds:
        found["bounds"], last = {"do": "bounds", "from": last}, "bounds"
    found["filled"] = {"do": "impute", "from": last}
    found["chosen"] = {"do": "select-k-best", "from": "filled", "k": max(1, attributes // 2), "values": False}
    found["model"] = {"do": learner, "from": "chosen"}
    found["score"] = {"do": "evaluate", "from": ["model", "filled"], "measures": "confusion"}
    return found


def undeclared(schema: Schema) -> Schema:
    """The schema of somebody who knows nothing about the numbers."""
    columns = [
        replace(c, low=-FAR, high=FAR, cuts=()) if isinstance(c, Number) and c.name != schema.target else c
        for c in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


def accuracy(given: dict[str, Any], table: pa.Table, schema: Schema, repeat: int, **more: Any) -> float:
    """The accuracy of the model that a flow ends in, on a third of the records."""
    order = np.random.default_rng(repeat).permutation(table.num_rows)[:MOST]
    cut = 2 * len(order) // 3
    train, test = table.take(order[:cut]), table.take(order[cut:][:SCORED])
    flow = Flow.from_dict({"epsilon": 1.0, "steps": given} | more)
    result = flow.run({"people": (train, schema)}, random_state=repeat)
    prepared = test
    for name in ("bounds", "filled"):
        if name in result.found:
            source = result[name].mapped(_source(prepared))
            prepared = pa.Table.from_batches(source.batches())
    truth = np.array(test["class"].to_pylist(), dtype=object)
    return float(np.mean(np.asarray(result["model"].predict(prepared), dtype=object) == truth))


def _source(table: pa.Table) -> Any:
    from privet.sources import as_source

    return as_source(table)


def allocations(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rivals: automatic, equal, and nearly all to the model."""
    names = [name for name in given if name != "people"]
    weights = {name: 100.0 if name == "model" else 1.0 for name in names}
    weighed = {n: e | ({"weight": weights[n]} if n in weights else {}) for n, e in given.items()}
    return {
        "auto": {"steps": given, "allocation": "auto"},
        "equal": {"steps": given, "allocation": "equal"},
        "model": {"steps": weighed, "allocation": "weights"},
    }


def gap(name: str, table: pa.Table, schema: Schema, learner: str) -> tuple[float, float]:
    """How far the automatic allocation is behind the better of the others, and the standard error of that."""
    given = steps(learner, len(schema.attributes), bounds=False)
    repeats = MANY if table.num_rows < 1000 else REPEATS
    found = {
        rival: np.array([accuracy(given, table, schema, r, **how) for r in range(repeats)])
        for rival, how in allocations(given).items()
    }
    told = ", ".join(f"{rival} {values.mean():.4f}" for rival, values in found.items())
    print(f"  {name:<20}{learner:<22}{told}", flush=True)
    behind = max(found["equal"], found["model"], key=np.mean) - found["auto"]
    return float(behind.mean()), float(behind.std(ddof=1) / np.sqrt(repeats))


def run() -> list[Figure]:
    """Bounds that nobody declared, on adult; and the allocation, on each half of the tables."""
    if not available():
        print("  the real tables are not here: nothing to measure")
        return []
    figures = []
    table, schema = load("adult")
    for learner in LEARNERS:
        means = {}
        for known in (True, False):
            given = steps(learner, len(schema.attributes), bounds=not known)
            used = schema if known else undeclared(schema)
            means[known] = float(np.mean([accuracy(given, table, used, r) for r in range(REPEATS)]))
        figures += [
            Figure(f"adult, {learner}, ε = 1: flow with declared bounds", means[True], unit=""),
            Figure(
                f"adult, {learner}, ε = 1: nothing declared, lost", means[True] - means[False], 0.015, unit=""
            ),
        ]
    behind = "automatic allocation behind the better of equal shares and all to the model, mean"
    everything: list[tuple[float, float]] = []
    for half, what in zip(halves(), ("half that limits are chosen on", "other half"), strict=True):
        gaps = [gap(name, *tables()[name], learner) for name in half for learner in LEARNERS]
        everything += gaps
        figures.append(Figure(f"{behind}: {what}", _mean(gaps)[0], unit=""))
    mean, error = _mean(everything)
    return [
        *figures,
        Figure(f"{behind}: all", mean, 0.005, unit=""),
        Figure("its standard error, by the splits", error, unit=""),
    ]


def _mean(gaps: list[tuple[float, float]]) -> tuple[float, float]:
    """The mean of the gaps, and its standard error."""
    behind, errors = np.array(gaps).T
    return float(behind.mean()), float(np.sqrt((errors**2).sum()) / len(errors))
