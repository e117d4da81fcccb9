"""The audit itself: search for the worst pair, learn the best event, then test it on fresh runs.

1. *Pairs.* A few hundred runs on each candidate pair (``pairs``); the pair whose learned event has the best
   bound goes on.
2. *Event.* Half of the budgeted runs on that pair choose the event (``events``).
3. *Test.* The other half, made afterwards and never looked at before, give the bound (``confidence``).

Only step 3 counts for the confidence, and it tests one event on one pair, so nothing has to be corrected for
the many that were tried.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from privet.audit.events import Event, learn_event
from privet.audit.pairs import Pair, table_of
from privet.audit.runs import Progress, Runs
from privet.audit.subjects import Subject, subject_of
from privet.audit.verdict import Audit
from privet.errors import ParameterError
from privet.schema import Schema

__all__ = ["audit", "audit_again"]


def audit(
    thing: Any,
    *,
    schema: Schema | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    runs: int = 20_000,
    search_runs: int = 200,
    confidence: float = 0.999,
    pairs: list[Pair] | None = None,
    jobs: int = 1,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    seed: int = 0,
) -> Audit:
    """Test a claim of privacy: a lower bound on the ε that ``thing`` really has.

    ``thing`` is an estimator, a mechanism, or a function of a table (give ``schema`` and ``epsilon``).
    ``runs`` counts both tables of the final pair; ``seed`` fixes the candidates, not the noise.

    >>> from fractions import Fraction
    >>> from privet.mechanisms import Geometric
    >>> found = audit(Geometric(Fraction(1)), runs=40_000, confidence=0.99)
    >>> found.violated, found.bound > 0.8
    (False, True)
    """
    if runs < 40 or search_runs < 8:
        raise ParameterError("An audit needs at least 40 runs, and 8 for each candidate pair.")
    if not 0 < confidence < 1:
        raise ParameterError("confidence must lie between 0 and 1.", "Give 0.999, for example.")
    subject = subject_of(thing, schema=schema, epsilon=epsilon, delta=delta)
    source = Runs(subject, jobs=jobs, folder=folder, progress=progress)
    candidates = pairs if pairs is not None else subject.pairs(np.random.default_rng(seed))
    pair = candidates[0] if len(candidates) == 1 else _worst(source, candidates, search_runs, confidence)
    quarter = runs // 4
    learned = [source.draw(f"learn {side} {pair.name} {seed}", data, quarter) for side, data in _sides(pair)]
    first, second = _same_width(*learned)
    event = learn_event(first, second, confidence=confidence, delta=subject.delta)
    return _test(source, subject, pair, event, quarter, confidence, f"test {seed}")


def audit_again(thing: Any, report: dict[str, Any], *, runs: int | None = None, jobs: int = 1, **claim: Any) -> Audit:
    """Test the pair and the event of an earlier report on fresh runs: whoever doubts it can repeat it."""
    subject = subject_of(thing, **claim)
    schema = claim.get("schema") or getattr(thing, "schema", None)
    sides = [report["pair"][side] for side in ("first", "second")]
    if isinstance(schema, Schema):
        sides = [table_of(schema, records) for records in sides]
    pair = Pair(report["pair"]["name"], *sides)
    event = Event.from_dict(report["event"])
    runs = runs or sum(report["tested"])
    return _test(Runs(subject, jobs=jobs), subject, pair, event, runs // 2, report["confidence"], "again")


def _test(
    source: Runs, subject: Subject, pair: Pair, event: Event, runs: int, confidence: float, key: str
) -> Audit:
    drawn = [source.draw(f"{key} {side} {pair.name}", data, runs) for side, data in _sides(pair)]
    first, second = _same_width(*drawn)
    return Audit(
        subject=subject.name,
        epsilon=subject.epsilon,
        delta=subject.delta,
        bound=event.bound(first, second, confidence=confidence, delta=subject.delta),
        confidence=confidence,
        runs=4 * runs,
        pair=pair,
        event=event,
        hits=(event.hits(first), event.hits(second)),
        tested=(len(first), len(second)),
        histogram=_histogram(event, first, second),
    )


def _worst(source: Runs, candidates: list[Pair], runs: int, confidence: float) -> Pair:
    """The candidate whose tables are told apart best; ties go to the first."""
    bounds = []
    for place, pair in enumerate(candidates):
        drawn = [source.draw(f"search {place} {side} {pair.name}", data, runs) for side, data in _sides(pair)]
        first, second = _same_width(*drawn)
        half = runs // 2
        event = learn_event(first[:half], second[:half], confidence=0.9, delta=source.subject.delta)
        bounds.append(event.bound(first[half:], second[half:], confidence=0.9, delta=source.subject.delta))
    return candidates[int(np.argmax(bounds))]


def _sides(pair: Pair) -> list[tuple[str, Any]]:
    return [("first", pair.first), ("second", pair.second)]


def _same_width(first: Any, second: Any) -> tuple[Any, Any]:
    width = max(first.shape[1], second.shape[1])
    return tuple(np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in (first, second))  # type: ignore[return-value]


def _histogram(event: Event, first: Any, second: Any) -> dict[str, list[float]]:
    """The distribution of the event's score on both tables, for the plot."""
    one, other = event.score(first), event.score(second)
    low, high = np.quantile(np.concatenate([one, other]), [0.001, 0.999])
    if not low < high:
        low, high = low - 1, high + 1
    edges = np.linspace(low, high, 41)
    return {
        "edges": edges.tolist(),
        "first": (np.histogram(np.clip(one, low, high), edges)[0] / len(one)).tolist(),
        "second": (np.histogram(np.clip(other, low, high), edges)[0] / len(other)).tolist(),
    }
