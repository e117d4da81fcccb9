"""Differentially private logistic regression, by the method that suits the budget."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.curator import Curator, Measurement
from privet.estimator import LedgerParameter, PrivateClassifier, SchemaParameter
from privet.learning.linear.functional import fit_functional
from privet.learning.linear.newton import MOST_STEPS, Solution, fit_newton, steps_for
from privet.learning.linear.privgene import choices_for, fit_privgene
from privet.parameters import Delta, Epsilon, Seed
from privet.schema import Category
from privet.stats import Contingency, Rows
from privet.stats.encoding import Encoding

__all__ = ["LogisticRegression"]

# What is assumed where the number of records is not declared. Only how the budget is used depends on it.
ASSUMED_RECORDS = 10_000


class LogisticRegression(PrivateClassifier):
    """Differentially private logistic regression for mixed tables and any number of classes.

    The raw table is encoded by the schema (``stats.encoding``). The whole fit is (ε, δ)-differentially
    private for the schema's unit of privacy, under either neighbour relation; with δ = 0 it is pure ε.
    ``method`` is

    * ``"newton"``: a few Newton steps on noisy gradients (``learning.linear.newton``);
    * ``"functional"``: noisy second moments and one linear solve (``learning.linear.functional``): one pass;
    * ``"privgene"``: many private choices of which weight to move (``learning.linear.privgene``): no error
      bars;
    * ``"auto"``: ``"newton"``, with as many steps as the budget carries; ``explanation_`` says which and why.

    More than two classes are learned jointly (softmax): a record's residuals over all classes have an L1
    norm of at most 2 together, so classes cost a factor of 2 and not one for each.

    ``coef_error_`` and ``intercept_error_`` are half widths of 95 % intervals for privacy noise and
    sampling. They do not cover what caution takes away: with a small budget weights are too close to 0
    rather than too far.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> age = generator.uniform(0, 100, 5000)
    >>> ill = (age + generator.normal(0, 10, 5000) > 50).astype(int)
    >>> schema = Schema.of({"age": (0.0, 100.0), "ill": [0, 1]}, target="ill")
    >>> model = LogisticRegression(epsilon=1.0, schema=schema).fit(age[:, None], ill)
    >>> model.predict([[20.0], [80.0]])
    array([0, 1])
    >>> model.guarantee_.epsilon, model.method_
    (1.0, 'newton')
    """

    def __init__(
        self,
        *,
        epsilon: Epsilon = 1.0,
        delta: Delta = 0.0,
        schema: SchemaParameter = None,
        method: Annotated[
            Literal["auto", "newton", "functional", "privgene"],
            "Newton steps on noisy gradients, noisy second moments and one solve, or private moves.",
        ] = "auto",
        steps: Annotated[
            int | None,
            Ge(0),
            Le(100_000),
            "Newton or PrivGene steps; None chooses by the budget and the declared records.",
        ] = None,
        records: Annotated[
            int | None, Ge(1), "About how many records there are, if that is public; steers, never read off."
        ] = None,
        regularisation: Annotated[float, Ge(0), Le(1e9), "Strength of the L2 penalty on the weights."] = 1.0,
        ledger: LedgerParameter = None,
        random_state: Seed = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.schema = schema
        self.method = method
        self.steps = steps
        self.records = records
        self.regularisation = regularisation
        self.ledger = ledger
        self.random_state = random_state

    def _fit(self, curator: Curator) -> None:
        target = curator.schema.nominal_target()
        encoding = Encoding.of(curator.schema)
        solution = self._solution(curator, encoding, target)
        self.classes_ = np.array(target.labels)
        self.feature_names_ = encoding.names[1:]
        self.coef_, self.intercept_ = solution.weights[:, 1:], solution.weights[:, 0]
        if solution.error is not None:
            self.coef_error_, self.intercept_error_ = solution.error[:, 1:], solution.error[:, 0]

    def _solution(self, curator: Curator, encoding: Encoding, target: Category) -> Solution:
        if target.size == 1:
            self.method_, self.explanation_ = (
                "none",
                "The domain of the class has one value: nothing to tell apart.",
            )
            what = "the number of records, which is all there is to know about one class"
            curator.measure([Measurement(Contingency(None, target.name), Fraction(1), what)])
            nothing = np.zeros((1, encoding.width))
            return Solution(nothing, nothing)
        if self.method == "functional":
            self.method_, self.explanation_ = (
                "functional",
                "Noisy second moments and one linear solve, as asked for.",
            )
            return fit_functional(curator, encoding, target, self.regularisation)
        records = self.records or ASSUMED_RECORDS
        if self.method == "privgene":
            moves = choices_for(curator, records) if self.steps is None else max(self.steps, 1)
            self.method_, self.explanation_ = (
                "privgene",
                f"{moves} private choices of a weight to move, as asked for.",
            )
            return fit_privgene(curator, encoding, target, moves)
        steps = steps_for(curator, encoding, target, records) if self.steps is None else self.steps
        self.method_, self.explanation_ = "newton", self._reason(steps, records)
        return fit_newton(curator, encoding, target, steps, self.regularisation)

    def _reason(self, steps: int, records: int) -> str:
        if self.steps is not None:
            return f"Class sums and {steps} noisy gradients, as asked for."
        origin = "as declared" if self.records else "assumed, as `records` is not declared"
        if not steps:
            return (
                f"Class sums alone: with about {records} records ({origin}) a gradient would be too "
                "noisy at this budget for a step to help."
            )
        limit = "the most that ever help" if steps == MOST_STEPS else "as many as this budget carries"
        return f"Class sums and {steps} noisy gradients, {limit} with about {records} records ({origin})."

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The margin of the second class of two, or of each of more classes."""
        parts = list(self._all_scores(X))
        scores = np.concatenate(parts) if parts else np.empty((0, len(self.classes_)))
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        weights = np.hstack([self.intercept_[:, None], self.coef_])
        margins = Encoding.of(rows.schema).margins(rows, weights)
        if len(self.classes_) == 2:
            margins = np.hstack([np.zeros_like(margins), margins])
        return margins
