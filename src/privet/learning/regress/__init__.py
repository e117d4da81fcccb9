"""Private regressions: they predict a number."""

from privet.learning.regress.evaluation import RegressionScore, evaluate_regression
from privet.learning.regress.linear import LinearRegression, Ridge

__all__ = ["LinearRegression", "RegressionScore", "Ridge", "evaluate_regression"]
