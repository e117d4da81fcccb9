"""A regression for somebody who knows none: which one learns is chosen from what is public, for nothing.

``learner="auto"`` takes the additive model: on the tables tried it lost hardly anything against the linear
ones at any ε and size, and falls back to the mean by itself where noise rules
(``docs/how-to/choose-an-algorithm.md`` has the figures). Where straight lines may be enough, a forecast or a
private search over ``learner`` can find a linear one better. What the choice costs, and why it is private:
``learning.choosing``.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from privet.estimator import PrivateRegressor, numeric_target
from privet.learning.choosing import Choosing
from privet.learning.regress.additive import AdditiveRegressor
from privet.learning.regress.linear import LinearRegression, Ridge
from privet.parameters import with_parameters
from privet.schema import Schema
from privet.stats import Rows

__all__ = ["AutoRegressor"]

LEARNERS: dict[str, type[PrivateRegressor]] = {
    "additive-regressor": AdditiveRegressor,
    "linear-regression": LinearRegression,
    "ridge": Ridge,
}


@with_parameters
class AutoRegressor(Choosing, PrivateRegressor):
    """The regression that is likely best for this schema, budget and number of records.

    ``best_estimator_`` is the fitted model that was chosen, an ordinary one, and ``learner_`` its name.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> hours = np.arange(20_000)[:, None] % 11
    >>> schema = Schema.of({"hours": (0.0, 10.0), "wage": (0.0, 30.0)}, target="wage")
    >>> model = AutoRegressor(epsilon=1.0, schema=schema, records=20_000).fit(hours, 5 + 2 * hours[:, 0])
    >>> model.learner_, bool(abs(model.predict([[5.0]])[0] - 15) < 2)
    ('additive-regressor', True)
    """

    learners: ClassVar[dict[str, type[Any]]] = LEARNERS
    #: What ``--tune`` tries: every learner, privately compared on records kept apart.
    tuning_grid: ClassVar[dict[str, list[str]]] = {"learner": list(LEARNERS)}

    learner: Annotated[
        Literal["auto", "additive-regressor", "linear-regression", "ridge"],
        "Which regression learns; auto chooses by the schema, the budget and the declared records.",
    ] = "auto"

    def _suited(self, known: float) -> tuple[str, str]:
        return "additive-regressor", "carry as many terms as noise allows, down to the mean alone"

    def _require(self, schema: Schema) -> None:
        numeric_target(schema)

    def _predictions(self, rows: Rows) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.best_estimator_._predictions(rows)
        return found
