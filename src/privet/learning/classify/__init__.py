"""Private classifiers."""

from privet.learning.classify.naive_bayes import NaiveBayes
from privet.learning.classify.one_r import OneR

__all__ = ["NaiveBayes", "OneR"]
