"""Tables that come in parts: perturbed part by part where that is possible, and otherwise as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from privet.perturbation.parts import whole_table

__all__ = ["AllAtOnce"]


class AllAtOnce:
    """A perturbation that needs the whole table before it can give out a record."""

    def in_parts(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The table that these parts make up, perturbed; there is at least one record."""
        table = self.fit_transform(whole_table(batches))  # type: ignore[attr-defined]
        return iter(table.to_batches())
