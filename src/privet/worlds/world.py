"""A made-up world: how the columns of a schema could hang together, drawn at random.

Behind every column stands a hidden normal score. Its mean depends on the record's class, strongly for a few
columns and weakly for most, and the scores of one record share a part of their noise, as signs of one person
do. A number is its score, placed somewhere between its bounds and often narrow beside them; a category is the
score cut into pieces of unequal size. The strength of all of them together is set so that a discriminant,
fitted without privacy to what the columns show, reaches the accuracy that is guessed to be attainable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.schema import Category, Column, Number, Schema
from privet.worlds.guess import Guess

__all__ = ["World", "made_up"]

Floats = NDArray[np.float64]

#: Groups of records that are alike, where there is no target to tell them apart.
_HIDDEN_GROUPS = 3
_PROBE = 3000
_STRONGEST = 8.0


@dataclass(frozen=True, eq=False)
class World:
    """One made-up world; ``table`` draws people from it, as many as are wanted.

    >>> schema = Schema.of({"age": (0, 120), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> world = World.drawn(schema, Guess(attainable=0.8), seed=1)
    >>> world.table(3, seed=2).column_names
    ['age', 'smoker', 'ill']
    """

    schema: Schema
    shares: Floats  # of the classes, or of hidden groups
    means: Floats  # of the scores: groups × attributes
    common: float  # the part of the noise that a record's scores share
    weights: Floats  # of the scores in a target that is a number
    places: tuple[Any, ...]  # for each column: (centre, width), or (limits between the values, their order)
    explained: float  # R² of a target that is a number

    @classmethod
    def drawn(cls, schema: Schema, guess: Guess | None = None, seed: int = 0) -> World:
        """A world that fits what is public and what is guessed; the seed says which."""
        guess = guess or Guess()
        draw = np.random.default_rng(seed)
        target = None if schema.target is None else schema[schema.target]
        width = len(schema.attributes)
        shares = _shares(target, guess, draw)
        strength = draw.exponential(1.0, width) ** 1.5  # a few strong ones, many weak ones
        means = draw.normal(0, 1, (len(shares), width)) * strength
        means -= shares @ means
        means /= max(
            float(np.sqrt((shares @ means**2).max())), 1e-12
        )  # the strongest sign is one deviation wide
        weights = draw.normal(0, 1, width) * strength
        places = tuple(_place(column, draw) for column in schema.columns)
        open_gap = float(draw.uniform(0.35, 0.9))  # what is attainable, where nobody says
        common = float(draw.uniform(0.0, 0.6))
        world = cls(schema, shares, means, common, weights, places, guess.attainable or open_gap)
        world = world._prepared(guess.size, seed)
        if isinstance(target, Number):
            return replace(world, means=np.zeros_like(means))
        base = float(shares.max())
        goal = base + open_gap * (1 - base)
        if target is not None and guess.attainable is not None:
            goal = guess.attainable
        return world._reaching(max(goal, base + 0.25 * (1 - base)), seed)  # else there is nothing to learn

    def _prepared(self, records: int, seed: int) -> World:
        """This world with all that one of its kind has, before it is made to reach what is attainable."""
        return self

    def _reaching(self, goal: float, seed: int) -> World:
        """This world with signs so strong that a discriminant is right about its groups so often."""
        if not len(self.schema.attributes):
            return self
        low, high, found = 0.0, _STRONGEST, self
        for _ in range(10):
            middle = (low + high) / 2
            found = replace(self, means=self.means * middle)
            low, high = (middle, high) if found._attained(seed) < goal else (low, middle)
        return found

    def _attained(self, seed: int) -> float:
        """How often a linear discriminant is right, given what the columns show of their scores."""
        draw = np.random.default_rng([seed, 1])
        group, scores = self._scores(_PROBE, draw)
        targets = [c.name for c in self.schema.columns]
        for place, column in enumerate(self.schema.attributes):
            if isinstance(column, Category):
                limits = self.places[targets.index(column.name)][0]
                codes = np.searchsorted(limits, scores[:, place])
                sizes = np.maximum(np.bincount(codes, minlength=len(limits) + 1), 1)
                sums = np.bincount(codes, weights=scores[:, place], minlength=len(limits) + 1)
                scores[:, place] = (sums / sizes)[codes]
        half = _PROBE // 2
        return _discriminant(scores[:half], group[:half], scores[half:], group[half:], len(self.shares))

    def _scores(self, records: int, draw: np.random.Generator) -> tuple[NDArray[np.int64], Floats]:
        group = draw.choice(len(self.shares), records, p=self.shares)
        shared = draw.normal(0, 1, (records, 1)) * np.sqrt(self.common)
        own = draw.normal(0, 1, (records, self.means.shape[1])) * np.sqrt(1 - self.common)
        spread = np.sqrt(1 + self.shares @ self.means**2)
        return group, (self.means[group] + shared + own) / spread

    def table(self, records: int, seed: int = 0) -> pa.Table:
        """So many people of this world."""
        if isinstance(records, bool) or not isinstance(records, int) or records < 0:
            raise ParameterError("records must be a whole number of at least 0.")
        draw = np.random.default_rng([seed, 2])
        group, scores = self._scores(records, draw)
        hidden = dict(zip((c.name for c in self.schema.attributes), scores.T, strict=True))
        arrays: dict[str, pa.Array] = {}
        for column, place in zip(self.schema.columns, self.places, strict=True):
            if column.name == self.schema.target and isinstance(column, Category):
                arrays[column.name] = pa.array(column.labels).take(pa.array(group))
                continue
            score = hidden.get(column.name)
            if score is None:
                score = self._outcome(scores, draw)
            arrays[column.name] = _cells(column, place, score)
        unit = self.schema.unit
        if unit.id is not None:  # persons with as many records as they may have, in mixed order
            people = draw.permutation(records) // unit.most
            arrays[unit.id] = pa.array([f"made-up {person}" for person in people], pa.string())
        return pa.table(arrays)

    def _outcome(self, scores: Floats, draw: np.random.Generator) -> Floats:
        """A hidden score of a target that is a number: linear in the others, up to noise."""
        signal = scores @ self.weights
        spread = np.sqrt(self.common * self.weights.sum() ** 2 + (1 - self.common) * (self.weights**2).sum())
        signal = signal / spread if spread > 0 else signal
        noise: Floats = draw.normal(0, 1, len(scores))
        return np.sqrt(self.explained) * signal + np.sqrt(1 - self.explained) * noise


def made_up(schema: Schema, records: int, seed: int = 0) -> pa.Table:
    """A table of people who do not exist, with the schema's columns: for practice and rehearsals.

    Nothing is read: the same schema, number and seed give the same table.

    >>> schema = Schema.of({"age": (18, 100), "ward": ["a", "b"], "ill": ["no", "yes"]}, target="ill")
    >>> table = made_up(schema, 1000)
    >>> table.num_rows, min(table["age"].to_pylist()) >= 18
    (1000, True)
    """
    return World.drawn(schema, seed=seed).table(records, seed)


def _shares(target: Column | None, guess: Guess, draw: np.random.Generator) -> Floats:
    """The shares of the classes: as guessed, and drawn where they were not."""
    if isinstance(target, Number):
        return np.ones(1)
    groups = _HIDDEN_GROUPS if target is None else target.size
    drawn = draw.dirichlet(np.full(groups, 4.0))
    known = {} if target is None else guess.class_shares(target)
    others = [code for code in range(groups) if code not in known]
    if known:
        left = max(1 - sum(known.values()), 1e-6)
        drawn[others] *= left / max(drawn[others].sum(), 1e-12)
        for code, share in known.items():
            drawn[code] = share
    found: Floats = drawn / drawn.sum()
    return found


def _place(column: Column, draw: np.random.Generator) -> Any:
    if isinstance(column, Number):
        return float(draw.uniform(0.15, 0.7)), float(np.exp(draw.uniform(np.log(0.03), np.log(0.25))))
    from scipy.special import ndtri

    shares = draw.dirichlet(np.full(column.size, 0.8)) * 0.98 + 0.02 / column.size
    limits = ndtri(np.clip(np.cumsum(shares)[:-1], 1e-9, 1 - 1e-9))
    return limits, draw.permutation(column.size)


def _cells(column: Column, place: Any, score: Floats) -> pa.Array:
    if isinstance(column, Number):
        centre, width = place
        values = column.low + (column.high - column.low) * np.clip(centre + width * score, 0, 1)
        if column.integer and max(abs(column.low), abs(column.high)) < 2**53:
            return pa.array(
                np.round(values).clip(np.ceil(column.low), np.floor(column.high)).astype(np.int64)
            )
        return pa.array(values)
    limits, order = place
    return pa.array(column.labels).take(pa.array(order[np.searchsorted(limits, score)]))


def _discriminant(
    seen: Floats, group: NDArray[np.int64], unseen: Floats, truth: NDArray[np.int64], groups: int
) -> float:
    """The accuracy of a linear discriminant."""
    sizes = np.bincount(group, minlength=groups)
    centres = np.stack([seen[group == g].sum(axis=0) for g in range(groups)]) / np.maximum(sizes, 1)[:, None]
    priors = (sizes + 0.5) / (len(group) + groups / 2)
    left = seen - centres[group]
    covariance = left.T @ left / len(seen) + 1e-3 * np.eye(seen.shape[1])
    turned = np.linalg.solve(covariance, centres.T)
    scores = unseen @ turned - 0.5 * (centres.T * turned).sum(axis=0) + np.log(priors)
    return float((scores.argmax(axis=1) == truth).mean())
