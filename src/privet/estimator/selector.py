"""What private selectors share: scikit-learn's contract for a choice of columns by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from privet.estimator.base import PrivateEstimator
from privet.estimator.past import Selection, remember
from privet.schema import Schema

__all__ = ["PrivateSelector"]


class PrivateSelector(SelectorMixin, PrivateEstimator):
    """Base of the selectors: subclasses write ``_fit``, which ends in ``_keep``."""

    family: ClassVar[str] = "select"
    chosen_: list[str]
    support_: NDArray[np.bool_]

    def transform(self, X: Any) -> Any:
        """The chosen columns.

        In this process it is remembered that they were chosen, and with which guarantee: the schema of a
        model that learns from them follows, and its guarantee carries this one.
        """
        check_is_fitted(self)
        held = getattr(X, "column_names", getattr(X, "columns", ()))
        if set(self.columns_) < set(held):  # a whole table, which holds the target too
            X = X.select(list(self.columns_)) if hasattr(X, "select") else X[list(self.columns_)]
        out = super().transform(X)
        names = tuple(name for name in self.columns_ if name in self.chosen_)
        remember(out, Selection(names, self.guarantee_, type(self).__name__))
        return out

    def _keep(self, schema: Schema, places: Sequence[int] | NDArray[np.int64]) -> None:
        """Remember the choice, given as places among the schema's attributes."""
        names = [column.name for column in schema.attributes]
        self.chosen_ = [names[place] for place in places]
        # A data frame may have the columns in another order than the schema.
        columns = getattr(self, "columns_", tuple(names))
        self.support_ = np.array([name in self.chosen_ for name in columns])

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(self.support_, bool)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True  # a table that holds it counts
        return tags
