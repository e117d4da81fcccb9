"""Flows: what undeclared bounds cost, and what the automatic allocation is worth.

Every flow has one ε for bounds (if any), imputation, selection, model and evaluation. The model that it ends
in is scored exactly on records held out: the sets are public.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.data import available, load
from benchmarks.figures import Figure
from benchmarks.forecast import tables
from privet.flow import Flow
from privet.schema import Number, Schema

MANY, REPEATS = 12, 4  # of tables below a thousand records, and of others
CHOSEN_ON = ("adult", "bank_marketing", "mushroom", "nursery", "breast_w", "votes")
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
    order = np.random.default_rng(repeat).permutation(table.num_rows)
    cut = 2 * table.num_rows // 3
    train, test = table.take(order[:cut]), table.take(order[cut:])
    flow = Flow.from_dict({"epsilon": 1.0, "steps": given} | more)
    result = flow.run({"people": (train, schema)})
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


def gap(name: str, table: pa.Table, schema: Schema, learner: str) -> float:
    """How far the automatic allocation is behind the better of the others."""
    given = steps(learner, len(schema.attributes), bounds=False)
    repeats = MANY if table.num_rows < 1000 else REPEATS
    found = {
        rival: float(np.mean([accuracy(given, table, schema, r, **how) for r in range(repeats)]))
        for rival, how in allocations(given).items()
    }
    told = ", ".join(f"{rival} {value:.4f}" for rival, value in found.items())
    print(f"  {name:<20}{learner:<22}{told}", flush=True)
    return max(found["equal"], found["model"]) - found["auto"]


def run() -> list[Figure]:
    """Weights were chosen with some of the tables in view, so the figure that counts is that of the others."""
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
    gaps: dict[bool, list[float]] = {True: [], False: []}
    for name, (table, schema) in tables().items():
        for learner in LEARNERS:
            gaps[name in CHOSEN_ON].append(gap(name, table, schema, learner))
    behind = "automatic allocation behind the better of equal shares and all to the model, mean: "
    return [
        *figures,
        Figure(
            behind + "tables that its weights were not chosen on", float(np.mean(gaps[False])), 0.005, unit=""
        ),
        Figure(behind + "tables that they were chosen on", float(np.mean(gaps[True])), 0.005, unit=""),
    ]
