"""How much of a true ε the audit can show, and how long that takes."""

from __future__ import annotations

import time
from fractions import Fraction

from benchmarks.figures import Figure
from privet.audit import Audit, audit
from privet.audit.examples import quick_schema
from privet.learning.classify import NaiveBayes
from privet.mechanisms import GeometricNoise, Laplace


def run() -> list[Figure]:
    laplace, seconds = _timed(Laplace(Fraction(1)), runs=200_000, confidence=0.99)
    geometric, _ = _timed(GeometricNoise(Fraction(1)), runs=200_000, confidence=0.99)
    # The noise cannot be seeded, but the standard deviation of these bounds is below 0.01.
    model = NaiveBayes(epsilon=1.0)
    whole, model_seconds = _timed(model, schema=quick_schema(model), runs=4_000, confidence=0.99)
    return [
        Figure("Laplace, ε = 1, 200,000 runs: bound at 99 %", laplace.bound, 0.9, at_least=True, unit=""),
        Figure("… time on 2 cores", seconds, 60.0, unit="s"),
        Figure("geometric, ε = 1, 200,000 runs: bound at 99 %", geometric.bound, 0.9, at_least=True, unit=""),
        Figure("naive Bayes, ε = 1, 4,000 runs on the final pair: bound at 99 %", whole.bound, unit=""),
        Figure("… time on 2 cores, with the search", model_seconds, unit="s"),
        Figure(
            "false alarms", float(sum(found.violated for found in (laplace, geometric, whole))), 0.0, unit=""
        ),
    ]


def _timed(thing: object, **how: object) -> tuple[Audit, float]:
    start = time.perf_counter()
    found = audit(thing, jobs=2, **how)  # type: ignore[arg-type]
    return found, time.perf_counter() - start
