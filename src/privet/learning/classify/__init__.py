"""Private classifiers."""

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
