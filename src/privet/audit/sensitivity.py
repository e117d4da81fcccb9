"""Sensitivity search: does some pair of neighbours move an answer further than was declared?

A witness beside the proof. ``worst_neighbours`` looks at all neighbours of all given states; ``climb`` starts
at random states and moves to the neighbour around which the answer moves most. Both work for any function
of any state (a table, or a table of counts) that can list its neighbours. ``search_statistic`` applies both
to one of Privet's statistics, for the schema's unit of privacy and either neighbour relation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from privet.audit.pairs import table_of
from privet.schema import Category, Column, Number, Schema, Unit
from privet.stats import Rows, Statistic
from privet.stats.contribution import bound_batches

__all__ = ["Worst", "climb", "search_statistic", "worst_neighbours"]

State = TypeVar("State", bound=Hashable)
Neighbours = Callable[[State], Iterable[State]]
Distance = Callable[[Any, Any], float]
# Rounding in the function itself is no violation.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Worst:
    """The pair of neighbours that was found to move the answer most, and how far."""

    distance: float
    declared: float
    pair: tuple[Any, Any]
    pairs: int

    @property
    def exceeded(self) -> bool:
        """Whether the declared sensitivity is refuted."""
        return self.distance > self.declared * (1 + TOLERANCE)

    def text(self) -> str:
        found = f"moves the answer by {self.distance:.6g}; declared: {self.declared:.6g}"
        if self.exceeded:
            return f"The declared sensitivity is too small: {self.pair[0]} → {self.pair[1]} {found}."
        return f"Nothing beyond the declared sensitivity among {self.pairs} pairs: the worst {found}."


def l1(one: Any, other: Any) -> float:
    """The sum of absolute differences."""
    return float(np.abs(np.asarray(one, float) - np.asarray(other, float)).sum())


def worst_neighbours(
    function: Callable[[State], Any],
    states: Iterable[State],
    neighbours: Neighbours[State],
    *,
    declared: float,
    distance: Distance = l1,
) -> Worst:
    """Look at every neighbour of every given state.

    The largest of three counts moves by 1 if one count moves by 1; its square does not.

    >>> def one_less(counts):
    ...     return [counts[:j] + (counts[j] - 1,) + counts[j + 1 :] for j in range(3) if counts[j]]
    >>> tables = list(itertools.product(range(4), repeat=3))
    >>> worst_neighbours(max, tables, one_less, declared=1).exceeded
    False
    >>> worst_neighbours(lambda counts: max(counts) ** 2, tables, one_less, declared=1).distance
    5.0
    """
    search = _Search(function, neighbours, distance)
    for state in states:
        search.look_around(state)
    return search.worst(declared)


def climb(
    function: Callable[[State], Any],
    start: Callable[[np.random.Generator], State],
    neighbours: Neighbours[State],
    *,
    declared: float,
    distance: Distance = l1,
    starts: int = 20,
    steps: int = 40,
    width: int = 12,
    seed: int = 0,
) -> Worst:
    """Hill-climbing from random states, for those too many to look at all.

    From each state the neighbours (at most ``width`` of them, drawn at random) are looked around; the search
    moves to the one around which the answer moves most, and ends where none is better.
    """
    generator = np.random.default_rng(seed)
    search = _Search(function, neighbours, distance)
    for _ in range(starts):
        state = start(generator)
        height = search.look_around(state)
        for _ in range(steps):
            around = list(neighbours(state))
            chosen = generator.permutation(len(around))[:width]
            best = max(((search.look_around(around[j]), int(j)) for j in chosen), default=(height, -1))
            if best[0] <= height:
                break
            height, state = best[0], around[best[1]]
    return search.worst(declared)


class _Search:
    """Keeps the worst pair seen; every state is asked once."""

    def __init__(
        self, function: Callable[[Any], Any], neighbours: Neighbours[Any], distance: Distance
    ) -> None:
        self._function = function
        self._neighbours = neighbours
        self._distance = distance
        self._answers: dict[Any, Any] = {}
        self._heights: dict[Any, float] = {}
        self._best: tuple[float, tuple[Any, Any]] = (-1.0, (None, None))
        self._pairs = 0

    def look_around(self, state: Any) -> float:
        """How far the answer moves from this state to its worst neighbour."""
        if state in self._heights:
            return self._heights[state]
        height = 0.0
        for other in self._neighbours(state):
            moved = self._distance(self._answer(state), self._answer(other))
            self._pairs += 1
            height = max(height, moved)
            if moved > self._best[0]:
                self._best = (moved, (state, other))
        self._heights[state] = height
        return height

    def worst(self, declared: float) -> Worst:
        return Worst(max(self._best[0], 0.0), declared, self._best[1], self._pairs)

    def _answer(self, state: Any) -> Any:
        if state not in self._answers:
            self._answers[state] = self._function(state)
        return self._answers[state]


Record = tuple[Any, ...]
People = tuple[tuple[Record, ...], ...]


def search_statistic(
    statistic: Statistic,
    schema: Schema,
    *,
    unit: Unit | None = None,
    records: int = 2,
    starts: int = 5,
    steps: int = 15,
    seed: int = 0,
) -> Worst:
    """Look for neighbouring tables beyond a statistic's declared sensitivity.

    Distances are relative: 1 is the declared sensitivity, in the L1 or the squared L2 norm, whichever was
    exceeded more. All tables of up to ``records`` units at the ends of the schema are looked at, then
    random ones of up to eight by hill-climbing. Persons come with their allowed number of records, and
    with one more.

    >>> from privet.stats import Contingency
    >>> schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> worst = search_statistic(Contingency("smoker", "ill"), schema)
    >>> worst.distance, worst.exceeded
    (1.0, False)
    """
    schema = replace(schema, unit=unit) if unit is not None else schema
    declared = statistic.sensitivity(schema)
    columns = [schema[name] for name in statistic.columns]
    units = _extreme_units(columns, schema)

    def distance(one: Any, other: Any) -> float:
        moved = (np.asarray(one) - np.asarray(other)).ravel().astype(object)
        return max(float(abs(moved).sum()) / declared.l1, float((moved**2).sum()) / declared.squared_l2)

    def neighbours(people: People) -> Iterator[People]:
        if schema.unit.neighbours == "add_remove":
            return (tuple(sorted((*people, each), key=repr)) for each in units)
        return (
            tuple(sorted((*people[:j], each, *people[j + 1 :]), key=repr))
            for j in range(len(people))
            for each in units
        )

    def start(generator: np.random.Generator) -> People:
        size = int(generator.integers(1, 9))
        return tuple(sorted((units[int(j)] for j in generator.integers(len(units), size=size)), key=repr))

    def answer(people: People) -> Any:
        return _answer(statistic, schema, people)

    sizes = range(records + 1)
    states: Iterable[People] = (s for k in sizes for s in itertools.combinations_with_replacement(units, k))
    small = worst_neighbours(answer, states, neighbours, declared=1, distance=distance)
    large = climb(
        answer, start, neighbours, declared=1, distance=distance, starts=starts, steps=steps, seed=seed
    )
    best = max(small, large, key=lambda worst: worst.distance)
    return replace(best, pairs=small.pairs + large.pairs)


def _answer(statistic: Statistic, schema: Schema, people: People) -> Any:
    rows = [
        dict(zip(statistic.columns, record, strict=True))
        | ({} if schema.unit.id is None else {schema.unit.id: f"person {number}"})
        for number, person in enumerate(people)
        for record in person
    ]
    state = statistic.start(schema)
    for batch in bound_batches(table_of(schema, rows).combine_chunks().to_batches(), schema.unit):
        state = statistic.fold(state, Rows(batch, schema))
    return statistic.finish(state, schema)


def _extreme_units(columns: list[Column], schema: Schema, limit: int = 16) -> list[tuple[Record, ...]]:
    """Units of one kind of record at the ends of what the columns allow; at most ``limit`` of them."""
    values = [_extremes(column, schema.missing == "skip") for column in columns]
    records = list(itertools.product(*values))
    records = records[:: -(-len(records) // limit)] if len(records) > limit else records
    if schema.unit.id is None:
        return [(record,) for record in records]
    sizes = (schema.unit.most, schema.unit.most + 1)
    return sorted({(record,) * size for record in records for size in sizes}, key=repr)


def _extremes(column: Column, missing: bool) -> list[Any]:
    nothing = [None] if missing else []
    if isinstance(column, Number):
        span = float(column.high - column.low)
        return [
            float(column.low),
            float(column.high),
            column.midpoint,
            float(column.high) + 1000 * span,
            *nothing,
        ]
    assert isinstance(column, Category)
    return [*column.labels[:3], *(column.labels[-1:] if column.size > 3 else ()), *nothing]
