"""The audit itself: search for the worst pair, learn the best event, then test it on fresh runs.

1. *Pairs.* Some runs on each candidate pair (``pairs``), more on the best of them; the pair whose tables are
   told apart best goes on (``promise``, where a ratio is computed).
2. *Event.* Half of the budgeted runs are made on that pair and choose the event (``distinctions``); a quarter
   is enough where a ratio is computed, since little is left to be learned.
3. *Test.* The others, made afterwards and never looked at before, give the bound (``confidence``).

Only step 3 counts for the confidence, and it tests one event on one pair, so nothing has to be corrected for
the many that were tried.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from privet.audit.claim import Subject
from privet.audit.distinctions import Distinction, learn_distinction
from privet.audit.outputs import ABSENT, RATIO, REFUSED, Sample, joined
from privet.audit.pairs import Pair, table_of
from privet.audit.promise import Promise, promised
from privet.audit.runs import Progress, Runs, Wish
from privet.audit.subjects import subject_of
from privet.audit.verdict import Audit
from privet.errors import ParameterError
from privet.schema import Schema

__all__ = ["audit", "audit_again"]

#: The part of ε that a test should promise: a little more than the half that it is to show.
AMPLE = 0.55


def audit(
    thing: Any,
    *,
    schema: Schema | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    runs: int = 20_000,
    search_runs: int = 100,
    confidence: float = 0.999,
    pairs: list[Pair] | None = None,
    jobs: int = 1,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    seed: int = 0,
    patience: int = 1,
) -> Audit:
    """Test a claim of privacy: a lower bound on the ε that ``thing`` really has.

    ``thing`` is an estimator, a mechanism, or a function of a table (give ``schema`` and ``epsilon``). No
    data is needed: tables are made from the schema. ``runs`` are made on the final pair, some of them to
    choose the event and the others to test it; ``search_runs`` on each table of every candidate pair before.
    ``jobs`` processes work at once; with ``folder`` an audit that was stopped goes on where it was. ``seed``
    fixes the candidate pairs, not the noise, which stays secure. The test gets up to ``patience`` times its
    runs if that is what it takes, by the ratio that is computed, to show half of ε.

    >>> from fractions import Fraction
    >>> from privet.mechanisms import GeometricNoise
    >>> found = audit(GeometricNoise(Fraction(1)), runs=40_000, confidence=1 - 1e-8)
    >>> found.violated, found.bound > 0.7
    (False, True)
    """
    if runs < 40 or search_runs < 8:
        raise ParameterError("An audit needs at least 40 runs, and 8 for each candidate pair.")
    if not 0 < confidence < 1:
        raise ParameterError("confidence must lie between 0 and 1.", "Give 0.999, for example.")
    subject = subject_of(thing, schema=schema, epsilon=epsilon, delta=delta)
    candidates = pairs if pairs is not None else subject.pairs(np.random.default_rng(seed))
    if not candidates:
        raise ParameterError("There is no pair of neighbours to audit on.", "Give at least one in pairs=[…].")
    learning = runs // (8 if subject.computed else 4)  # on each of the two tables
    testing = runs // 2 - learning
    total = 2 * (learning + testing) + (
        0 if len(candidates) == 1 else 2 * search_runs * (len(candidates) + 3 * _kept(candidates))
    )
    source = Runs(subject, jobs=jobs, folder=folder, progress=progress, total=total)
    if len(candidates) == 1:
        pair = candidates[0]
    else:
        pair = _worst(source, candidates, search_runs, seed, tests=testing, confidence=confidence)
    learned = source.draw_all(_sides(subject, pair, "learn", seed, learning))
    if all(side.places == (REFUSED,) for side in learned):
        raise ParameterError(
            f"{subject.name} refuses both tables of every pair: there is nothing to audit.",
            "Give another schema, or pairs that it accepts.",
        )
    event, apparent = learn_distinction(*learned, confidence=confidence, delta=subject.delta)
    for times in range(1, patience + 1):
        if _promise(subject, learned, times * testing, confidence).bound > AMPLE * subject.epsilon:
            testing *= times
            break
    promise = _promise(subject, learned, testing, confidence)
    if promise.bound > apparent:
        event = promise.event
    details = {"seed": seed, "search_runs": search_runs, "pairs": len(candidates)}
    return _test(source, subject, pair, event, testing, confidence, ("test", seed), details)


def audit_again(
    thing: Any,
    report: dict[str, Any],
    *,
    runs: int | None = None,
    jobs: int = 1,
    schema: Schema | None = None,
) -> Audit:
    """Test the pair and the event of an earlier report on fresh runs: whoever doubts it can repeat it."""
    details = report["details"]
    if schema is None and details.get("schema") is not None:
        schema = Schema.from_dict(details["schema"])
    subject = subject_of(thing, schema=schema, epsilon=report["epsilon"], delta=report["delta"])
    sides = [report["pair"][side] for side in ("first", "second")]
    if details.get("schema") is not None and schema is not None:
        sides = [table_of(schema, records) for records in sides]
    pair = Pair(report["pair"]["name"], *sides)
    event = Distinction.from_dict(report["event"])
    each = runs // 2 if runs is not None else report["tested"][0]
    source = Runs(subject, jobs=jobs, total=2 * each)
    return _test(source, subject, pair, event, each, report["confidence"], ("again", 0), {"again": True})


def _test(
    source: Runs,
    subject: Subject,
    pair: Pair,
    event: Distinction,
    runs: int,
    confidence: float,
    purpose: tuple[str, int],
    details: dict[str, Any],
) -> Audit:
    first, second = source.draw_all(_sides(subject, pair, *purpose, runs))
    schema = getattr(subject, "schema", None)
    return Audit(
        subject=subject.name,
        epsilon=subject.epsilon,
        delta=subject.delta,
        bound=event.bound(first, second, confidence=confidence, delta=subject.delta),
        confidence=confidence,
        runs=source.done,
        pair=pair,
        event=event,
        hits=(event.hits(first), event.hits(second)),
        tested=(len(first), len(second)),
        histogram=_histogram(event, first, second),
        details=details | {"schema": None if schema is None else schema.to_dict(), "ratio": source.ratio},
    )


def _kept(candidates: list[Pair]) -> int:
    """How many candidates get a second look."""
    return max(2, math.isqrt(len(candidates)))


def _worst(
    source: Runs, candidates: list[Pair], runs: int, seed: int, *, tests: int, confidence: float
) -> Pair:
    """The candidate whose tables are told apart best: all get a look, the best a second, longer one."""
    delta = source.subject.delta

    def told_apart(first: Sample, second: Sample) -> float:
        # Both halves learn, and both compare: with few runs a single split says little.
        swapped = [Sample(side.places, side.values[::-1]) for side in (first, second)]
        ways = [(first, second), swapped]
        learned = sum(learn_distinction(*way, confidence=0.98, delta=delta)[1] for way in ways)
        return learned + _promise(source.subject, [first, second], tests, confidence).bound

    def look(pairs: list[Pair], purpose: str, runs: int) -> list[list[Sample]]:
        drawn = source.draw_all(
            [wish for pair in pairs for wish in _sides(source.subject, pair, purpose, seed, runs)]
        )
        return [drawn[place : place + 2] for place in range(0, len(drawn), 2)]

    looks = look(candidates, "search", runs)
    order = np.argsort([-told_apart(*sides) for sides in looks], kind="stable")[: _kept(candidates)]
    longer = look([candidates[place] for place in order], "look", 3 * runs)
    values = [
        told_apart(*(joined([a, b]) for a, b in zip(looks[place], more, strict=True)))
        for place, more in zip(order, longer, strict=True)
    ]
    return candidates[int(order[int(np.argmax(values))])]


def _promise(subject: Subject, sides: list[Sample], tests: int, confidence: float) -> Promise:
    """What the computed ratio promises: with few runs it says what events need many for."""
    ratios = [side.at([RATIO]).ravel() for side in sides]
    if not subject.computed or any((each == ABSENT).any() for each in ratios):  # a table was refused
        return Promise(0.0, 0.0, True)
    return promised((ratios[0], ratios[1]), tests, confidence=confidence, delta=subject.delta)


def _sides(subject: Subject, pair: Pair, purpose: str, seed: int, runs: int) -> list[Wish]:
    return [
        (f"{purpose} {name} {seed}", subject.side(pair.first, pair.second, place), runs)
        for place, name in enumerate(("first", "second"))
    ]


def _histogram(event: Distinction, first: Sample, second: Sample) -> dict[str, list[float]]:
    """The distribution of the event's score on both tables, for the plot."""
    one, other = event.scores(first), event.scores(second)
    low, high = np.quantile(np.concatenate([one, other]), [0.001, 0.999])
    if not low < high:
        low, high = low - 1, high + 1
    edges = np.linspace(low, high, 41)
    return {
        "edges": edges.tolist(),
        "first": (np.histogram(np.clip(one, low, high), edges)[0] / len(one)).tolist(),
        "second": (np.histogram(np.clip(other, low, high), edges)[0] / len(other)).tolist(),
    }
