"""Base of the synthesisers: they learn what a table is like, and draw made-up records that are like it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from privet import randomness
from privet.errors import ParameterError
from privet.estimator.whole_table import WholeTableEstimator
from privet.parameters import with_parameters
from privet.schema import Category

__all__ = ["PrivateSynthesiser"]


@with_parameters
class PrivateSynthesiser(WholeTableEstimator):
    """Base of the synthesisers: subclasses write ``_fit`` and ``_draw``."""

    family: ClassVar[str] = "synthesise"

    @abstractmethod
    def _draw(self, records: int, draw: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """So many made-up records: for each column its numbers, or the codes of its values.

        A NaN, or the code after the last value, stands for a missing cell.
        """

    def sample(self, records: int, random_state: Any = None) -> pa.Table:
        """A table of made-up records with the schema's columns. Drawing more of them costs no privacy."""
        check_is_fitted(self)
        if isinstance(records, bool) or not isinstance(records, int) or records < 0:
            raise ParameterError("records must be a whole number of at least 0.")
        drawn = self._draw(records, randomness.of(random_state).generator())
        arrays = {}
        for column in self.schema_.columns:
            values = np.asarray(drawn[column.name])
            if isinstance(column, Category):
                codes = pa.array(values.astype(np.int64), mask=values >= column.size)
                arrays[column.name] = pa.array(column.labels).take(codes)
            else:
                whole = column.integer and abs(column.low) < 2**53 and abs(column.high) < 2**53
                numbers = pa.array(np.rint(values) if whole else values.astype(float), from_pandas=True)
                arrays[column.name] = numbers.cast(pa.int64()) if whole else numbers
        return pa.table(arrays)
