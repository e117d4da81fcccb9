"""``score`` of scikit-learn, for estimators that may have a ledger.

An exact score is an answer about the records like any other, and nobody pays for it: with a ledger, it is
refused. The refusal comes when the method is *looked up*, as ``cross_val_score`` and ``GridSearchCV`` do
before they fit anything: so it also comes before anything is spent.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

from privet.errors import ParameterError

__all__ = ["PaidScore"]


class PaidScore:
    """An exact score, for models without a ledger only."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, model: Any, kind: type | None = None) -> Any:
        if model is None:
            return self._function
        if getattr(model, "ledger", None) is not None:
            raise ParameterError(
                f"{type(model).__name__}.score is exact, and the model's ledger would not be paid for it.",
                "Use privet.evaluate(model, X, y, epsilon=…) for a fitted model, privet.cross_validate("
                "estimator, X, y, epsilon=…) instead of cross_val_score, and PrivateSearch instead of "
                "GridSearchCV. For records that are public: evaluate(…, public=True).",
            )
        return MethodType(self._function, model)
