"""Forecasts: how good a model would be at each ε, tried on made-up worlds before anything is spent."""

from privet.evaluation.forecast.goal import Chosen, epsilon_within
from privet.evaluation.forecast.learner import ForetoldLearner, learner_by_forecast
from privet.evaluation.forecast.trial import forecast
from privet.evaluation.forecast.value import Forecast, Point

__all__ = [
    "Chosen",
    "Forecast",
    "ForetoldLearner",
    "Point",
    "epsilon_within",
    "forecast",
    "learner_by_forecast",
]
