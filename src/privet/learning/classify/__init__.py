"""Private classifiers."""

from privet.learning.classify.naive_bayes import NaiveBayes

__all__ = ["NaiveBayes"]
