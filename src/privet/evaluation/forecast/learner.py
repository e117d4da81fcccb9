"""Which of several algorithms to take: each is tried on the same made-up worlds. Nothing is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from privet.evaluation.forecast.trial import forecast
from privet.evaluation.forecast.value import Forecast
from privet.schema import Schema
from privet.worlds import Guess

__all__ = ["ForetoldLearner", "learner_by_forecast"]

# Fixed, so that what is planned is what learns, on every machine.
_SIZE = 1000
_WORLDS = 3


@dataclass(frozen=True)
class ForetoldLearner:
    """The learner that did best on made-up worlds, and the forecast of each at that ε."""

    learner: str
    epsilon: float
    forecasts: Mapping[str, Forecast]

    def why(self) -> str:
        """Why it is this one."""
        best = self.forecasts[self.learner]
        ranked = sorted(self.forecasts, key=lambda name: -self.forecasts[name].at(self.epsilon).value)
        told = ", ".join(f"{name} {self.forecasts[name].at(self.epsilon).value:.3f}" for name in ranked)
        return (
            f"A forecast chose {self.learner}: {best.measure} at an epsilon of {self.epsilon:g} on "
            f"{best.worlds} made-up worlds: {told}. No record was read to know this. It rests on: "
            + " ".join(best.rests_on)
        )


def learner_by_forecast(
    choosing: Any, schema: Schema | None = None, guess: Guess | None = None
) -> ForetoldLearner:
    """The learner that a choice among algorithms (``AutoClassifier``) should take, by a forecast of each.

    ``choosing`` is not fitted; its ε and its declared records are those that are foretold for.

    >>> from privet.learning.regress import AutoRegressor
    >>> schema = Schema.of({"hours": (0.0, 10.0), "wage": (0.0, 30.0)}, target="wage")
    >>> found = learner_by_forecast(AutoRegressor(schema=schema, records=500, epsilon=0.5))
    >>> sorted(found.forecasts)
    ['additive-regressor', 'linear-regression', 'ridge']
    """
    guess = guess or Guess(choosing.records)
    epsilon = float(choosing.epsilon)
    forecasts = {
        name: forecast(
            clone(choosing).set_params(learner=name),
            schema,
            guess,
            epsilons=(epsilon,),
            worlds=_WORLDS,
            size=_SIZE,
            name=name,
        )
        for name in choosing.learners
    }
    best = max(forecasts, key=lambda name: forecasts[name].at(epsilon).value)
    return ForetoldLearner(best, epsilon, forecasts)
