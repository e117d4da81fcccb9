"""Speed of rule mining by bee colony: sequential covering on adult, the thesis's swarm and iterations."""

from __future__ import annotations

import time

from benchmarks import data
from benchmarks.figures import Figure

GOAL = 60.0  # seconds, on two cores


def run() -> list[Figure]:
    from privet.learning.public.bee_rules import BeeRules

    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    table, schema = data.load("adult")
    BeeRules(schema=schema, iterations=1, most_rules=1, random_state=0).fit(table)  # compile
    wall, cpu = time.perf_counter(), time.process_time()
    model = BeeRules(schema=schema, swarm=20, iterations=500, random_state=0).fit(table)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return [
        Figure("sequential covering on adult: rules", float(len(model.rules.rules)), unit=""),
        Figure("sequential covering on adult: processor time of all threads", cpu, unit="s"),
        Figure("sequential covering on adult: elapsed", wall, GOAL, unit="s"),
    ]
