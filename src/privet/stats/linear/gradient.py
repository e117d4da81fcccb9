"""The gradient of the logistic loss at public weights, in fixed point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError, ParameterError
from privet.schema import Category, Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.kernels import FIXED
from privet.stats.last import Last
from privet.stats.linear.encoding import Encoding, fixed_point
from privet.stats.linear.gradient_kernels import add_gradient
from privet.stats.linear.gradient_search import Followed
from privet.stats.rows import Rows

__all__ = ["Gradient", "probabilities"]

Weights = NDArray[np.float64]

# What was coded for rows that are still in use: a search asks for the gradient at thousands of weights.
_coded_rows: Last[tuple[NDArray[np.int32], NDArray[np.int32]]] = Last()
# Where a search is that moves one weight at a time, for the rows that it asks of.
_followed: Last[dict[tuple[str, int], Followed]] = Last()

LARGEST_WEIGHT = 1e100


@dataclass(frozen=True, eq=False)
class Gradient(Statistic):
    """Σ (P(class | x) − [the record is of that class])·x over the records, at weights already released.

    ``weights`` has one row for each class, or one row (for the second class) if there are two; its columns
    are those of the ``Encoding``. The answer has a row for each row of weights. Its cells are, attribute by
    attribute, one for each value of a category *and one for missing values*, one for a number, and one for
    the intercept only where there is no category: with one, the sum of its cells is the intercept's entry
    already. Records without a class are not counted.

    In fixed point, S = 2^20: a probability p becomes ⌊S·p⌋, so the residual is q_k = ⌊S·p_k⌋ − S·[class is
    k], and z becomes the nearest multiple t/S, so the entry of a number is ⌊q_k·t/S⌋.

    **Sensitivity.** Let m be the number of attributes (plus 1 for an intercept of its own). Two classes:
    |q| ≤ S. A record adds q to one cell of each category, and for a number ⌊q·t/S⌋, where |t| ≤ S: |q·t/S|
    ≤ |q|, and q is whole, so rounding down cannot pass it either. So at most m cells change by at most S
    each: L1 = m·S, L2² = m·S². More classes: as floors never round up, Σ_k ⌊S·p_k⌋ ≤ S, so with y the
    record's class both Σ_{k≠y} |q_k| and |q_y| are at most S. The residual has L1 ≤ 2S and L2² ≤ 2S² (the
    squares of non-negative terms add up to at most the square of their sum). Times m: L1 = 2m·S, L2² =
    2m·S². In either case no single entry changes by more than S. The number of classes does not enter.
    """

    weights: Weights
    target: str
    encoding: Encoding
    #: Whether a search moves one weight at a time, so that each record's residual is worth remembering.
    following: bool = False

    nonnegative = False
    scale = FIXED

    def __post_init__(self) -> None:
        # The bounds hold for every margin that is a number; a sum of weights beyond might be none.
        if not (np.abs(self.weights) <= LARGEST_WEIGHT).all():
            raise ParameterError("The weights of a gradient must be finite numbers.")

    @property
    def columns(self) -> tuple[str, ...]:
        return (*(column.name for column in self.encoding.columns), self.target)

    @property
    def _residuals(self) -> int:
        return 1 if len(self.weights) == 1 else 2

    @property
    def _own_intercept(self) -> bool:
        return not any(block.nominal for block in self.encoding.blocks)

    def norms(self, schema: Schema) -> Sensitivity:
        touched = self._residuals * (len(self.encoding.blocks) + self._own_intercept)
        return Sensitivity(touched * self.scale, touched * self.scale**2)

    def start(self, schema: Schema) -> Answer:
        return np.zeros((len(self.weights), self.encoding.cells[-1].stop + self._own_intercept), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        classes = rows.schema[self.target]
        if not isinstance(classes, Category):
            raise DataError(f"Column '{self.target}' must be a category to be predicted as one.")
        coded = self._coded(rows)
        actual = rows.codes(self.target)
        if not self.following:
            add_gradient(*coded, self._places, actual, classes.size, self._intercept, self._by_cell, state)
            return state
        searches = _followed.get(rows, self.encoding, dict)
        search = (self.target, len(self.weights))
        if search not in searches:
            searches[search] = Followed(*coded, self._places, actual, classes.size, state)
        state += searches[search].at(self._intercept, self._by_cell)
        return state

    @cached_property
    def _by_cell(self) -> Weights:
        """The weights in the answer's layout; a missing value's cell has weight 0."""
        weights = np.zeros((len(self.weights), self.encoding.cells[-1].stop))
        weights[:, self.encoding.cell_of] = self.weights[:, 1:]
        return weights

    @cached_property
    def _intercept(self) -> Weights:
        return np.ascontiguousarray(self.weights[:, 0])

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where the numbers' cells are."""
        pairs = zip(self.encoding.cells, self.encoding.blocks, strict=True)
        return np.array([place.start for place, block in pairs if not block.nominal], np.int64)

    def _coded(self, rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Each record's cells and its numbers in fixed point, kept as long as the rows."""
        return _coded_rows.get(rows, self.encoding, lambda: self._encoded(rows))

    def _encoded(self, rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        parts = list(zip(self.encoding.cells, self.encoding.parts(rows), strict=True))
        nominal = [p.start + v.astype(np.int32) for p, (b, v) in parts if b.nominal]
        numeric = [fixed_point(v, self.scale).astype(np.int32) for _, (b, v) in parts if not b.nominal]
        cells, numbers = (
            np.ascontiguousarray(np.stack(columns, axis=1)) if columns else np.zeros((rows.size, 0), np.int32)
            for columns in (nominal, numeric)
        )
        return cells, numbers

    def coordinates(self, cells: Answer) -> Answer:
        """The exact cells in the weights' coordinates; the first category's give the intercept."""
        gradient = np.zeros(self.weights.shape, np.int64)
        gradient[:, 1:] = cells[:, self.encoding.cell_of]
        places = zip(self.encoding.cells, self.encoding.blocks, strict=True)
        nominal = next((place for place, block in places if block.nominal), None)
        gradient[:, 0] = cells[:, -1] if nominal is None else cells[:, nominal].sum(axis=1)
        return gradient

    def unpack(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """The (noisy) cells as a gradient in the coordinates of the weights.

        The intercept's entry is the mean of what the categories' cells say, the more certain for fewer cells.
        """
        gradient = np.zeros_like(self.weights)
        sums, precision = np.zeros(len(self.weights)), 0.0
        for place, block in zip(self.encoding.cells, self.encoding.blocks, strict=True):
            gradient[:, block.place] = cells[:, place][:, : block.width]
            if block.nominal:
                sums += cells[:, place].sum(axis=1) / (block.width + 1)
                precision += 1 / (block.width + 1)
        gradient[:, 0] = cells[:, -1] if self._own_intercept else sums / precision
        return gradient


def probabilities(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Class probabilities: softmax, with 0 for the first class where there is one margin for two classes."""
    if margins.shape[1] == 1:
        margins = np.hstack([np.zeros_like(margins), margins])
    shifted = np.exp(margins - margins.max(axis=1, keepdims=True))
    normalised: NDArray[np.float64] = shifted / shifted.sum(axis=1, keepdims=True)
    return normalised
