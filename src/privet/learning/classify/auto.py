"""A classifier for somebody who knows none: which one learns is chosen from what is public, for nothing.

``learner="auto"`` looks at how much noise the records have to outweigh: ε times their declared number (or
``ASSUMED_RECORDS``). One rule needs least, a list of rules more, and an additive model with pairs is best
from there on (``docs/how-to/choose-an-algorithm.md`` has the figures, on tables that played no part in
choosing the limits). What that costs, and why it is private: ``learning.choosing``.

Where that is not good enough, the choice can be made on the data and paid for: ``PrivateSearch`` over
``learner`` (the grid of ``--tune``).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator
from privet.errors import SchemaError
from privet.estimator import PrivateClassifier
from privet.learning.choosing import Choosing
from privet.learning.classify.additive_model import AdditiveModel
from privet.learning.classify.decision_tree import DecisionTree
from privet.learning.classify.logistic_regression import LogisticRegression
from privet.learning.classify.naive_bayes import NaiveBayes
from privet.learning.classify.one_r import OneR
from privet.learning.classify.rule_growing import RuleMiner
from privet.parameters import with_parameters
from privet.schema import Category, Schema
from privet.stats import Rows

__all__ = ["AutoClassifier"]

LEARNERS: dict[str, type[PrivateClassifier]] = {
    "additive-model": AdditiveModel,
    "decision-tree": DecisionTree,
    "logistic-regression": LogisticRegression,
    "naive-bayes": NaiveBayes,
    "one-r": OneR,
    "rules": RuleMiner,
}

# ε times the records, from which on a learner does better than the one before (benchmarks/auto_choice.py).
RULES_FROM, ADDITIVE_FROM = 300, 1500


@with_parameters
class AutoClassifier(Choosing, PrivateClassifier):
    """The classifier that is likely best for this schema, budget and number of records.

    ``best_estimator_`` is the fitted model that was chosen, an ordinary one, and ``learner_`` its name.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> X = np.arange(5000)[:, None] % 100
    >>> schema = Schema.of({"age": (0, 120), "old": ["no", "yes"]}, target="old")
    >>> model = AutoClassifier(epsilon=1.0, schema=schema, records=5000)
    >>> model = model.fit(X, np.where(X[:, 0] < 60, "no", "yes"))
    >>> model.learner_, model.predict([[30], [90]]).tolist()
    ('additive-model', ['no', 'yes'])
    """

    learners: ClassVar[dict[str, type[Any]]] = LEARNERS
    #: What ``privet fit auto --tune`` tries: every learner, privately compared on records kept apart.
    tuning_grid: ClassVar[dict[str, list[str]]] = {"learner": list(LEARNERS)}

    learner: Annotated[
        Literal[
            "auto", "additive-model", "decision-tree", "logistic-regression", "naive-bayes", "one-r", "rules"
        ],
        "Which classifier learns; auto chooses by the schema, the budget and the declared records.",
    ] = "auto"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # what is chosen for few records is simple
        return tags

    def _suited(self, known: float) -> tuple[str, str]:
        if known < RULES_FROM:
            return "one-r", "tell little beyond noise, and one rule needs least"
        if known < ADDITIVE_FROM:
            return "rules", "carry a few rules, and not yet many terms"
        return "additive-model", "carry many terms and pairs of attributes"

    def _require(self, schema: Schema) -> None:
        if schema.target is not None and not isinstance(schema[schema.target], Category):
            raise SchemaError(
                f"The target '{schema.target}' is a number, and this auto chooses among classifiers.",
                "Take auto-regressor.",
            )
        schema.nominal_target()

    def _fit(self, curator: Curator) -> None:
        super()._fit(curator)
        self.classes_ = self.learned_["classes_"]

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.best_estimator_._log_scores(rows)
        return found
