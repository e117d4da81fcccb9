"""The schema's encoding as a scikit-learn transformer: it learns nothing from the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from privet.errors import SchemaError
from privet.estimator.tables import rows_of
from privet.parameters import with_parameters
from privet.schema import Schema, read_schema
from privet.stats.linear.encoding import Encoding

__all__ = ["Encoder"]


@with_parameters
class Encoder(TransformerMixin, BaseEstimator):
    """Turns raw tables into numbers by the schema alone; ``fit`` reads no data and costs no privacy.

    It is stateless, as scikit-learn says it (the tag ``requires_fit`` is False): ``transform`` works without
    ``fit``, and changes nothing.

    Categories become one-hot blocks by their public domain, numbers are clamped to their public bounds and
    scaled to [−1, 1], and a missing value (or one outside a domain without ``other``) gives zeros. The
    target is left out. Every encoded record has an L1 norm of at most the number of attributes (plus the
    intercept).

    >>> schema = Schema.of({"age": (0, 100), "smoker": ["no", "yes"], "ill": [0, 1]}, target="ill")
    >>> encoder = Encoder(schema=schema).fit()
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'smoker=no', 'smoker=yes']
    >>> import pyarrow as pa
    >>> encoder.transform(pa.table({"age": [50, 130], "smoker": ["yes", "no"]})).tolist()
    [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    intercept: bool = False
    schema: Schema | str | Path | None = None

    def fit(self, X: Any = None, y: Any = None) -> Encoder:
        """Settle the layout. The arguments are there for pipelines and are not looked at."""
        self.schema_ = self._declared()
        self.encoding_ = Encoding.of(self.schema_)
        names = [column.name for column in self.schema_.attributes]
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The encoded records. They are as private as the table itself: nothing was protected."""
        schema = getattr(self, "schema_", None) or self._declared()
        encoding = Encoding.of(schema)
        parts = [encoding.encode(rows) for rows in rows_of(X, schema)]
        encoded = np.concatenate(parts) if parts else np.empty((0, encoding.width))
        return encoded if self.intercept else encoded[:, 1:]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the coordinates."""
        names = Encoding.of(self._declared()).names
        return np.array(names if self.intercept else names[1:], dtype=object)

    def _declared(self) -> Schema:
        if isinstance(self.schema, Schema):
            return self.schema
        if isinstance(self.schema, str | Path):
            return read_schema(self.schema)
        raise SchemaError("An encoder needs a schema: it reads nothing off the data.", "Give schema=…")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False  # all that fit settles follows from the schema
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
