"""QUESTIONS: what may be asked of the rows, each with its sensitivity and two renderings."""

from privet.stats.assignment import Assignment, Coded, Cross, FirstThatHolds
from privet.stats.base import Answer, Sensitivity, Statistic, proved
from privet.stats.contingency import Contingency
from privet.stats.coverage import Coverage, Within
from privet.stats.cross_table import CrossTable
from privet.stats.judgement import Judgement
from privet.stats.moments import Moments
from privet.stats.prediction import Confusion, FoldPredictor, NoModel, PredictionErrors, Predictor
from privet.stats.rows import Rows
from privet.stats.scores import MajorityCorrect, Scores

__all__ = [
    "Answer",
    "Assignment",
    "Coded",
    "Confusion",
    "Contingency",
    "Coverage",
    "Cross",
    "CrossTable",
    "FirstThatHolds",
    "FoldPredictor",
    "Judgement",
    "MajorityCorrect",
    "Moments",
    "NoModel",
    "PredictionErrors",
    "Predictor",
    "Rows",
    "Scores",
    "Sensitivity",
    "Statistic",
    "Within",
    "proved",
]
