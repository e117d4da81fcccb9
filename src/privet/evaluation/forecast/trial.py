"""The trial: an algorithm is fitted to made-up worlds at several ε, and without noise beside it.

What privacy costs depends on the product of ε and the number of records far more than on either, because
noise has a fixed size and sums grow with the records. So a table of millions is tried as one of thousands
with an ε that is larger by the same factor. That is not cautious where much lies in detail. A group of a
share p of n records, whose classes differ by Δ from the others', is told from chance without noise if n·p·Δ²
is large, and from noise if n·p·Δ·ε is. So the finest groups that n records show, those with n·p·Δ² about c,
need an ε of about Δ/c. As p is at most 1, Δ is at least √(c/n): what they need falls with the root of n at
best, and not with n. Fewer records hide such groups, without noise as with it. Whoever reads it is told so.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.isotonic import isotonic_regression

from privet.errors import ParameterError
from privet.evaluation.forecast.figures import FIGURES, OnMadeUp
from privet.evaluation.forecast.tested import how_tested
from privet.evaluation.forecast.value import NOTHING_LEARNED, Forecast, Point
from privet.families import family_of
from privet.schema import Schema
from privet.worlds import DetailedWorld, Guess, World

__all__ = ["EPSILONS", "forecast"]

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
#: An ε at which the noise is nothing beside the chances of a draw.
_NOISELESS = 100_000.0
#: On so many records a model is scored, or on fewer where they have very many cells.
_TEST, _TEST_CELLS = 3000, 500_000
_SIZES = (600, 2000, 6000, 20_000)
#: So many worlds are tried at least, if there is time.
_WANTED = 3
#: At so many ε larger worlds are worth more than more of them.
_ENOUGH = 6
#: By fits to this one it is seen how long a fit takes.
_TIMED = 0
#: At so many ε at least every algorithm is tried.
_FEWEST = 3


def forecast(
    estimator: Any,
    schema: Schema | None = None,
    guess: Guess | None = None,
    *,
    epsilons: Sequence[float] = EPSILONS,
    released: pa.Table | None = None,
    worlds: int = 8,
    seconds: float = 4.0,
    seed: int = 0,
    name: str = "",
    size: int | None = None,
) -> Forecast:
    """How good an algorithm would be at each ε. Nothing private is read, and nothing is spent.

    ``estimator`` is the algorithm with its settings, not fitted; its own ε and ledger are not used. Worlds
    are drawn from the schema and the guesses, or from ``released``: a table that was released already, such
    as a synthetic one, or that is public. It must never be the private table itself. So many ``worlds`` are
    tried, or as many as the ``seconds`` (of the processor) allow, but at least two. With a ``size``, worlds
    have so many records, and all are tried however long it takes: the same forecast on every machine.

    >>> from privet.learning.classify import NaiveBayes
    >>> schema = Schema.of({"age": (0, 120), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> found = forecast(NaiveBayes(schema=schema), guess=Guess(records=2000, attainable=0.8), worlds=2)
    >>> found.measure, found.points[0].value <= found.points[-1].value
    ('accuracy', True)
    """
    family = family_of(estimator)
    if family.name not in FIGURES:
        raise ParameterError(
            f"There is no forecast for algorithms of the family '{family.name}'.",
            f"There is one for: {', '.join(FIGURES)}.",
        )
    schema = estimator._declared() if schema is None else schema
    if schema is None:
        raise ParameterError("A forecast needs a declared schema: nothing is read off the data.")
    if family.target == "class":
        schema.nominal_target()
    guess, grid = guess or Guess(), _grid(epsilons)
    figure = FIGURES[family.name]
    trial = _Trial(estimator, schema, guess, figure, grid, released, seed)
    results = trial.worlds(worlds, seconds, size)
    attainable = float(np.mean([result.reference for result in results]))
    floor = float(np.mean([result.floor for result in results]))
    return Forecast(
        name or type(estimator).__name__,
        figure.name,
        _points(grid, results, attainable),
        attainable,
        min(floor, attainable),
        guess,
        (*(guess.in_words(schema) if released is None else guess.in_words(schema)[:1]), *trial.in_words()),
        len(results),
        how_tested(*_learning(estimator, guess, grid)) if released is None else "",
    )


def _learning(estimator: Any, guess: Guess, grid: Sequence[float]) -> list[str]:
    """The classes of what learns at these ε, with as many records."""
    declared = {} if getattr(estimator, "records", 0) is not None else {"records": guess.size}
    models = (clone(estimator).set_params(epsilon=epsilon, **declared) for epsilon in grid)
    return [type(model._learning()).__name__ for model in models]


def _grid(epsilons: Sequence[float]) -> tuple[float, ...]:
    grid = tuple(sorted({float(each) for each in epsilons}))
    if not grid or not all(math.isfinite(each) and 0 < each <= 1e6 for each in grid):
        raise ParameterError("A forecast needs epsilons above 0 and at most 1,000,000.")
    return grid


def _points(grid: tuple[float, ...], results: Sequence[_Result], attainable: float) -> tuple[Point, ...]:
    """The mean and the band over the worlds. More ε never harms on average, so neither do the curves fall."""
    losses = np.array([result.losses for result in results])
    gaps = np.array([[max(result.reference - result.floor, NOTHING_LEARNED)] for result in results])
    shares = _band(np.clip(1 - losses / gaps, -1, 1))
    values = _band(attainable - losses)
    curves = zip(grid, *shares, *values, strict=True)
    return tuple(Point(epsilon, *(float(each) for each in rest)) for epsilon, *rest in curves)


def _band(found: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    ends = [found.mean(axis=0), np.quantile(found, 0.1, axis=0), np.quantile(found, 0.9, axis=0)]
    return [isotonic_regression(curve) for curve in ends]


def _clock() -> float:
    """Seconds of the processor's time that this process has used."""
    return time.process_time()


def _spread(grid: tuple[float, ...], most: int) -> tuple[float, ...]:
    """At most so many of the grid's ε, the first and the last among them.

    >>> _spread((0.1, 0.2, 0.5, 1.0, 2.0), 3)
    (0.1, 0.5, 2.0)
    """
    if len(grid) <= most:
        return grid
    places = np.unique(np.linspace(0, len(grid) - 1, most).round().astype(int))
    return tuple(grid[place] for place in places)


class _Result:
    """One world: what was lost at each ε, of what the algorithm reached without noise."""

    def __init__(self, losses: list[float], reference: float, floor: float) -> None:
        self.losses, self.reference, self.floor = losses, reference, floor


@dataclass(frozen=True)
class _Cost:
    """How long fits to a world of so many records take, without noise and with it."""

    size: int
    noiseless: float
    noisy: float
    reference: Any

    @property
    def each(self) -> float:
        """That of a fit at one of the grid's ε: at the largest, it is nearly as one without noise."""
        return (self.noiseless + self.noisy) / 2

    def world(self, grid: int) -> float:
        return self.noiseless + grid * self.each


class _Trial:
    """The algorithm on one world after the other."""

    def __init__(
        self,
        estimator: Any,
        schema: Schema,
        guess: Guess,
        figure: OnMadeUp,
        grid: tuple[float, ...],
        released: pa.Table | None,
        seed: int,
    ) -> None:
        self._estimator, self._schema, self._guess = estimator, schema, guess
        self._figure, self._grid, self._released, self._seed = figure, grid, released, seed
        if released is not None:
            schema.require_columns(released.column_names)
            if released.num_rows < 20:
                raise ParameterError("A forecast needs a released table of at least 20 records.")
        self._size = guess.size
        self._tried_at = grid
        self._drawn: tuple[int, World] | None = None
        self._reference: Any = None  # that of the first world, where it was needed to see how long it takes

    def worlds(self, most: int, seconds: float, size: int | None = None) -> list[_Result]:
        """Results of one world after the other, as long as there is time; two in any case.

        Time is that of the processor, so that a forecast does not depend on what else a machine is doing.
        Worlds in which there is next to nothing to learn are used only where there are no others.
        """
        start = _clock()
        if size is None:
            self._size, self._tried_at = self._affordable(seconds)
        else:
            self._size = min(size, self._guess.size)
        clear: list[_Result] = []
        others: list[_Result] = []
        for place in range(2 * most):
            begun = _clock()
            found = self._tried(place)
            now = _clock()
            (clear if found.reference - found.floor >= NOTHING_LEARNED else others).append(found)
            tried = len(clear) + len(others)
            late = size is None and 2 * now - begun - start > seconds
            if len(clear) >= most or (tried >= 2 and late):
                break
        return clear if len(clear) >= 2 else [*clear, *others]

    def _affordable(self, seconds: float) -> tuple[int, tuple[float, ...]]:
        """How many records a world can have so that three can be tried in time, and at which ε.

        Records come first: a small world hides the detail that noise takes away. An algorithm too slow even
        for two of the smallest worlds is tried at fewer ε, and at three at least; what lies between follows
        from those.
        """
        self._fitted(self._table(0, 200, 0), self._grid[0], 0)  # what is compiled once is not counted
        begun, known = _clock(), []
        for size in sorted({min(size, self._guess.size) for size in _SIZES}):
            table, start, self._size = self._table(_TIMED, size, 1), _clock(), size
            self._fitted(table, self._grid[len(self._grid) // 2], _TIMED)
            between = _clock()
            reference = self._fitted(table, _NOISELESS, _TIMED)  # the slowest: without noise most is found
            known.append(_Cost(size, _clock() - between, between - start, reference))
            left = max(seconds - (_clock() - begun), seconds / 2)
            if (
                known[-1].world(min(len(self._grid), _ENOUGH)) * _WANTED > left
            ):  # the one before was not too slow
                known = known[:-1] or known
                break
            if known[-1].world(1) * 4 > left / 2:  # to time the next would take half of what is left
                break
        cost = known[-1]
        self._size, self._reference = cost.size, cost.reference
        most = math.floor((left / _WANTED - cost.noiseless) / max(cost.each, 1e-9))
        return cost.size, _spread(self._grid, max(most, _FEWEST))

    def _tried(self, place: int) -> _Result:
        scored_on = min(_TEST, max(_TEST // 10, _TEST_CELLS // len(self._schema.columns)))
        train, test = self._table(place, self._size, 1), self._table(place, scored_on, 2)
        reference = self._reference if place == _TIMED else None
        reference = reference or self._fitted(train, _NOISELESS, place)
        best = self._figure.of(reference, reference, test, self._schema)
        floor = self._figure.floor(test, self._schema)
        losses = []
        for epsilon in self._tried_at:
            model = self._fitted(train, epsilon, place)
            losses.append(best - self._figure.of(model, reference, test, self._schema))
        # Between two ε that were tried, a loss is taken to change evenly on a scale of ratios.
        between = np.interp(np.log(self._grid), np.log(self._tried_at), losses)
        return _Result(between.tolist(), best, floor)

    def _fitted(self, table: pa.Table, epsilon: float, place: int) -> Any:
        """The algorithm as it would be at this ε, at an ε larger by as much as the world is smaller."""
        model, scale = clone(self._estimator).set_params(epsilon=epsilon), self._guess.size / self._size
        model.set_params(**model._steered())
        if records := model.get_params().get("records"):
            model.set_params(records=max(1, round(records / scale)))
        # Nothing leaves: the noise may come from a seed, and the same forecast is given twice.
        seed, scaled = self._seed * 1000 + place, min(epsilon * scale, _NOISELESS)
        model.set_params(epsilon=scaled, schema=self._schema, ledger=None, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(table)

    def _table(self, place: int, records: int, role: int) -> pa.Table:
        """Records of a world: to learn from (1), or to be scored on (2)."""
        seed = self._seed * 1000 + place
        if self._released is None:
            return self._world(seed).table(records, 10 * seed + role)
        # Learned from and scored on are other records, or copies would be recognised.
        draw = np.random.default_rng([seed, role])
        order = np.random.default_rng(seed).permutation(self._released.num_rows)
        half = order[: len(order) // 2] if role == 2 else order[len(order) // 2 :]
        return self._released.take(pa.array(draw.choice(half, records)))

    def _world(self, seed: int) -> World:
        """Every other world has much detail: there an algorithm that gains from it shows what noise takes."""
        if self._drawn is None or self._drawn[0] != seed:
            kind = DetailedWorld if seed % 2 == 0 and self._schema.target is not None else World
            self._drawn = seed, kind.drawn(self._schema, self._guess, seed)
        return self._drawn[1]

    def in_words(self) -> tuple[str, ...]:
        """What the trial adds to what the forecast rests on."""
        if self._released is None:
            first = "People were made up from the schema: real columns may hang together in other ways."
        else:
            first = (
                "People were drawn again from a table that was released already: what is attainable and the "
                "shares of the classes are as in it, not guessed."
            )
        words = [first]
        if len(self._tried_at) < len(self._grid):
            words.append(f"Tried at {len(self._tried_at)} of the epsilons; those between follow from these.")
        if self._size == self._guess.size:
            return tuple(words)
        return (
            *words,
            f"Tried on {self._size:,} records, with an epsilon larger by the same factor. Detail that only "
            "more records show is left out: a model that gains from it may need more.",
        )
