"""QUESTIONS: what may be asked of the rows, each with its sensitivity and two renderings."""

from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.contingency import Contingency
from privet.stats.judgement import Judgement
from privet.stats.moments import Moments
from privet.stats.prediction import Confusion, PredictionErrors, Predictor
from privet.stats.rows import Rows

__all__ = [
    "Answer",
    "Confusion",
    "Contingency",
    "Judgement",
    "Moments",
    "PredictionErrors",
    "Predictor",
    "Rows",
    "Sensitivity",
    "Statistic",
]
