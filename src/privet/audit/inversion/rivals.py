"""Those whom an inversion is compared with: an attacker without the model, and models without privacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from privet.audit.inversion.records import Group, Secret, read
from privet.audit.inversion.target import Codes, NumberTarget, Shares, Target, frame, target_of
from privet.errors import DataError, ParameterError
from privet.learning.linear import Encoder
from privet.schema import Schema

__all__ = ["Rival", "non_private_model"]


class Rival:
    """Whoever learned from other people how the attribute depends on the rest, and on the target as well."""

    def __init__(self, known: Group, secret: Secret, target: Target) -> None:
        self.secret = secret
        self.described = target.described(known.known)
        self.by_rest = self._learned(self._rest(known), known.secret)
        self.by_all = self._learned(self._all(known), known.secret)

    def right(self, people: Group) -> Shares:
        """1 for each record that this rival gets right without the model."""
        return people.hit(self.by_all(self._all(people)))

    def log_prior(self, people: Group) -> Shares:
        """log P(v | rest of the record), for an attacker who has the model too."""
        return np.log(self.by_rest(self._rest(people)))

    def _learned(self, seen: Shares, truth: Codes) -> Callable[[Shares], Shares]:
        """Probabilities of the secret's values; those that nobody had are rare, not impossible."""
        from sklearn.linear_model import LogisticRegression

        classes = np.unique(truth)
        model = LogisticRegression(max_iter=500).fit(seen, truth) if len(classes) > 1 else None

        def probabilities(records: Shares) -> Shares:
            result = np.full((len(records), self.secret.size), 1e-6)
            result[:, classes] = 1.0 if model is None else np.maximum(model.predict_proba(records), 1e-6)
            return result

        return probabilities

    def _rest(self, people: Group) -> Shares:
        rest = tuple(column for column in people.schema.columns if column.name != self.secret.name)
        if len(rest) < 2:  # nothing but the target
            return np.ones((len(people.secret), 1))
        encoder = Encoder(schema=replace(people.schema, columns=rest))
        return encoder.transform(people.table.select([column.name for column in rest]))

    def _all(self, people: Group) -> Shares:
        encoded, target = self._rest(people), self.described(people.known)
        # The target may matter differently for different records.
        return np.hstack([encoded, target, encoded * target[:, :1]])


def non_private_model(
    table: Any,
    schema: Schema,
    kind: Literal["logistic", "linear", "tree"] | None = None,
    random_state: int | None = None,
) -> Any:
    """scikit-learn's regression or full-grown tree on the same encoding. NOT private.

    The regression is ``"logistic"`` for a class as the target and ``"linear"`` for a number.

    >>> schema = Schema.of({"hours": (0.0, 10.0), "wage": (0.0, 30.0)}, target="wage")
    >>> table = pa.table({"hours": [1.0, 2.0, 3.0], "wage": [11.0, 12.0, 13.0]})
    >>> model = non_private_model(table, schema)
    >>> type(model[-1]).__name__
    'LinearRegression'
    """
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    target = target_of(schema)
    number = isinstance(target, NumberTarget)
    learners = (
        {"linear": LinearRegression(), "tree": DecisionTreeRegressor(random_state=random_state)}
        if number
        else {
            "logistic": LogisticRegression(max_iter=2000),
            "tree": DecisionTreeClassifier(random_state=random_state),
        }
    )
    kind = kind or ("linear" if number else "logistic")
    if kind not in learners:
        raise ParameterError(
            f"There is no model '{kind}' of a {target.word} to compare with.",
            f"Choose {' or '.join(learners)}.",
        )
    people = read(table, schema)
    people = people.filter(pa.array(target.there(people)))
    known = target.values(people)
    if len(np.unique(known)) < 2:
        raise DataError(
            f"All records have the same {target.word} ('{target.name}'): there is nothing to learn.",
            "Give other records.",
        )
    return make_pipeline(Encoder(schema=schema), learners[kind]).fit(frame(people, schema), known)
