"""A classifier for somebody who knows none: which one learns is chosen from what is public, for nothing.

``learner="auto"`` looks at how much noise the records have to outweigh: ε times their declared number (or
``ASSUMED_RECORDS``). One rule needs least, a list of rules more, and an additive model with pairs is best
from there on (``docs/how-to/choose-an-algorithm.md`` has the figures, on tables that played no part in
choosing the limits). No record is read for it, so the choice costs nothing, and a plan names it.

Where that is not good enough, the choice can be made on the data and paid for: ``PrivateSearch`` over
``learner`` (the grid of ``--tune``).

**Privacy.** The choice depends on the parameters and the schema alone. What was chosen asks the curator for
everything, with its own proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from privet.budget import Approximate, Pure
from privet.curator import Curator
from privet.errors import SchemaError
from privet.estimator import PrivateClassifier
from privet.learning.classify.additive_model import AdditiveModel
from privet.learning.classify.decision_tree import DecisionTree
from privet.learning.classify.logistic_regression import LogisticRegression
from privet.learning.classify.naive_bayes import NaiveBayes
from privet.learning.classify.one_r import OneR
from privet.learning.classify.rule_growing import RuleMiner
from privet.parameters import parameters_of, with_parameters
from privet.schema import Category, Schema
from privet.stats import Rows

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["AutoClassifier"]

LEARNERS: dict[str, type[PrivateClassifier]] = {
    "additive-model": AdditiveModel,
    "decision-tree": DecisionTree,
    "logistic-regression": LogisticRegression,
    "naive-bayes": NaiveBayes,
    "one-r": OneR,
    "rules": RuleMiner,
}

ASSUMED_RECORDS = 5000
# ε times the records, from which on a learner does better than the one before (benchmarks/auto_choice.py).
RULES_FROM, ADDITIVE_FROM = 100, 1500


@with_parameters
class AutoClassifier(PrivateClassifier):
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

    #: What ``privet fit auto --tune`` tries: every learner, privately compared on records kept apart.
    tuning_grid: ClassVar[dict[str, list[str]]] = {"learner": list(LEARNERS)}

    learner: Annotated[
        Literal[
            "auto", "additive-model", "decision-tree", "logistic-regression", "naive-bayes", "one-r", "rules"
        ],
        "Which classifier learns; auto chooses by the schema, the budget and the declared records.",
    ] = "auto"
    records: Annotated[
        int | None,
        Ge(1),
        "About how many records there are, if that is public: tunes the run; never read off the table.",
    ] = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # what is chosen for few records is simple
        return tags

    def _choice(self) -> tuple[str, str]:
        """The learner, and why: from what is public."""
        if self.learner != "auto":
            return self.learner, "as asked for"
        records = self.records or ASSUMED_RECORDS
        known = records * float(self.epsilon)
        so_many = (
            f"about {records:,} records ({'declared' if self.records else 'assumed: declare them'})"
            f" at an epsilon of {float(self.epsilon):g}"
        )
        if known < RULES_FROM:
            return "one-r", f"because {so_many} tell little beyond noise, and one rule needs least"
        if known < ADDITIVE_FROM:
            return "rules", f"because {so_many} carry a few rules, and not yet many terms"
        return "additive-model", f"because {so_many} carry many terms and pairs of attributes"

    def _made(self) -> PrivateClassifier:
        """The chosen learner, not fitted, with what it takes of this one's parameters."""
        kind = LEARNERS[self._choice()[0]]
        taken = {parameter.name for parameter in parameters_of(kind)}
        given = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "schema": self.schema,
            "records": self.records,
        }
        return kind(**{name: value for name, value in given.items() if name in taken})

    def _amount(self) -> Pure | Approximate:
        return self._made()._amount()

    def _fit(self, curator: Curator) -> None:
        _require_classes(curator.schema)
        inner = self._made()
        inner._fit(curator)
        self.learner_, why = self._choice()
        self.classes_ = inner.classes_
        self.learned_ = {name: value for name, value in vars(inner).items() if name.endswith("_")}
        told = getattr(inner, "explanation_", "")
        self.explanation_ = " ".join(filter(None, (f"{self.learner_} was chosen, {why}.", told)))

    def _foreseen(self) -> str:
        learner, why = self._choice()
        return " ".join(filter(None, (f"{learner} will learn, {why}.", self.best_estimator_._foreseen())))

    @property
    def best_estimator_(self) -> PrivateClassifier:
        """The fitted model that was chosen, with the guarantee of this fit."""
        model = LEARNERS[self.learner_](epsilon=self.epsilon, delta=self.delta, schema=self.schema)
        of_the_table = ("schema_", "guarantee_", "columns_", "n_features_in_", "feature_names_in_")
        known = {name: getattr(self, name) for name in of_the_table if hasattr(self, name)}
        for name, value in {**known, **self.learned_}.items():
            setattr(model, name, value)
        return model

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        return self.best_estimator_._log_scores(rows)

    def in_words(self) -> str:
        """What was chosen, and what it has learned, for a reader."""
        chosen = "" if self.learner != "auto" else f"It chose: {self.learner_.replace('-', ' ')}.\n"
        return chosen + self.best_estimator_.in_words()

    def pictures(self) -> tuple[Chart, ...]:
        """What the chosen learner has learned, as charts."""
        return self.best_estimator_.pictures()


def _require_classes(schema: Schema) -> None:
    """Where the target is a number there is no choice to make."""
    if schema.target is not None and not isinstance(schema[schema.target], Category):
        raise SchemaError(
            f"The target '{schema.target}' is a number, and auto chooses among classifiers.",
            "Take additive-regressor: it was the best regression on every table tried.",
        )
    schema.nominal_target()
