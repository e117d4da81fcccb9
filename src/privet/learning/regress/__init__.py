"""Private regressions: they predict a number."""

from privet.learning.regress.additive import AdditiveRegressor
from privet.learning.regress.auto import AutoRegressor
from privet.learning.regress.linear import LinearRegression, Ridge

__all__ = ["AdditiveRegressor", "AutoRegressor", "LinearRegression", "Ridge"]
