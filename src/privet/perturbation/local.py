"""Input perturbation: noise on every value of a record before anybody collects it. This is local privacy.

Numbers get Laplace noise on a grid of their public bounds, categories randomised response; a missing category
is one more value, and a missing number counts as the middle of its bounds, so that neither gives itself away.

**Privacy.** A number is clamped to its bounds and becomes z = ⌊G·(value − low)/(high − low) + ½⌋, a whole
number from 0 to G = 2¹⁶. Two records' z differ by at most G, so discrete Laplace noise of scale G/ε' makes z
ε'-private (``grid_noise``: exact, and fast), in whole numbers throughout: no low bits of floats can leak.
Going back to low + (high − low)·z/G is post-processing. A category with k values is ε'-private by k-ary
randomised response (``mechanisms.randomised_response``). Attributes are perturbed independently, so what a
whole record says is Σε'-private: ``epsilon`` is that sum, or with ``per="attribute"`` each ε', and the sum
is m times as large. Neighbours replace one record; how many there are is public.

The thesis (Algorithm 4.1) reads the range off the data, gives the full ε to each number, and leaves
categories and classes in the clear: m·ε for the numbers of a record, and nothing for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from privet import randomness
from privet.budget.amounts import Pure, exact
from privet.errors import DataError, SchemaError
from privet.mechanisms import RandomisedResponse
from privet.parameters import Seed, validate, with_parameters
from privet.perturbation.base import LocalEpsilon, SchemaParameter
from privet.perturbation.grid_noise import GridNoise
from privet.perturbation.in_parts import AllAtOnce
from privet.perturbation.promise import local_guarantee, require_promised
from privet.release import Step
from privet.schema import Category, Column, Number, Schema, read_schema
from privet.stats import Rows

__all__ = ["InputPerturbation", "beside", "statistics"]

GRID = 1 << 16


@with_parameters
class InputPerturbation(AllAtOnce, TransformerMixin, BaseEstimator):
    """Perturbs every attribute of every record by itself: local ε for all that a record says.

    >>> schema = Schema.of({"age": (0, 100), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> table = pa.table({"age": [20, 70, None], "smoker": ["no", "yes", None], "ill": ["no", "yes", "no"]})
    >>> model = InputPerturbation(schema=schema, epsilon=6.0, target=True).fit(table)
    >>> model.transform(table).column_names
    ['age', 'smoker', 'ill']
    >>> model.guarantee_.epsilon, model.guarantee_.holds
    (6.0, True)
    >>> InputPerturbation(schema=schema, epsilon=1.0, per="attribute").fit(table).guarantee_.holds
    False
    """

    per: Annotated[
        Literal["record", "attribute"], "Whether epsilon is for a whole record, or for each attribute."
    ] = "record"
    target: Annotated[bool, "Whether the class is randomised too; else it leaves in the clear."] = False
    schema: SchemaParameter = None
    epsilon: LocalEpsilon = 1.0
    random_state: Seed = None

    def fit(self, X: Any, y: Any = None) -> InputPerturbation:
        """Settle what each attribute may spend; nothing is learned from X."""
        del y
        validate(self)
        if self.schema is None:
            raise SchemaError("Input perturbation needs public bounds and domains.", "Give a schema.")
        schema = self.schema if isinstance(self.schema, Schema) else read_schema(self.schema)
        schema.require_confirmed()
        names = _arrow(X).column_names
        chosen = [c for c in schema.columns if c.name in names and (self.target or c.name != schema.target)]
        # A category with one possible value says nothing; it leaves as that value.
        telling = [c for c in chosen if not isinstance(c, Category) or _codes(c) > 1]
        if not telling:
            raise DataError("The table has no column of the schema to perturb.", "Check the names.")
        whole = exact(self.epsilon)
        share = whole / len(telling) if self.per == "record" else whole
        total = Pure(share * len(telling))
        self.mechanisms_ = {c.name: _mechanism(c, share) for c in telling}
        self.schema_ = schema
        self._names = tuple(names)
        self._source = randomness.of(self.random_state)
        self.guarantee_ = local_guarantee(
            [_step(c, self.mechanisms_[c.name], share) for c in telling],
            total,
            schema,
            [c.name for c in telling],
            [name for name in names if name not in self.mechanisms_],
            [self._source.caveat] if self._source.caveat else [],
            ["A missing number counts as the middle of its bounds."],
        )
        return self

    def transform(self, X: Any) -> Any:
        """The table with every such column perturbed. Each call is another release, and costs ε again."""
        check_is_fitted(self, "mechanisms_")
        table = _arrow(X)
        require_promised(self.guarantee_, self._names, table.column_names)
        batch = pa.Table.combine_chunks(table).to_batches(max_chunksize=None)
        rows = Rows(batch[0] if batch else pa.RecordBatch.from_pylist([], table.schema), self.schema_)
        for name, mechanism in self.mechanisms_.items():
            if name not in table.column_names:
                raise DataError(f"The table has no column '{name}'.", "Give the columns that were fitted.")
            values = self._perturbed(rows, self.schema_[name], mechanism)
            table = table.set_column(table.column_names.index(name), name, values)
        return table.to_pandas() if hasattr(X, "iloc") else table

    def _perturbed(self, rows: Rows, column: Column, mechanism: Any) -> pa.Array:
        if isinstance(column, Category):
            codes = mechanism.randomise(rows.codes(column.name).astype(np.int64), self._source)
            labels = np.array([*column.labels, None], dtype=object)
            return pa.array(labels[codes].tolist())
        whole = on_grid(rows.numbers(column.name), column)
        noisy = mechanism.randomise(whole, self._source)
        return pa.array(column.low + (column.high - column.low) * (noisy / GRID))

    def figures(self, perturbed: Any, original: Any = None) -> list[dict[str, Any]]:
        """Statistics of the perturbed numbers, beside those of the original if it is public and given."""
        names = [name for name in self.mechanisms_ if isinstance(self.schema_[name], Number)]
        return statistics(perturbed, names) if original is None else beside(original, perturbed, names)

    def described(self) -> dict[str, Any]:
        """What was perturbed, as plain data that may leave."""
        return {"columns": list(self.mechanisms_)}

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        return input_features


def on_grid(values: NDArray[np.float64], column: Number) -> NDArray[np.int64]:
    """Numbers as whole steps of the grid, 0 to 2¹⁶; missing ones are in the middle.

    >>> on_grid(np.array([-5.0, 0.0, 50.0, 400.0, np.nan]), Number("age", 0, 100)).tolist()
    [0, 0, 32768, 65536, 32768]
    """
    if np.isinf(values).any():
        raise DataError(f"Column '{column.name}' holds an infinite value.", "Replace infinities by numbers.")
    filled = np.where(np.isnan(values), column.midpoint, np.clip(values, column.low, column.high))
    part = (filled - column.low) / (float(column.high) - column.low)
    # Clipped once more: rounding in the division must not pass the bound that the proof needs.
    return np.clip(np.floor(part * GRID + 0.5), 0, GRID).astype(np.int64)


def statistics(perturbed: Any, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Mean, deviation and variance of perturbed columns: free, since noise was added before.

    >>> statistics(pa.table({"x": [1.0, 2.0, 3.0]}), ["x"])
    [{'column': 'x', 'mean': 2.0, 'standard deviation': 1.0, 'variance': 1.0}]
    """
    found = []
    for name in columns:
        values = _numbers(perturbed, name)
        values = values[~np.isnan(values)]
        deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
        mean = float(values.mean()) if values.size else float("nan")
        found.append(
            {"column": name, "mean": mean, "standard deviation": deviation, "variance": deviation**2}
        )
    return found


def beside(original: Any, perturbed: Any, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Mean, deviation, variance, covariance and correlation of columns before and after: for *public* tables.

    >>> table = pa.table({"x": [1.0, 2.0, 3.0]})
    >>> beside(table, table, ["x"])[0]["correlation"]
    1.0
    """
    found = []
    for name in columns:
        one, other = _numbers(original, name), _numbers(perturbed, name)
        known = ~np.isnan(one) & ~np.isnan(other)
        [before], [after] = (statistics({name: part[known]}, [name]) for part in (one, other))
        covariance = float(np.cov(one[known], other[known])[0, 1]) if known.sum() > 1 else 0.0
        spread = before["standard deviation"] * after["standard deviation"]
        found.append(
            {"column": name}
            | {key: (before[key], after[key]) for key in ("mean", "standard deviation", "variance")}
            | {"covariance": covariance, "correlation": round(covariance / spread, 12) if spread else 0.0}
        )
    return found


def _numbers(table: Any, name: str) -> NDArray[np.float64]:
    if isinstance(table, dict):
        return np.asarray(table[name], float)
    return np.asarray(_arrow(table)[name].to_numpy(zero_copy_only=False), float)


def _arrow(X: Any) -> pa.Table:
    if isinstance(X, pa.Table):
        return X
    if isinstance(X, pa.RecordBatch):
        return pa.Table.from_batches([X])
    if hasattr(X, "iloc"):
        return pa.Table.from_pandas(X, preserve_index=False)
    raise DataError(
        "Input perturbation needs a table whose columns have names.", "Give a data frame or an Arrow table."
    )


def _codes(column: Category) -> int:
    return column.size + 1  # missing is a value too


def _mechanism(column: Column, share: Fraction) -> GridNoise | RandomisedResponse:
    if isinstance(column, Category):
        return RandomisedResponse(share, _codes(column))
    return GridNoise(share, GRID)


def _step(column: Column, mechanism: Any, share: Fraction) -> Step:
    what = f"'{column.name}' of one record"
    if isinstance(column, Category):
        changed = float(1 - mechanism.probability_same)
        return Step(what, "randomised response", Pure(share), changed, "(probability of another value)")
    error = mechanism.error(0.95) / GRID * (column.high - column.low)
    return Step(what, "Laplace noise on a grid", Pure(share), float(error), f"units of '{column.name}'")
