"""Condensation: records are gathered in groups of at least k, and each group gives out records like its own.

Within a table, the new records of a group are random mixtures of its old ones that have *exactly* the group's
mean and covariance, and so the whole table's covariance stays what it was: with X the group's deviations
from its mean, HX has the same XᵀX for every orthogonal H, and the same mean if H leaves (1, …, 1) alone. (A
pair has only two such mixtures: itself, and itself exchanged. So k is at least 3.)

On a stream, groups are kept as sums only: a record joins the nearest group, a group of 2k splits in two
along its longest axis (Aggarwal and Yu 2004), and new records are drawn with the group's mean and
covariance. Memory is bounded by ``most_groups``.

With ``by`` each value of a category (often the class) has groups of its own, as Aggarwal and Yu do it: then
what tells the classes apart stays. The bound on memory holds for each value of the public domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.errors import DataError, ModelError, SchemaError
from privet.parameters import validate, with_parameters
from privet.perturbation.affine import haar_rotation
from privet.perturbation.base import Perturbation
from privet.perturbation.groups import Groups
from privet.perturbation.key import Key
from privet.perturbation.nominal.tables import column_values
from privet.perturbation.parts import whole_table
from privet.perturbation.tables import Matrix, column_names, with_columns
from privet.schema import Category

__all__ = ["Condensation"]


@with_parameters
class Condensation(Perturbation):
    """Replaces records by ones drawn from groups of at least ``k``, keeping the covariance. Guarantee: none.

    ``fit_transform`` condenses the table itself; ``transform`` gives each new record one drawn from the group
    that is nearest to it. The columns keep their units. Before a stream has given k records, values drawn
    evenly between the public bounds stand for them.

    >>> from privet.schema import Schema
    >>> schema = Schema.of({"age": (0, 120), "weight": (2.0, 200.0)})
    >>> X = np.random.default_rng(0).normal([50, 70], [10, 12], (500, 2))
    >>> Y = Condensation(schema=schema, k=10).fit_transform(X)
    >>> bool(np.allclose(np.cov(X.T), np.cov(Y.T)))
    True
    """

    method: ClassVar[str] = "condensation"
    title: ClassVar[str] = "Condensation"

    k: Annotated[int, Ge(3), Le(1_000_000), "The least number of records in a group."] = 20
    most_groups: Annotated[int, Ge(1), Le(1_000_000), "On streams: how many groups are kept."] = 1000
    by: Annotated[
        str | None, "A category, often the target: groups hold records of one of its values only."
    ] = None

    def fit(self, X: Any = None, y: Any = None) -> Any:
        """Make the groups of a table, or take those of a key."""
        validate(self)
        self._first_labels = None if X is None else self._labels(X)
        return super().fit(X, y)

    def fit_transform(self, X: Any, y: Any = None, **more: Any) -> Any:
        """Condense this table: each record becomes a mixture of the records of its group."""
        del more
        self.fit(X, y)
        names = column_names(X, self.schema_)
        scaled = self._scaled(X, names)
        whole = np.asarray(~np.isnan(scaled).any(axis=1))
        result = np.full(scaled.shape, np.nan)
        for _, rows in _parts(self._labels(X), whole):
            for group in _groups(scaled[rows], self.k):
                result[rows[group]] = _mixed(scaled[rows[group]], self._generator)
        return with_columns(X, names, self.columns_, result * self._half + self._middle, self.columns_)

    def transform(self, X: Any) -> Any:
        """Each record becomes one drawn from the group that is nearest to it."""
        self._require_key()
        names = column_names(X, self.schema_)
        values = self._given_out(self._scaled(X, names), self._labels(X))
        return with_columns(X, names, self.columns_, values, self.columns_)

    def in_parts(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The parts of a table, perturbed: all at once, since groups are made from the whole of it."""
        if self.key is not None:
            return super().in_parts(batches)
        return iter(self.fit_transform(whole_table(batches)).to_batches())

    def partial_fit(self, X: Any, y: Any = None) -> Any:
        """Learn from a mini-batch, record by record, in bounded memory."""
        del y
        self._begin(column_names(X, self._declared()))
        self._absorb(self._scaled(X, column_names(X, self.schema_)), self._labels(X))
        return self

    def learn_one(self, x: Mapping[str, Any]) -> None:
        """Let one record join its group."""
        self._begin(tuple(x))
        self._absorb(self._scaled([list(x.values())], tuple(x)), self._checked([x.get(self.by or "")]))

    def transform_one(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """One record, replaced by one drawn from the group that is nearest to it."""
        if self.by is None:
            return super().transform_one(x)
        if not hasattr(self, "key_"):
            self._begin_one(x)
        scaled = self._scaled([list(x.values())], tuple(x))
        values = self._given_out(scaled, self._checked([x.get(self.by)]))[0].tolist()
        return {**x, **dict(zip(self.columns_, values, strict=True))}

    def begin(self, names: Sequence[str], sample: Matrix | None = None) -> Any:
        """Begin a stream without groups: its records make them as they come."""
        if self.by is not None and self.by not in names:
            raise DataError(f"The table has no column '{self.by}'.", "Check its spelling against the table.")
        return super().begin(names)

    def follow(self, numbers: Matrix, labels: Sequence[Any] | None = None) -> Matrix:
        """Let the next records join their groups, and give out as many; ``labels`` are those of ``by``."""
        scaled = (self._within(numbers) - self._middle) / self._half
        checked = self._checked(labels if labels is not None else [None] * len(scaled))
        self._absorb(scaled, checked)
        return self._given_out(scaled, checked)

    def rekey(self) -> Key:
        """Forget all groups; the records that follow make new ones."""
        return super().rekey()

    def _begin(self, names: Sequence[str]) -> None:
        if not hasattr(self, "columns_"):
            self._start(self._declared(), names, None)

    def _absorb(self, scaled: Matrix, labels: Sequence[str]) -> None:
        for row, label in zip(scaled, labels, strict=True):
            if not np.isnan(row).any():
                self._of(label).absorb(row, self.k, self.most_groups)

    def _given_out(self, scaled: Matrix, labels: Sequence[str]) -> Matrix:
        drawn = np.full(scaled.shape, np.nan)
        for label, rows in _parts(labels, np.ones(len(scaled), dtype=bool)):
            drawn[rows] = self._of(label).draw(scaled[rows], self._generator)
        return drawn * self._half + self._middle

    def _of(self, label: str) -> Groups:
        return self._groups.setdefault(label, Groups(len(self.columns_)))

    def _labels(self, X: Any) -> list[str]:
        """The value of ``by`` for each record; without it all are alike."""
        if self.by is None:
            return [""] * (X.num_rows if hasattr(X, "num_rows") else len(X))
        names = column_names(X, self._declared())
        if self.by not in names:
            raise DataError(f"The table has no column '{self.by}'.", "Check its spelling against the table.")
        named = hasattr(X, "iloc") or hasattr(X, "num_rows")
        values = column_values(X, self.by) if named else np.asarray(X)[:, names.index(self.by)].tolist()
        return self._checked(values)

    def _checked(self, values: Sequence[Any]) -> list[str]:
        """Values of ``by`` as texts, each in its public domain."""
        if self.by is None:
            return [""] * len(values)
        column = self._declared()[self.by]
        if not isinstance(column, Category):
            raise SchemaError(f"'{self.by}' is a number.", "Condense by a category.")
        known = set(map(str, column.labels))
        texts = [str(value) for value in values]
        if not known.issuperset(texts):
            raise DataError(
                f"Column '{self.by}' holds a missing value, or one outside its declared domain.",
                "Add the value to the schema, or condense without it.",
            )
        return texts

    def _draw(self, width: int, sample: Any, generator: np.random.Generator) -> dict[str, Any]:
        groups: dict[str, Groups] = {}
        if sample is not None:
            scaled = sample()
            whole = ~np.isnan(scaled).any(axis=1)
            for label, rows in _parts(self._first_labels or [""] * len(scaled), whole):
                if len(rows) < self.k:
                    which = "" if self.by is None else f" for one value of '{self.by}'"
                    raise DataError(
                        f"There are fewer records than k = {self.k}{which}: no group can be made.",
                        "Choose a smaller k, or wait for more records.",
                    )
                groups[label] = Groups.of(scaled[rows], _groups(scaled[rows], self.k))
            if not groups:
                raise DataError("There is no record without missing values.", "Complete some of them.")
        return self._written(groups, width)

    def _written(self, groups: Mapping[str, Groups], width: int) -> dict[str, Any]:
        if self.by is None:
            return groups.get("", Groups(width)).to_dict()
        return {"by": self.by, "groups": {label: found.to_dict() for label, found in groups.items()}}

    def _unlock(self, key: Key) -> None:
        if key.values.get("by") != self.by:
            raise ModelError(
                "The key was made with groups by another column, or by none.",
                "Condense by the same column as before, or make a new key.",
            )
        parts = {"": key.values} if self.by is None else key.values.get("groups", {})
        self._groups = {
            label: Groups.from_key(Key(key.method, key.columns, key.low, key.high, values))
            for label, values in parts.items()
        }

    def _secrets(self) -> Sequence[str]:
        return ("_groups",)

    def current_key(self) -> Key:
        """The key as it is now, with the groups that a stream has made since.

        Records that wait for the first group to be full are not in it.
        """
        key = super().current_key()
        values = self._written(self._groups, len(self.columns_))
        return Key(key.method, key.columns, key.low, key.high, values)

    def _apply(self, scaled: Matrix) -> Matrix:
        return self._given_out(scaled, [""] * len(scaled))

    def _caveats(self) -> tuple[str, ...]:
        return (
            f"Groups have at least {self.k} records, but a group of people who are alike "
            "tells what they have in "
            "common, and outliers pull their group along.",
        )


def _parts(labels: Sequence[str], wanted: NDArray[np.bool_]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """The places of the wanted records, for each label that occurs."""
    texts = np.array(labels, dtype=object)
    for label in dict.fromkeys(labels):
        rows = np.flatnonzero((texts == label) & wanted)
        if len(rows):
            yield label, rows


def _groups(scaled: Matrix, k: int) -> list[Any]:
    """Groups of k to 2k − 1 records: the table is halved along its longest axis, again and again."""
    waiting, done = [np.arange(len(scaled))], []
    while waiting:
        group = waiting.pop()
        if len(group) < 2 * k:
            done.append(group)
            continue
        part = scaled[group]
        _, vectors = np.linalg.eigh(np.atleast_2d(np.cov(part, rowvar=False)))
        along = part @ vectors[:, -1]
        # The cut leaves whole groups of k on both sides.
        cut = max(k, round(len(group) / (2 * k)) * k)
        order = np.argpartition(along, cut)
        waiting += [group[order[:cut]], group[order[cut:]]]
    return done


def _mixed(records: Matrix, generator: np.random.Generator) -> Matrix:
    """As many records with exactly the same mean and covariance: HX for a random H that keeps (1, …, 1)."""
    size = len(records)
    mean = records.mean(axis=0)
    # A basis whose first direction is (1, …, 1); the turn acts on the others only.
    basis, _ = np.linalg.qr(np.column_stack([np.ones(size), generator.standard_normal((size, size - 1))]))
    others = basis[:, 1:]
    turned = others @ haar_rotation(size - 1, generator)
    return np.asarray(mean + turned @ (others.T @ (records - mean)))
