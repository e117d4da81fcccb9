"""The check that puts the claim itself to the test: a quick audit of the whole fitted model."""

from __future__ import annotations

import numpy as np

from privet.audit import Transcript, audit
from privet.audit.examples import quick_schema
from privet.audit.subjects import subject_of
from privet.checks.example import Make
from privet.registry import audited_algorithms

__all__ = ["check_claim_is_not_refuted"]

# All audited algorithms together raise a false alarm once in a million test runs (Bonferroni).
FALSE_ALARMS = 1e-6
# A quarter of the runs is tested on each table, and 55 of 55 against 0 of 55 is the least that refutes ε = 1
# so surely: with fewer than 220, not even a model that tells everything would fail.
RUNS = 240
# Every fourth of the pairs that an audit would try: of each kind one or two.
STRIDE = 4


def check_claim_is_not_refuted(make: Make) -> None:
    """A quick audit finds no violation. It sees gross faults only; ``privet audit --deep`` looks harder."""
    schema = quick_schema(make(epsilon=1.0))
    confidence = 1 - FALSE_ALARMS / (2 * len(audited_algorithms()))
    model = make(epsilon=1.0, schema=schema)
    pairs = subject_of(model).pairs(np.random.default_rng(0))[::STRIDE]
    found = audit(model, pairs=pairs, runs=RUNS, search_runs=8, confidence=confidence)
    assert not found.violated, found.text()
    # And of the answers that it was given, in which too little noise shows sooner.
    answers = audit(Transcript(model), pairs=[found.pair], runs=RUNS, confidence=confidence)
    assert not answers.violated, answers.text()
