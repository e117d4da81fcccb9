"""The contract of a question: a value that knows its statistics, its sensitivity and its mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from privet.budget import Pure, Zcdp
from privet.randomness import Randomness
from privet.release import Step
from privet.schema import Schema
from privet.sources.base import Source
from privet.stats import Answer, Statistic

__all__ = ["Exact", "Question", "Told"]


class Answered(Protocol):
    """What a question gives: values that may leave, and the steps that made them."""

    @property
    def steps(self) -> tuple[Step, ...]: ...

    @property
    def told(self) -> tuple[Any, ...]:
        """Everything that this tells about the table."""


Told = TypeVar("Told", bound=Answered, covariant=True)


@dataclass(frozen=True)
class Exact:
    """What only a question sees: the exact answers to its statistics, and the table."""

    answers: Sequence[Answer]
    source: Source
    schema: Schema
    randomness: Randomness


class Question(ABC, Generic[Told]):
    """A way to ask. Subclasses are frozen dataclasses; there are no others than those of this package."""

    #: What an answer does not cover.
    caveats: ClassVar[tuple[str, ...]] = ()
    #: What an answer takes to be public, and where that comes from.
    assumed: tuple[tuple[str, str], ...] = ()
    #: Whether the answer is about public things only, and so costs nothing.
    free: ClassVar[bool] = False
    #: The δ that it spends besides its share, in a run that searches.
    delta: Fraction = Fraction(0)

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What the engine must answer, in one pass with those of other questions."""
        return ()

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        """What adds the noise, as far as it is known before anything is read."""
        return None

    @abstractmethod
    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Told:
        """What may leave, for this amount."""

    def log_ratio(self, first: Exact, second: Exact, amount: Pure | Zcdp, mechanism: Any, told: Any) -> float:
        """The logarithm of how much likelier this answer is from the first table than from the second.

        For audits on made-up tables (``curator.loss``); 0 where the distribution is not written down.
        """
        return 0.0
