"""How many different values occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privet.schema import Schema
from privet.stats.assignment import Coded, Cross
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.rows import Rows

__all__ = ["Distinct"]


@dataclass(frozen=True)
class Distinct(Statistic):
    """In each cell of a cross-table, how many values of the public domain of ``column`` occur at least once.

    **Sensitivity.** This is no sum over records, so the bounds of ``stats.base`` are shown anew. One more
    record raises the number of one cell by 0 or 1. So k records, added one after the other, add a vector
    a ≥ 0 with L1 ≤ k, and L2² ≤ k². Under replace k records go (−a) and k come (+b): L1 ≤ 2k, and
    ‖b − a‖² = ‖a‖² + ‖b‖² − 2a·b ≤ 2k². These are the bounds that ``sensitivity`` derives from L1 = L2² = 1.

    >>> import pyarrow as pa
    >>> schema = Schema.of({"ward": ["a", "b", "c"]})
    >>> rows = Rows(pa.record_batch({"ward": ["a", "a", "c", None]}), schema)
    >>> wards = Distinct((), Coded("ward"))
    >>> wards.finish(wards.fold(wards.start(schema), rows), schema).tolist()
    2
    """

    coded: tuple[Coded, ...]
    counted: Coded

    unit = "values"

    @property
    def columns(self) -> tuple[str, ...]:
        return Cross((*self.coded, self.counted)).columns

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(Cross((*self.coded, self.counted)).parts(schema), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        state[Cross((*self.coded, self.counted))(rows)] = 1
        return state

    def merge(self, one: Answer, other: Answer) -> Answer:
        return np.maximum(one, other)

    def finish(self, state: Answer, schema: Schema) -> Answer:
        shape = tuple(each.size(schema) for each in (*self.coded, self.counted))
        return np.asarray(state.reshape(shape)[..., :-1].sum(axis=-1))
