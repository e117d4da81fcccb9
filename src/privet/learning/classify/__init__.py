"""Private classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.lazy import lazy

if TYPE_CHECKING:
    from privet.learning.classify.additive_model import AdditiveModel
    from privet.learning.classify.auto import AutoClassifier
    from privet.learning.classify.decision_tree import DecisionTree
    from privet.learning.classify.logistic_regression import LogisticRegression
    from privet.learning.classify.naive_bayes import NaiveBayes
    from privet.learning.classify.one_r import OneR
    from privet.learning.classify.rule_growing import RuleMiner

__all__ = [
    "AdditiveModel",
    "AutoClassifier",
    "DecisionTree",
    "LogisticRegression",
    "NaiveBayes",
    "OneR",
    "RuleMiner",
]

_HOMES = {
    "AdditiveModel": "privet.learning.classify.additive_model",
    "AutoClassifier": "privet.learning.classify.auto",
    "DecisionTree": "privet.learning.classify.decision_tree",
    "LogisticRegression": "privet.learning.classify.logistic_regression",
    "NaiveBayes": "privet.learning.classify.naive_bayes",
    "OneR": "privet.learning.classify.one_r",
    "RuleMiner": "privet.learning.classify.rule_growing",
}
__getattr__ = lazy(__name__, _HOMES)
