"""A made-up world of much detail: attributes act together, and many small groups differ from the rest.

The other worlds (``worlds.world``) are nearly linear: a model that is blurred by noise loses little in them.
In real tables much of the accuracy lies in detail: in steps along an attribute, in two or three attributes
that act together, in small groups. So here the class is drawn given the attributes, by a sum of terms. A term
halves the records again and again along one to three attributes in turn, and each part of each level gets its
own effect on every class. Halving ends where parts have a few dozen records, since nobody could learn finer
detail from so many records, and no good model's accuracy can come from it. All effects together are made so
strong that who knew them would make only a part of the errors of the model that is guessed to be attainable,
which has to learn them from records.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category
from privet.worlds.world import Floats, World

__all__ = ["DetailedWorld"]

_PROBE = 3000
_STRONGEST = 60.0
#: As many records as the smallest parts have on average.
_SMALLEST = 30
_MOST_LEVELS = 10
#: What is attainable is learned from records: who knew all effects would make this part of the errors.
_UNLEARNED = 0.3
_TERMS = (1, 5)
_TOGETHER = 3
#: How much each level matters, beside the one before; between these.
_FADING = (0.7, 1.0)
_BENT = 0.7


@dataclass(frozen=True, eq=False)
class Term:
    """A function of a few attributes, given as ranks between 0 and 1: a sum over finer and finer parts."""

    attributes: NDArray[np.int64]
    bends: Floats  # powers of the ranks, so that halves are unequal
    effects: tuple[Floats, ...]  # of each level: parts × outputs

    def __call__(self, ranks: Floats) -> Floats:
        bent = ranks[:, self.attributes] ** self.bends
        part = np.zeros(len(ranks), np.int64)
        value = np.zeros((len(ranks), self.effects[0].shape[1]))
        for level, effects in enumerate(self.effects):
            halving, place = divmod(level, len(self.attributes))
            part = 2 * part + ((bent[:, place] * 2 ** (halving + 1)).astype(np.int64) & 1)
            value += effects[part]
        return value


@dataclass(frozen=True, eq=False)
class DetailedWorld(World):
    """One made-up world with detail.

    >>> from privet.schema import Schema
    >>> from privet.worlds import Guess
    >>> schema = Schema.of({"age": (0, 120), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> world = DetailedWorld.drawn(schema, Guess(records=5000, attainable=0.8), seed=1)
    >>> world.table(3, seed=2).column_names
    ['age', 'smoker', 'ill']
    """

    terms: tuple[Term, ...] = ()
    strength: float = 1.0
    start: Floats = field(default_factory=lambda: np.zeros(1))  # so that the classes have their shares

    def _prepared(self, records: int, seed: int) -> DetailedWorld:
        draw = np.random.default_rng([seed, 3])
        width, outputs = len(self.schema.attributes), len(self.shares)
        levels = int(np.clip(np.log2(records / _SMALLEST), 1, _MOST_LEVELS))
        weight = draw.exponential(1.0, width) ** 1.5  # a few are in most terms
        fading = float(draw.uniform(*_FADING))
        terms = []
        for _ in range(int(draw.integers(_TERMS[0], _TERMS[1] + 1)) if width else 0):
            together = min(int(draw.integers(1, _TOGETHER + 1)), width)
            terms.append(
                Term(
                    draw.choice(width, together, replace=False, p=weight / weight.sum()),
                    np.exp(draw.uniform(-_BENT, _BENT, together)),
                    tuple(draw.normal(0, fading**level, (2 << level, outputs)) for level in range(levels)),
                )
            )
        plain = np.zeros_like(self.means)  # the attributes lie as they do; the classes follow from them
        return replace(self, means=plain, terms=tuple(terms), start=np.zeros(outputs))

    def _reaching(self, goal: float, seed: int) -> DetailedWorld:
        """This world with effects so strong that who knew them would be right so often."""
        if not self.terms:
            return self
        _, scores = super()._scores(_PROBE, np.random.default_rng([seed, 1]))
        effects = self._effects(scores)
        known = 1 - _UNLEARNED * (1 - goal)
        low, high, found = 0.0, _STRONGEST, self
        for _ in range(12):
            strength = (low + high) / 2
            start = _start(strength * effects, self.shares, found.start)
            found = replace(self, strength=strength, start=start)
            right = float(_softmax(strength * effects + start).max(axis=1).mean())
            low, high = (strength, high) if right < known else (low, strength)
        return replace(found, start=_start(found.strength * effects, self.shares, found.start, 100))

    def _effects(self, scores: Floats) -> Floats:
        """The sum of the terms, by what the columns show of the scores."""
        from scipy.special import ndtr

        ranks = np.empty_like(scores)
        names = [column.name for column in self.schema.columns]
        for place, column in enumerate(self.schema.attributes):
            if isinstance(column, Category):
                limits, order = self.places[names.index(column.name)]
                ranks[:, place] = (order[np.searchsorted(limits, scores[:, place])] + 0.5) / column.size
            else:
                ranks[:, place] = np.minimum(ndtr(scores[:, place]), 1 - 1e-9)
        total = np.zeros((len(scores), len(self.start)))
        for term in self.terms:
            total += term(ranks)
        return total

    def _scores(self, records: int, draw: np.random.Generator) -> tuple[NDArray[np.int64], Floats]:
        _, scores = super()._scores(records, draw)
        if len(self.shares) == 1 or not self.terms:
            return np.zeros(records, np.int64), scores
        likely = _softmax(self.strength * self._effects(scores) + self.start).cumsum(axis=1)
        group = (draw.uniform(0, 1, (records, 1)) > likely[:, :-1]).sum(axis=1)
        return group, scores

    def _outcome(self, scores: Floats, draw: np.random.Generator) -> Floats:
        signal = self._effects(scores)[:, 0]
        signal = (signal - signal.mean()) / max(float(signal.std()), 1e-12)
        noise: Floats = draw.normal(0, 1, len(scores))
        return np.sqrt(self.explained) * signal + np.sqrt(1 - self.explained) * noise


def _softmax(margins: Floats) -> Floats:
    likely: Floats = np.exp(margins - margins.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True)


def _start(margins: Floats, shares: Floats, start: Floats, steps: int = 20) -> Floats:
    """What to add to the margins so that the classes have their shares, from what nearly does."""
    for _ in range(steps):
        start = start + np.log(shares / np.maximum(_softmax(margins + start).mean(axis=0), 1e-9))
    return start
