"""How long it takes to plan a flow of ten steps: all of it is rehearsed twice, on no records."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.figures import Figure
from privet.demo.patients import patients, public_knowledge
from privet.flow import Flow

GOAL, REPEATS = 1.0, 5
STEPS: dict[str, dict[str, Any]] = {
    "people": {"do": "source", "data": "people.csv"},
    "bounds": {"do": "bounds", "from": "people"},
    "filled": {"do": "impute", "from": "bounds"},
    "parts": {"do": "split", "from": "filled"},
    "chosen": {"do": "select-k-best", "from": "parts.train", "k": 4},
    "bayes": {"do": "naive-bayes", "from": "chosen"},
    "tree": {"do": "decision-tree", "from": "chosen"},
    "additive": {"do": "additive-model", "from": "chosen"},
    "score": {"do": "evaluate", "from": ["bayes", "parts.test"]},
    "other": {"do": "evaluate", "from": ["tree", "parts.test"]},
}


def run() -> list[Figure]:
    """The processor's time of the first plan, which loads what the steps need, and of the quickest one."""
    tables = {"people": (patients(10), public_knowledge())}
    flow, times = Flow.from_dict({"epsilon": 1.0, "steps": STEPS}), []
    for _ in range(REPEATS):
        start = time.process_time()
        flow.plan(tables)
        times.append(time.process_time() - start)
    return [
        Figure("plan of a flow of ten steps, the first in a program", times[0], GOAL, unit="s"),
        Figure("plan of a flow of ten steps, again", min(times), GOAL, unit="s"),
    ]
