"""DIAGNOSTICS: more than one number about a released model, paid for, each figure with its error bar.

``diagnose`` gives the ROC curve, calibration and lift of a classifier, or the residuals of a regression, all
from one table; ``compare_models`` says which of two models is better on the same records, for less than two
evaluations; ``permutation_importance`` says which attributes a model rests on, from tables that were released
already, and so for nothing.
"""

from privet.evaluation.diagnosis.importance import Importance, permutation_importance
from privet.evaluation.diagnosis.of_classes import ClassDiagnosis
from privet.evaluation.diagnosis.of_numbers import ResidualDiagnosis
from privet.evaluation.diagnosis.one_model import diagnose, diagnosis_cost
from privet.evaluation.diagnosis.two_models import ModelComparison, compare_models, comparison_cost

__all__ = [
    "ClassDiagnosis",
    "Importance",
    "ModelComparison",
    "ResidualDiagnosis",
    "compare_models",
    "comparison_cost",
    "diagnose",
    "diagnosis_cost",
    "permutation_importance",
]
