"""Randomised response: each record's categories are randomised by themselves, and that is real local privacy.

With m chosen columns each gets ε/m; what one record says in all of them together is ε-private, because the
columns are randomised independently and their losses add up (proof of one:
``mechanisms.randomised_response``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from privet import randomness
from privet.budget.amounts import Pure, exact
from privet.errors import DataError, ParameterError, SchemaError
from privet.mechanisms import RandomisedResponse
from privet.parameters import Seed, validate, with_parameters
from privet.perturbation.base import LocalEpsilon, SchemaParameter
from privet.perturbation.in_parts import AllAtOnce
from privet.perturbation.nominal.tables import column_values, with_texts
from privet.perturbation.promise import local_guarantee, require_promised, row_labels
from privet.perturbation.river_step import RiverStep
from privet.perturbation.tables import column_names
from privet.release import Step
from privet.schema import Category, Schema, read_schema

__all__ = ["RandomisedColumns"]


@with_parameters
class RandomisedColumns(AllAtOnce, RiverStep, TransformerMixin, BaseEstimator):
    """Randomises categories, record by record. Local ε for the chosen columns together.

    >>> import pandas as pd
    >>> schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]})
    >>> table = pd.DataFrame({"smoker": ["no"] * 700 + ["yes"] * 300, "ill": ["no", "yes"] * 500})
    >>> model = RandomisedColumns(schema=schema, epsilon=4.0).fit(table)
    >>> released = model.transform(table)
    >>> model.guarantee_.epsilon, model.guarantee_.holds
    (4.0, True)
    >>> bool(abs(model.estimate_counts("smoker", released)["yes"] - 300) < 100)
    True
    """

    columns: Annotated[Any, "Names of the categories to randomise; None for all, the target included."] = None
    schema: SchemaParameter = None
    epsilon: LocalEpsilon = 1.0
    random_state: Seed = None

    def fit(self, X: Any, y: Any = None) -> RandomisedColumns:
        """Settle the columns and what each may spend; nothing is learned from X."""
        del y
        validate(self)
        return self.begin((*column_names(X, self._declared()), *row_labels(X)))

    def _declared(self) -> Schema:
        if self.schema is None:
            raise SchemaError(
                "Randomised response needs the public domains of the columns.", "Give a schema."
            )
        schema = self.schema if isinstance(self.schema, Schema) else read_schema(self.schema)
        schema.require_confirmed()  # a domain that was read off the data gives people away by itself
        return schema

    def begin(self, names: Sequence[str]) -> RandomisedColumns:
        """The same for a stream whose records have these columns."""
        validate(self)
        schema = self._declared()
        nominal = [c.name for c in schema.columns if isinstance(c, Category) and c.name in names]
        chosen = nominal if self.columns is None else list(self.columns)
        for name in chosen:
            if name not in nominal:
                raise SchemaError(
                    f"'{name}' is not a category of the schema and the table.", "Choose among the categories."
                )
        chosen = [name for name in chosen if _category(schema, name).size > 1]
        if not chosen:
            raise ParameterError("There is no category to randomise.", "Name one with at least two values.")
        share = exact(self.epsilon) / len(chosen)
        self.schema_ = schema
        self._names = tuple(names)
        self._source = randomness.of(self.random_state)
        self.mechanisms_ = {name: RandomisedResponse(share, _category(schema, name).size) for name in chosen}
        steps = [
            Step(f"'{name}' of one record", "randomised response", Pure(share), float(1 - m.probability_same),
                 "(probability of another value)")
            for name, m in self.mechanisms_.items()
        ]  # fmt: skip
        voided = [self._source.caveat] if self._source.caveat else []
        passed = [name for name in names if name not in chosen]
        self.guarantee_ = local_guarantee(steps, Pure(exact(self.epsilon)), schema, chosen, passed, voided)
        return self

    def transform(self, X: Any) -> Any:
        """The table with the chosen columns randomised. Each call is another release, and costs ε again."""
        check_is_fitted(self, "mechanisms_")
        leaving = (*column_names(X, self.schema_), *row_labels(X))
        require_promised(self.guarantee_, self._names, leaving)
        new = {}
        for name, mechanism in self.mechanisms_.items():
            labels = np.array(_category(self.schema_, name).labels, dtype=object)
            codes = mechanism.randomise(self._codes(X, name), self._source)
            new[name] = labels[codes].tolist()
        return with_texts(X, new)

    def learn_one(self, x: Mapping[str, Any]) -> None:
        """Settle the columns with the first record of a stream; nothing is learned."""
        if not hasattr(self, "mechanisms_"):
            self.begin(tuple(x))

    def transform_one(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """One record with the chosen columns randomised."""
        self.learn_one(x)
        require_promised(self.guarantee_, self._names, x)
        found = dict(x)
        for name, mechanism in self.mechanisms_.items():
            if name not in x:
                raise DataError("A record lacks a column that is to be randomised.", "Give all of them.")
            code = mechanism.randomise(self._coded(name, [x[name]]), self._source)[0]
            found[name] = _category(self.schema_, name).labels[code]
        return found

    def estimate_counts(self, column: str, released: Any) -> dict[Any, float]:
        """Unbiased counts of the true values from randomised ones; small ones may come out negative."""
        check_is_fitted(self, "mechanisms_")
        counts = self.mechanisms_[column].estimate_counts(self._codes(released, column))
        return dict(zip(_category(self.schema_, column).labels, counts.tolist(), strict=True))

    def csv_filter(self, **how: Any) -> Any:
        """What randomises a stream of CSV with it (``text_filter.TextFilter``)."""
        from privet.perturbation.nominal.text_filter import TextFilter

        return TextFilter(self, **how)

    def announcement(self) -> str:
        """What is promised, for whoever starts a stream."""
        return f"Local ε = {self.epsilon:g} for what one record says in the chosen columns, and no others."

    def described(self) -> dict[str, Any]:
        """What was randomised, as plain data that may leave."""
        return {"columns": list(self.mechanisms_)}

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        return input_features

    def _codes(self, X: Any, name: str) -> NDArray[np.int64]:
        return self._coded(name, column_values(X, name))

    def _coded(self, name: str, values: Sequence[Any]) -> NDArray[np.int64]:
        column = _category(self.schema_, name)
        known = {str(label): code for code, label in enumerate(column.labels)}
        other = column.size - 1 if column.other is not None else None
        codes = []
        for value in values:
            code = known.get(str(value), other)
            if code is None:
                raise DataError(
                    f"Column '{name}' holds a missing value, or one outside its declared domain.",
                    "Add the value to the schema, or set  other  there: it then stands for missing ones too.",
                )
            codes.append(code)
        return np.array(codes, dtype=np.int64)


def _category(schema: Schema, name: str) -> Category:
    column = schema[name]
    assert isinstance(column, Category)
    return column
