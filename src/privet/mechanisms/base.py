"""The contract of a mechanism: what it costs, how it draws, how far off it may be."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike, NDArray

from privet.budget.events import Event
from privet.randomness import FloatArray, Randomness

__all__ = ["Additive", "Mechanism", "Selection"]


@runtime_checkable
class Mechanism(Protocol):
    """Makes a private array of the same shape out of an exact one, which it leaves as it was."""

    @property
    def event(self) -> Event:
        """What one call of ``randomise`` costs, if the source of randomness is secure."""

    def randomise(self, value: ArrayLike, randomness: Randomness) -> NDArray[Any]:
        """A private version of ``value``: a new array of its shape."""


@runtime_checkable
class Additive(Mechanism, Protocol):
    """A mechanism that adds noise of one known distribution, independently in each coordinate."""

    @property
    def scale(self) -> float:
        """The parameter of the noise, rounded up, so that the loss is never above what is claimed."""

    @property
    def standard_deviation(self) -> float:
        """Of the noise in one coordinate."""

    def error(self, confidence: float = 0.95) -> float:
        """The noise in one coordinate stays within ± this with at least this probability."""

    def log_probability(self, noise: ArrayLike) -> FloatArray:
        """The logarithm of the probability (for reals, of the density) of each noise value."""


@runtime_checkable
class Selection(Protocol):
    """Picks one of many candidates by a private score; larger scores are better."""

    @property
    def event(self) -> Event:
        """What one choice costs, if the source of randomness is secure."""

    def choose(self, scores: ArrayLike, randomness: Randomness) -> int:
        """The index of a candidate whose score is high. The score itself is not released."""

    def probabilities(self, scores: ArrayLike) -> FloatArray:
        """The exact probability of each choice: as private as the scores, for tests and audits."""

    def error(self, candidates: int, confidence: float = 0.95) -> float:
        """The chosen score is within this of the best one with at least this probability."""
