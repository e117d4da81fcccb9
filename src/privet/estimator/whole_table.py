"""Estimators that take a whole table as it is: which column is an attribute and which a target is theirs."""

from __future__ import annotations

from typing import Any

from privet.budget import Ledger
from privet.curator.owner import as_read
from privet.curator.tables import as_source, infer_schema
from privet.estimator.base import PrivateEstimator
from privet.schema import Schema

__all__ = ["WholeTableEstimator"]


class WholeTableEstimator(PrivateEstimator):
    """Base of what needs no target: any table of the schema's columns will do."""

    def _table(self, X: Any, y: Any, *, ledger: Ledger | None = None) -> tuple[Any, Schema]:
        declared = self._declared()
        if y is not None:
            return super()._table(X, y, ledger=ledger)
        if declared is None:  # the opt-out from any guarantee
            source = as_source(X)
            declared = infer_schema(source, None)
            self.columns_ = declared.names
            return source, declared
        self.columns_ = declared.names
        names = None if hasattr(X, "columns") or hasattr(X, "column_names") else declared.names
        return as_source(X, names=names, schema=as_read(declared, ledger)), declared
