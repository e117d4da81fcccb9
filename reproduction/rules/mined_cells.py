"""Tables 5.1 to 5.8: every miner, every directly private learner and every reference on every fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from benchmarks import data
from privet.schema import Schema
from reproduction.page import Cell, Results
from reproduction.rules import references
from reproduction.rules.mined import DIRECT, MINERS, Method, Outcome, direct, mine, mine_local
from reproduction.rules.mined_published import SETS, SETTINGS
from reproduction.rules.protocol import Score, Split, score, splits

REPEATS = 10
LOCAL = "1-rule ABC, ε for the whole record"
Found = Mapping[tuple[str, str], Mapping[str, Score]]


def cells() -> Iterator[Cell]:
    yield from references.cells()
    for seed in range(REPEATS):
        for name in SETS:
            for epsilon in SETTINGS:
                for method, fold in _methods(name, epsilon).items():
                    key = f"{method}/{name}/{epsilon}/{seed}"
                    yield Cell(key, partial(_folds, name, fold, seed), needed=seed == 0)


Fold = Callable[[Split, Schema, int], Outcome]


def _methods(name: str, epsilon: float | None) -> dict[str, Fold]:
    def private(learner: str) -> Fold:
        return lambda split, schema, seed: direct(learner, split, schema, epsilon, seed)

    def mined(method: Method) -> Fold:
        return lambda split, schema, seed: mine(name, split, schema, method, epsilon, seed)

    found = {learner: private(learner) for learner in DIRECT}
    found |= {title: mined(method) for method, title in MINERS.items()}
    if epsilon is not None:
        found[LOCAL] = lambda split, schema, seed: mine_local(name, split, schema, epsilon, seed)
    return found


def _folds(name: str, fold: Fold, seed: int) -> dict[str, list[float]]:
    table, schema = data.load(name)
    outcomes = [
        fold(s, schema, 10 * seed + s.fold) for s in splits(table, schema.nominal_target().name, 10, seed)
    ]
    return {
        way: [getattr(one, way) for one in outcomes] for way in ("clean", "noisy", "mined", "any", "rules")
    }


def collected(results: Results, epsilon: float | None) -> Found:
    """Every method's scores on every set at one ε, over all folds of all repeats."""
    runs: dict[tuple[str, str], dict[str, list[float]]] = {}
    suffixes = {"weka": "", "weka_slow": "", "python": " (Python)"}
    for key, result in results.items():
        source, name, setting, _ = key.split("/")
        if setting != str(epsilon):
            continue
        if source not in suffixes:
            _add(runs, (source, name), result)
            continue
        for method, folds in result.items():
            ways = {way: [fold[way] for fold in folds] for way in folds[0]}
            _add(runs, (method + suffixes[source], name), ways)
    return {key: {way: score(values) for way, values in ways.items()} for key, ways in runs.items()}


def _add(
    runs: dict[Any, dict[str, list[float]]], key: tuple[str, str], result: Mapping[str, list[float]]
) -> None:
    for way, values in result.items():
        runs.setdefault(key, {}).setdefault(way, []).extend(values)
