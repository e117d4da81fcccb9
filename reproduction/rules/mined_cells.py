"""Tables 5.1 to 5.8: every miner, every directly private learner and every reference on every fold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from reproduction.grid import Make, Makes, cross_validated
from reproduction.page import Cell, Results
from reproduction.rules import references
from reproduction.rules.mined import DIRECT, MINERS, Direct, Local, Mined
from reproduction.rules.mined_published import SETS, SETTINGS
from reproduction.rules.protocol import Score, score

REPEATS = 10
LOCAL = "1-rule ABC, ε for the whole record"
Found = Mapping[tuple[str, str], Mapping[str, Score]]


def cells() -> Iterator[Cell]:
    yield from references.cells()
    for seed in range(REPEATS):
        for name in SETS:
            for epsilon in SETTINGS:
                for method, made in contenders(name, epsilon).items():
                    key = f"{method}/{name}/{epsilon}/{seed}"
                    yield Cell(
                        key, partial(cross_validated, name, method, made, epsilon, seed), needed=seed == 0
                    )


def contenders(name: str, epsilon: float | None) -> Makes:
    """Every miner with its parameters for a set, and every directly private learner."""
    found: dict[str, Make] = {learner: (Direct, {"learner": learner}) for learner in DIRECT}
    found |= {title: (Mined, {"data": name, "method": method}) for method, title in MINERS.items()}
    return found if epsilon is None else found | {LOCAL: (Local, {"data": name})}


def collected(results: Results, epsilon: float | None) -> Found:
    """Every method's scores on every set at one ε, over all folds of all repeats."""
    runs: dict[tuple[str, str], dict[str, list[float]]] = {}
    for key, folds in results.items():
        source, name, setting, _ = key.split("/")
        if setting != str(epsilon):
            continue
        for fold in folds:
            for figure, value in fold.items():
                reference, _, way = figure.rpartition("/")
                method = reference + references.SUFFIX[source] if reference else source
                runs.setdefault((method, name), {}).setdefault(way, []).append(value)
    return {key: {way: score(values) for way, values in ways.items()} for key, ways in runs.items()}
