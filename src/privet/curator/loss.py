"""The privacy loss of a transcript: how much likelier its answers are from one table than from another.

For an audit on made-up tables. The noise of every question has a known distribution, so for two tables at
hand the log-likelihood ratio of the answers can be computed: question after question, each given the answers
before it. No event tells the two tables apart better than a threshold on it (Neyman and Pearson), and if the
noise is not what it should be, it is as good a statistic as any other.

It looks at the two tables that it is given, and at nothing else: whoever calls it has their records already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

from privet.curator.ask.question import Exact, Question
from privet.curator.curator import Curator
from privet.curator.folds import FoldSource
from privet.curator.tables import as_source
from privet.engines import engine_for
from privet.sources.base import Source

__all__ = ["Heard", "overheard"]

LARGEST = 1000.0


class Heard:
    """What curators told while they were overheard: the values, and their loss between two tables."""

    def __init__(self, first: Any = None, second: Any = None) -> None:
        self.told: list[Any] = []
        self.loss = 0.0
        self._tables = None if first is None else (as_source(first), as_source(second))
        self._answers: dict[Any, Any] = {}

    def again(self) -> Heard:
        """An empty one for the next run on the same two tables, whose exact answers are known by now."""
        fresh = copy(self)
        fresh.told, fresh.loss = [], 0.0
        return fresh

    def add(self, curator: Curator, asked: Sequence[tuple[Question[Any], Any]], answers: list[Any]) -> None:
        """Write down these answers."""
        for (question, share), answer in zip(asked, answers, strict=True):
            self.told.extend(answer.told)
            if self._tables is None or question.free:
                continue
            amount = curator.currency.share(share)
            first, second = (self._exact(curator, question, side) for side in (0, 1))
            mechanism = question.mechanism(amount, curator.schema)
            loss = question.log_ratio(first, second, amount, mechanism, answer)
            self.loss += max(-LARGEST, min(LARGEST, loss))

    def _exact(self, curator: Curator, question: Question[Any], side: int) -> Exact:
        assert self._tables is not None
        source, statistics = self._tables[side], list(question.statistics)
        answers: list[Any] = []
        if statistics and isinstance(curator._source, FoldSource):
            # The same secret draw of folds on either table; its proof is for each outcome of that draw.
            answers = engine_for(source).answer(
                statistics, _refolded(curator._source, source), curator.schema
            )
        elif statistics:
            key = (side, question.statistics, curator.schema)
            try:
                known = self._answers.get(key)
            except TypeError:  # a statistic that holds an array: nothing to find it by
                key, known = None, None  # type: ignore[assignment]
            answers = known or engine_for(source).answer(statistics, source, curator.schema)
            if key is not None and len(self._answers) < 10_000:
                self._answers[key] = answers
        return Exact(answers, source, curator.schema, curator.randomness)


def _refolded(folded: FoldSource, source: Source) -> FoldSource:
    fresh = copy(folded)
    fresh._source = source
    return fresh


@contextmanager
def overheard(heard: Heard) -> Iterator[Heard]:
    """Write down what every curator tells within the block: for one thread, on made-up tables."""
    tell = Curator.ask_together

    def telling(curator: Curator, asked: Any, apart: Any = None) -> Any:
        answers = tell(curator, asked, apart)
        heard.add(curator, asked, answers)
        return answers

    Curator.ask_together = telling  # type: ignore[method-assign,assignment]
    try:
        yield heard
    finally:
        Curator.ask_together = tell  # type: ignore[method-assign]
