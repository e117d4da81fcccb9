"""All attributes but those that tell nothing about the class."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.errors import DataError
from privet.estimator import PrivateSelector
from privet.parameters import with_parameters
from privet.schema.bins import public_cuts
from privet.stats import Contingency

__all__ = ["Informative"]


@with_parameters
class Informative(PrivateSelector):
    """Drop the attributes whose noisy table with the class is no more than what noise and chance would make.

    An attribute's value is the sum, over the cells of its table, of the squared difference between the noisy
    count and the one expected if the attribute told nothing. Without any connection it is about the number of
    cells times the variance of noise and chance; what is ``times`` as large stays. At least one attribute
    stays, the one of the largest quotient.

    **Privacy.** Each attribute gets one table of sensitivity 1 (``stats.Contingency``), for an equal share;
    which attributes stay follows from noisy counts.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> draw = np.random.default_rng(0)
    >>> ill = draw.integers(0, 2, 5000)
    >>> X = np.column_stack([draw.integers(0, 3, 5000), (ill + (draw.random(5000) < 0.2)) % 2])
    >>> schema = Schema.of({"noise": [0, 1, 2], "cough": [0, 1], "ill": [0, 1]}, target="ill")
    >>> Informative(epsilon=1.0, schema=schema, random_state=0).fit(X, ill).chosen_  # seeded: for this page
    ['cough']
    """

    times: Annotated[
        float,
        Gt(0),
        Le(1000),
        "How many times what noise and chance make an attribute must score to be kept.",
    ] = 3.0
    bins: Annotated[int, Ge(2), Le(100), "How many bins a number gets that has no declared cuts."] = 8

    def _fit(self, curator: Curator) -> None:
        schema = curator.schema
        target = schema.nominal_target()
        columns = schema.attributes
        if not columns:
            raise DataError("There is no attribute to choose from.", "Declare one besides the target.")
        tables = [Contingency(c.name, target.name, public_cuts(c, self.bins)) for c in columns]
        share = Fraction(1, len(tables))
        asked = [
            (Measure(t, f"'{c.name}' within each class"), share) for t, c in zip(tables, columns, strict=True)
        ]
        releases = curator.ask_together(asked)
        values = np.array([_quotient(r.value, float(r.standard_deviation)) for r in releases])
        self.quotients_ = {c.name: float(value) for c, value in zip(columns, values, strict=True)}
        stay = np.flatnonzero(values > self.times)
        self._keep(schema, stay if len(stay) else [int(values.argmax())])


def _quotient(counts: NDArray[Any], deviation: float) -> float:
    """How many times what noise and chance would make the differences from independence are."""
    counts = np.asarray(counts, np.float64)
    whole = max(float(counts.sum()), 1.0)
    expected = np.maximum(np.outer(counts.sum(axis=1), counts.sum(axis=0)) / whole, 0.0)
    chance = expected + deviation**2  # a count's own variance, and that of its noise
    return float(((counts - expected) ** 2).sum() / chance.sum())
