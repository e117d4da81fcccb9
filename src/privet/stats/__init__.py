"""QUESTIONS: what may be asked of the rows, each with its sensitivity and two renderings."""

from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.contingency import Contingency
from privet.stats.coverage import Assignment, Coverage, Within
from privet.stats.judgement import Judgement
from privet.stats.moments import Moments
from privet.stats.prediction import Confusion, PredictionErrors, Predictor
from privet.stats.rows import Rows
from privet.stats.scores import MajorityCorrect, Scores

__all__ = [
    "Answer",
    "Assignment",
    "Confusion",
    "Contingency",
    "Coverage",
    "Judgement",
    "MajorityCorrect",
    "Moments",
    "PredictionErrors",
    "Predictor",
    "Rows",
    "Scores",
    "Sensitivity",
    "Statistic",
    "Within",
]
