"""Accuracy first: the smallest ε that is expected to lose no more than a given part of what is attainable.

It comes from a forecast on made-up worlds, so it is expected and not promised; nothing is read. The worlds
have a fixed number of records and come from a fixed seed: what is planned is what is spent.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

from privet.errors import ParameterError
from privet.evaluation.forecast.trial import EPSILONS, forecast
from privet.evaluation.forecast.value import Forecast
from privet.schema import Schema
from privet.worlds import Guess

__all__ = ["MOST", "Chosen", "epsilon_within"]

#: An ε beyond this is never chosen by itself: it would protect nobody.
MOST = 10.0
_FURTHER = (30.0, 100.0, 300.0, 1000.0)
_SIZE = 2000
_WORLDS = 6


@dataclass(frozen=True)
class Chosen:
    """The ε that a forecast chose for a goal, and the forecast that it rests on."""

    epsilon: float
    loss: float
    forecast: Forecast

    def why(self) -> str:
        """Why it is this ε."""
        return (
            f"epsilon = {self.epsilon:g} was chosen: the smallest that is expected to lose at most "
            f"{self.loss:g} of the {self.forecast.measure} that is attainable, in nine made-up worlds of "
            f"ten. No record was read to know this; it is a guide, not a promise. {self.forecast.tested} It "
            "rests on: " + " ".join(self.forecast.rests_on)
        )


def epsilon_within(
    estimator: Any, loss: float, schema: Schema | None = None, guess: Guess | None = None
) -> Chosen:
    """The smallest ε with which an algorithm is expected to come within ``loss`` of what is attainable.

    ``estimator`` is the algorithm with its settings, not fitted; its own ε is not used.

    >>> from privet.learning.classify import NaiveBayes
    >>> schema = Schema.of({"age": (0, 120), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> found = epsilon_within(NaiveBayes(schema=schema), 0.03, guess=Guess(records=50_000, attainable=0.8))
    >>> found.epsilon < 1
    True
    """
    if isinstance(loss, bool) or not isinstance(loss, numbers.Real) or not 0 < float(loss) < 1:
        raise ParameterError("What may be lost must be a number between 0 and 1.")
    guess = guess or Guess()
    found = forecast(estimator, schema, guess, epsilons=(*EPSILONS, *_FURTHER), worlds=_WORLDS, size=_SIZE)
    epsilon = found.epsilon_for(float(loss))
    if found.nothing_learned:
        raise ParameterError(
            "In made-up worlds too little is learned, even without noise, to choose an epsilon by.",
            "Guess more records or a higher attainable figure if that is so, or give an epsilon.",
        )
    if epsilon is None:
        raise ParameterError(
            f"No epsilon is expected to come within {loss:g} of the {found.measure} that is attainable.",
            "Allow more to be lost, or choose an algorithm that needs less noise: a forecast compares them.",
        )
    if epsilon > MOST:
        # What privacy costs depends on the product of ε and the number of records.
        needed = math.ceil(guess.size * epsilon / MOST)
        raise ParameterError(
            f"No epsilon up to {MOST:g} is expected to come within {loss:g} of the {found.measure} that is "
            f"attainable with {guess.size:,} records: about {needed:,} would be needed.",
            "Allow more to be lost, guess the number of records if there are more, or give an epsilon.",
        )
    return Chosen(epsilon, float(loss), found)
