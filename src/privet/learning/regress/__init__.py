"""Private regressions: they predict a number."""

from privet.learning.regress.linear import LinearRegression, Ridge

__all__ = ["LinearRegression", "Ridge"]
