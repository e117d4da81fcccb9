"""What private selectors share: scikit-learn's contract for a choice of columns by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from privet.estimator.base import PrivateEstimator
from privet.schema import Schema

__all__ = ["PrivateSelector"]


class PrivateSelector(SelectorMixin, PrivateEstimator):
    """Base of the selectors: subclasses write ``_fit``, which ends in ``_keep``."""

    family: ClassVar[str] = "select"
    chosen_: list[str]
    support_: NDArray[np.bool_]

    def transform(self, X: Any) -> Any:
        """The chosen columns. A data frame remembers that it was cut, and a model's schema follows."""
        check_is_fitted(self)
        names = getattr(X, "column_names", getattr(X, "columns", ()))
        if set(self.columns_) < set(names):  # a whole table, which holds the target too
            X = X.select(list(self.columns_)) if hasattr(X, "select") else X[list(self.columns_)]
        out = super().transform(X)
        if hasattr(out, "attrs"):
            out.attrs["privet_selected"] = [n for n in self.columns_ if n in self.chosen_]
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
