"""HOW GOOD IS IT: figures on test data and by cross-validation. Scores on private data are paid for too.

``evaluate`` and ``cross_validate`` give figures with error bars and a guarantee; ``evaluation_cost`` and
``cross_validation_cost`` say before what that will cost. Exact figures are for data declared public only.
"""

from privet.evaluation import metrics
from privet.evaluation.cross_validation import CrossValidation, cross_validate, cross_validation_cost
from privet.evaluation.diagnosis import compare_models, diagnose, permutation_importance
from privet.evaluation.figures import Figure
from privet.evaluation.holdout import evaluate, evaluation_cost
from privet.evaluation.regression import RegressionEvaluation
from privet.evaluation.result import Evaluation
from privet.evaluation.tuning import PrivateSearch

__all__ = [
    "CrossValidation",
    "Evaluation",
    "Figure",
    "PrivateSearch",
    "RegressionEvaluation",
    "compare_models",
    "cross_validate",
    "cross_validation_cost",
    "diagnose",
    "evaluate",
    "evaluation_cost",
    "metrics",
    "permutation_importance",
]
