"""Base of the preparers: they learn constants privately, and map every record by itself with them.

**Privacy.** What is learned goes through the curator and is paid for. The map then reads one record and
constants that were released, so tables that differ in one unit of privacy still do when they are prepared:
whatever is learned from the prepared rows has the sensitivity that it always has.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from privet.curator.tables import as_source
from privet.estimator.past import Selection, remember
from privet.estimator.whole_table import WholeTableEstimator
from privet.parameters import with_parameters
from privet.schema import Column, Schema
from privet.sources.around import Around

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["PrivatePreparer"]

_SHOWN = 12


@with_parameters
class PrivatePreparer(TransformerMixin, WholeTableEstimator):
    """Base of the preparers: subclasses write ``_fit``, ``_column_after`` and, if cells change, ``_cells``.

    ``histograms_`` are the noisy counts that all else follows from, by column, with their edges if any.
    """

    family: ClassVar[str] = "prepare"
    #: Whether columns may be gone afterwards.
    may_drop: ClassVar[bool] = False

    @abstractmethod
    def _column_after(self, column: Column) -> Column:
        """What is public about an attribute afterwards."""

    def _cells(self, column: Column, cells: pa.Array) -> pa.Array:
        """The cells of an attribute as they are afterwards: each depends on itself alone."""
        return cells

    @property
    def changes_cells(self) -> bool:
        """Whether records change, or only what is public about them."""
        return type(self)._cells is not PrivatePreparer._cells

    def schema_after(self, schema: Schema) -> Schema:
        """What is public about the prepared records: as bought, with this preparer's guarantee."""
        check_is_fitted(self)
        columns = tuple(c if c.name == schema.target else self._column_after(c) for c in schema.columns)
        return replace(schema, columns=columns)

    def mapped(self, source: Any) -> Any:
        """The prepared records of a source."""
        check_is_fitted(self)
        return PreparedSource(source, self) if self.changes_cells else source

    def pictures(self) -> tuple[Chart, ...]:
        """The noisy histograms of the first columns."""
        from privet.report import Bars, Series

        charts = []
        for name, told in list(getattr(self, "histograms_", {}).items())[:_SHOWN]:
            column = self.schema_[name]
            labels = tuple(str(label) for label in told.get("labels", getattr(column, "labels", ())))
            if edges := told["edges"]:
                labels = tuple(f"{low:.4g} to {high:.4g}" for low, high in pairwise(edges))
            error = (2 * float(told["deviation"]),) * len(labels)
            series = Series("records", tuple(float(count) for count in told["counts"]), error, (0, None))
            charts.append(Bars(f"'{name}', as measured", labels, (series,), y="records"))
        return tuple(charts)

    def transform(self, X: Any) -> Any:
        """The prepared records: a frame as a frame, an array as an array.

        In this process it is remembered that they were prepared, and with which guarantee: a model that
        learns from them uses the bought schema, and its guarantee carries this one.
        """
        check_is_fitted(self)
        frame = hasattr(X, "column_names") or hasattr(X, "columns")
        names = None if frame else [c.name for c in self.schema_.attributes]
        source = self.mapped(as_source(X, names=names, schema=self.schema_))
        out: Any = pa.Table.from_batches(source.batches())
        if not hasattr(X, "column_names"):
            out = out.to_pandas()
            out = out if frame else out.to_numpy()
        remember(out, self._remembered(source.names))
        return out

    def _remembered(self, names: Sequence[str]) -> Selection:
        return Selection(tuple(names), self.guarantee_, type(self).__name__, self.schema_after(self.schema_))


class PreparedSource(Around):
    """The rows of a source, each mapped by a fitted preparer."""

    def __init__(self, source: Any, preparer: PrivatePreparer) -> None:
        super().__init__(source)
        self._preparer = preparer

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        schema = self._preparer.schema_
        for batch in self._source.batches(columns):
            arrays = [
                self._preparer._cells(schema[name], cells)
                if name in schema and name != schema.target
                else cells
                for name, cells in zip(batch.schema.names, batch.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)

    def table(self) -> Any | None:
        """Nothing: a database does not know the map."""
        return None

    def declared(self) -> Schema | None:
        return None
