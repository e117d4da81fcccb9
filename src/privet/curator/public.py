"""Exact answers, for a table that its owner has declared *public*: no noise, no budget, no guarantee.

Nobody but the curator (in a run that was opened as declared public), attacks that an owner runs on their own
data, and reproductions may import this: the import rules say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from privet.curator.ask import FindValues, Measure, Question
from privet.curator.ask.find_values import Values
from privet.curator.ask.question import Exact
from privet.curator.tables import as_source
from privet.engines import engine_for
from privet.errors import ParameterError
from privet.release import Release
from privet.schema import Schema
from privet.stats import Answer, Statistic

__all__ = ["exact_release", "public_answers"]


def public_answers(data: Any, schema: Schema, statistics: Sequence[Statistic]) -> list[NDArray[Any]]:
    """The exact answers to these statistics."""
    source = as_source(data)
    answers = engine_for(source).answer(statistics, source, schema)
    return [_scaled(answer, statistic) for statistic, answer in zip(statistics, answers, strict=True)]


def exact_release(question: Question[Any], exact: Exact) -> Release | Values:
    """What a measurement gives in a run that is declared public."""
    if isinstance(question, FindValues):
        return Values(dict(sorted(question.counted(exact).items())), None)
    if not isinstance(question, Measure):
        raise ParameterError(
            "A table that is declared public is measured, and nothing else is asked of it.",
            "Choose and fit with methods for public data, such as scikit-learn's.",
        )
    return Release(_scaled(exact.answers[0], question.statistic), 0.0, 0.0, None)


def _scaled(answer: Answer, statistic: Statistic) -> NDArray[Any]:
    return answer if statistic.scale == 1 else answer / statistic.scale
