"""The transcript of a fit as a subject of its own: every noisy answer that the algorithm was given.

A model is computed from its noisy answers, and most of the noise of steps in between is mixed into a few
weights: an event on the weights alone shows a small part of the loss. But the proof covers the answers
themselves, in the order in which they came, so they may be put to the test as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privet.curator import Curator
from privet.schema import Schema

__all__ = ["Transcript"]


@dataclass(frozen=True)
class Transcript:
    """A function for ``audit``: fits the estimator to a table and returns all that the curator released.

    >>> from privet.audit.pairs import table_of
    >>> from privet.learning.classify import LogisticRegression
    >>> schema = Schema.of({"fever": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> model = LogisticRegression(schema=schema, method="newton", steps=1)
    >>> counts, gradient = Transcript(model)(table_of(schema, []))
    >>> counts.shape, gradient.shape
    ((3, 2), (1, 3))
    """

    estimator: Any

    @property
    def __name__(self) -> str:
        return f"transcript of {type(self.estimator).__name__}"

    @property
    def schema(self) -> Schema | None:
        schema: Schema | None = self.estimator.schema
        return schema

    @property
    def epsilon(self) -> float:
        return float(self.estimator.epsilon)

    @property
    def delta(self) -> float:
        return float(self.estimator.delta)

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """What tells this subject from others (``Claim.fingerprint``)."""
        return {"estimator": self.estimator}

    def __call__(self, table: Any) -> list[Any]:
        told: list[Any] = []
        fresh = type(self.estimator)(**self.estimator.get_params(deep=False))
        learn = fresh._fit

        def overheard(curator: Curator) -> None:
            curator.ask_together = _listening(curator.ask_together, told)  # type: ignore[method-assign]
            learn(curator)

        fresh._fit = overheard
        fresh.fit(table)
        return told


def _listening(tell: Any, told: list[Any]) -> Any:
    """The same way of telling, which also writes down what it told."""

    def tells(asked: Any) -> Any:
        answers = tell(asked)
        told.extend(part for answer in answers for part in answer.told)
        return answers

    return tells
