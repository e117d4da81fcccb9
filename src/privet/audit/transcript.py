"""The transcript of a run as a subject of its own: every noisy answer that the algorithm was given.

A model is computed from its noisy answers, and most of the noise of steps in between is mixed into a few
weights: an event on the weights alone shows a small part of the loss. But the proof covers the answers
themselves, in the order in which they came, so they may be put to the test as well. Each run also holds the
log-likelihood ratio of all of them together between the two tables of the pair (``curator.loss``), which is
the statistic that shows most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from privet.audit.claim import Sided
from privet.audit.outputs import RATIO, Sample, sample_of
from privet.audit.subjects import OfTables, released_or_refused
from privet.curator.loss import Heard, overheard
from privet.schema import Schema

__all__ = ["Overheard", "Transcript"]


@dataclass(frozen=True)
class Transcript:
    """What to audit instead of a fitted model: all that the curator told while it was fitted.

    ``estimator`` may also be a function of a table; then say what it claims, and for which schema.

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
        thing = self.estimator
        return f"transcript of {getattr(thing, '__name__', type(thing).__name__)}"

    @property
    def schema(self) -> Schema | None:
        return getattr(self.estimator, "schema", None)

    @property
    def epsilon(self) -> float | None:
        return getattr(self.estimator, "epsilon", None)

    @property
    def delta(self) -> float:
        return float(getattr(self.estimator, "delta", 0.0))

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """What tells this subject from others (``Claim.fingerprint``)."""
        return {"estimator": self.estimator}

    def __call__(self, table: Any) -> list[Any]:
        return self.heard(table, Heard()).told

    def heard(self, table: Any, heard: Heard) -> Heard:
        """One run, written down."""
        run = self.estimator
        if hasattr(run, "fit"):
            run = type(run)(**run.get_params(deep=False)).fit
        with overheard(heard):
            run(table)
        return heard


@dataclass(frozen=True)
class Overheard(OfTables):
    """The subject: runs on one table of a pair, each with its ratio between the two."""

    computed: ClassVar[bool] = True

    def side(self, first: Any, second: Any, place: int) -> Any:
        return Sided(first, second, place)

    def draw(self, data: Any, runs: int) -> Sample:
        if not isinstance(data, Sided):
            return sample_of(released_or_refused(lambda: self.thing(data)) for _ in range(runs))
        start = Heard(data.first, data.second)

        def run() -> Any:
            heard = self.thing.heard(data.here, start.again())
            return {"told": heard.told, RATIO: heard.loss}

        return sample_of(released_or_refused(run) for _ in range(runs))
