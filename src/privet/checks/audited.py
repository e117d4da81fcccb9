"""The check that puts the claim itself to the test: a quick audit of the whole fitted model."""

from __future__ import annotations

import time

import numpy as np

from privet.audit import Transcript, audit
from privet.audit.examples import quick_schema
from privet.audit.pairs import random_record, table_of
from privet.checks.example import Make
from privet.registry import audited_algorithms

__all__ = ["check_claim_is_not_refuted"]

# All audited algorithms together raise a false alarm once in a million test runs (Bonferroni).
FALSE_ALARMS = 1e-6
SECONDS = 1.0
# A quarter of the runs is tested on each table, and 55 of 55 against 0 of 55 is the least that refutes ε = 1
# so surely: with fewer, not even a model that tells everything would fail on a slow machine.
LEAST, MOST = 260, 1_000


def check_claim_is_not_refuted(make: Make) -> None:
    """A quick audit finds no violation. It sees gross faults only; ``privet audit --deep`` looks harder."""
    schema = quick_schema(make(epsilon=1.0))
    confidence = 1 - FALSE_ALARMS / (2 * len(audited_algorithms()))
    model = make(epsilon=1.0, schema=schema)
    found = audit(model, runs=_affordable(make), search_runs=8, confidence=confidence)
    assert not found.violated, found.text()
    # And of the answers that it was given, in which too little noise shows sooner.
    answers = audit(Transcript(model), pairs=[found.pair], runs=LEAST, confidence=confidence)
    assert not answers.violated, answers.text()


def _affordable(make: Make) -> int:
    """How many runs fit into some seconds: an algorithm that fits slowly is audited with fewer."""
    schema = quick_schema(make())
    generator = np.random.default_rng(0)
    table = table_of(schema, [random_record(schema, generator) for _ in range(30)])
    make(schema=schema).fit(table)  # compiles
    start = time.perf_counter()
    make(schema=schema).fit(table)
    once = time.perf_counter() - start
    return int(min(MOST, max(LEAST, SECONDS / once)))
