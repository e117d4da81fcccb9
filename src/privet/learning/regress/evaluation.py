"""R² and errors of a released regression on private records: measured with noise, and paid for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet import randomness
from privet.budget import Ledger, budget
from privet.curator import Curator, Measurement, as_source
from privet.learning.regress.base import PrivateRegressor, numeric_target
from privet.release import Guarantee
from privet.stats.regression_errors import RegressionErrors

__all__ = ["RegressionScore", "evaluate_regression"]


@dataclass(frozen=True)
class RegressionScore:
    """How well a regression predicts, in the target's own unit, and what saying so cost.

    ``r2_error`` is the half width of a 95 % interval for R²; it covers the noise only.
    """

    r2: float
    r2_error: float
    root_mean_squared_error: float
    mean_absolute_error: float
    records: float
    guarantee: Guarantee


def evaluate_regression(
    model: PrivateRegressor,
    data: Any,
    *,
    epsilon: float = 1.0,
    delta: float = 0.0,
    ledger: Ledger | None = None,
    random_state: Any = None,
) -> RegressionScore:
    """R² and errors on a table that holds the target, with differential privacy for its people.

    One measurement of five sums takes the whole budget (proof: ``stats.regression_errors``).

    >>> import numpy as np, pyarrow as pa
    >>> from privet.learning.regress import Ridge
    >>> from privet.schema import Schema
    >>> x = np.random.default_rng(0).uniform(-1, 1, 20_000)
    >>> schema = Schema.of({"x": (-1.0, 1.0), "y": (-2.0, 2.0)}, target="y")
    >>> model = Ridge(schema=schema).fit(x[:, None], 2 * x)
    >>> score = evaluate_regression(model, pa.table({"x": x, "y": 2 * x}), epsilon=1.0)
    >>> score.r2 > 0.95, score.guarantee.epsilon
    (True, 1.0)
    """
    schema = model.schema_
    target = numeric_target(schema)
    attributes = tuple(column.name for column in schema.attributes)
    question = RegressionErrors(model._predictions, target.name, attributes)
    curator = Curator(
        as_source(data, schema=schema),
        schema,
        budget(float(epsilon), float(delta)),
        ledger=ledger,
        randomness=randomness.of(random_state),
        what=f"evaluate {type(model).__name__}",
    )
    with curator:
        what = f"errors of the predicted '{target.name}'"
        [release] = curator.measure([Measurement(question, Fraction(1), what)])
    number, first, square, squared_error, absolute = release.value
    size = max(float(number), 1.0)
    mean = float(np.clip(first / size, -1, 1))
    # Variance and errors in units of the squared half range and the half range, within what is possible.
    variance = float(np.clip(square / size + 0.5 - mean**2, 1e-6, 1.0))
    mse = float(np.clip(4 * (squared_error / size + 0.5), 0, 4))
    mae = float(np.clip(2 * (absolute / size + 0.5), 0, 2))
    noise = release.error / size
    r2 = 1 - mse / variance
    return RegressionScore(
        r2=r2,
        r2_error=float(noise * (4 + (mse / variance) * (1 + 2 * abs(mean))) / variance),
        root_mean_squared_error=mse**0.5 * target.half_range,
        mean_absolute_error=mae * target.half_range,
        records=size,
        guarantee=curator.guarantee,
    )
