"""Tables 5.1 to 5.9: rules by bee colony and the eleven references, on exact and on perturbed records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.figures import Figure
from benchmarks.rules_store import Store
from privet.experiments.rules_mined import DIRECT, MINERS, Outcome, direct, mine, mine_local
from privet.experiments.rules_mined_published import ACCURACY, METHODS, SETS, SETTINGS, accuracies, rules
from privet.experiments.rules_protocol import Score, Split, score, splits
from privet.schema import Schema

PAGE = Path(__file__).resolve().parents[1] / "docs" / "experiments" / "rules-miners.md"
LOCAL = "1-rule ABC, ε for the whole record"
Found = dict[tuple[str, str], Mapping[str, Score]]


def measure(repeats: int, minutes: float | None) -> Store:
    """Every miner and every directly private learner on every fold; stored as they come."""
    store = Store("miners", minutes)
    for seed in range(repeats):
        for name in SETS:
            for epsilon in SETTINGS:
                for method, fold in _methods(name, epsilon).items():
                    store.get(
                        f"{method}/{name}/{epsilon}/{seed}", lambda n=name, f=fold, k=seed: _folds(n, f, k)
                    )
    return store


def _methods(name: str, epsilon: float | None) -> dict[str, Callable[[Split, Schema, int], Outcome]]:
    found: dict[str, Callable[[Split, Schema, int], Outcome]] = {
        learner: lambda split, schema, seed, v=learner: direct(v, split, schema, epsilon, seed)
        for learner in DIRECT
    }
    for method, title in MINERS.items():
        found[title] = lambda split, schema, seed, m=method: mine(name, split, schema, m, epsilon, seed)
    if epsilon is not None:
        found[LOCAL] = lambda split, schema, seed: mine_local(name, split, schema, epsilon, seed)
    return found


def _folds(name: str, fold: Callable[[Split, Schema, int], Outcome], seed: int) -> dict[str, list[float]]:
    table, schema = data.load(name)
    outcomes = [
        fold(s, schema, 10 * seed + s.fold) for s in splits(table, schema.nominal_target().name, 10, seed)
    ]
    return {
        way: [getattr(one, way) for one in outcomes] for way in ("clean", "noisy", "mined", "any", "rules")
    }


def collected(epsilon: float | None) -> Found:
    """What is stored for one ε: every method's scores on every set, over all folds of all repeats."""
    runs: dict[tuple[str, str], dict[str, list[float]]] = {}
    for key, result in Store("miners").results.items():
        method, name, setting, _ = key.split("/")
        if setting == str(epsilon):
            _add(runs, (method, name), result)
    for source, suffix in (("weka", ""), ("weka_slow", ""), ("python", " (Python)")):
        for key, result in Store(source).results.items():
            name, setting, _ = key.split("/")
            if setting == str(epsilon):
                for method, folds in result.items():
                    _add(runs, (method + suffix, name), {way: [f[way] for f in folds] for way in folds[0]})
    return {key: {way: score(values) for way, values in ways.items()} for key, ways in runs.items()}


def _add(
    runs: dict[Any, dict[str, list[float]]], key: tuple[str, str], result: Mapping[str, list[float]]
) -> None:
    for way, values in result.items():
        runs.setdefault(key, {}).setdefault(way, []).extend(values)


def page(repeats: int, minutes: float | None) -> list[Figure]:
    from benchmarks.rules_miners_page import text

    measure(repeats, minutes)
    found = {epsilon: collected(epsilon) for epsilon in SETTINGS}
    wanted = [*MINERS.values(), *DIRECT]
    if any((method, name) not in each for each in found.values() for method in wanted for name in SETS):
        print("  not every set was measured yet: run it again to go on")
        return []
    PAGE.write_text(text(found))
    return [
        Figure(
            f"5.3, {name}: the best directly private row at ε = 1",
            max(found[1.0][learner, name]["clean"].mean for learner in DIRECT),
            max(row[place][0] for row in ACCURACY[1.0].values()),
            True,
            "",
        )
        for place, name in enumerate(SETS)
        if all((learner, name) in found[1.0] for learner in DIRECT)
    ]


__all__ = ["LOCAL", "METHODS", "accuracies", "collected", "page", "rules"]
