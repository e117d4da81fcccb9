"""Base of the clusterers: they learn from a table without a target, and say where a record belongs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.estimator.whole_table import WholeTableEstimator
from privet.parameters import with_parameters
from privet.schema import Schema
from privet.stats import Rows

__all__ = ["PrivateClusterer"]


@with_parameters
class PrivateClusterer(WholeTableEstimator):
    """Base of the clusterers: subclasses write ``_fit`` and ``_clusters``."""

    family: ClassVar[str] = "cluster"

    @abstractmethod
    def _clusters(self, rows: Rows) -> NDArray[np.int64]:
        """The number of the cluster that each record belongs to."""

    @property
    def _read_schema(self) -> Schema:
        """To a clusterer, what others predict is a column like any other."""
        return replace(self.schema_, target=None)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The number of the cluster that each record belongs to."""
        parts = [np.asarray(self._clusters(rows), np.int64) for rows in self._rows(X)]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """Fit, and say of the same records where they belong: as private as these records are."""
        found: NDArray[np.int64] = self.fit(X, y).predict(X)
        return found
