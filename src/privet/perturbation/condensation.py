"""Condensation: records are gathered in groups of at least k, and each group gives out records like its own.

Within a table, the new records of a group are random mixtures of its old ones that have *exactly* the group's
mean and covariance, and so the whole table's covariance stays what it was: with X the group's deviations
from its mean, HX has the same XᵀX for every orthogonal H, and the same mean if H leaves (1, …, 1) alone. (A
pair has only two such mixtures: itself, and itself exchanged. So k is at least 3.)

On a stream, groups are kept as sums only: a record joins the nearest group, a group of 2k splits in two
along its longest axis (Aggarwal and Yu 2004), and new records are drawn with the group's mean and
covariance. Memory is bounded by ``most_groups``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Le

from privet.errors import DataError
from privet.perturbation.affine import haar_rotation
from privet.perturbation.base import Columns, KeyParameter, Missing, Perturbation, SchemaParameter, Seed
from privet.perturbation.groups import Groups
from privet.perturbation.key import Key
from privet.perturbation.tables import Matrix, column_names, with_columns

__all__ = ["Condensation"]


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

    def __init__(
        self,
        *,
        schema: SchemaParameter = None,
        columns: Columns = None,
        k: Annotated[int, Ge(3), Le(1_000_000), "The least number of records in a group."] = 20,
        most_groups: Annotated[int, Ge(1), Le(1_000_000), "On streams: how many groups are kept."] = 1000,
        missing: Missing = "error",
        key: KeyParameter = None,
        random_state: Seed = None,
    ) -> None:
        self.schema = schema
        self.columns = columns
        self.k = k
        self.most_groups = most_groups
        self.missing = missing
        self.key = key
        self.random_state = random_state

    def fit_transform(self, X: Any, y: Any = None, **more: Any) -> Any:
        """Condense this table: each record becomes a mixture of the records of its group."""
        del more
        self.fit(X, y)
        names = column_names(X, self.schema_)
        scaled = self._scaled(X, names)
        there = np.flatnonzero(~np.isnan(scaled).any(axis=1))
        result = np.full(scaled.shape, np.nan)
        for group in _groups(scaled[there], self.k):
            result[there[group]] = _mixed(scaled[there[group]], self._generator)
        return with_columns(X, names, self.columns_, result * self._half + self._middle, self.columns_)

    def partial_fit(self, X: Any, y: Any = None) -> Any:
        """Learn from a mini-batch, record by record, in bounded memory."""
        del y
        self._begin(column_names(X, self._declared()))
        for row in self._scaled(X, column_names(X, self.schema_)):
            self._absorb(row)
        return self

    def learn_one(self, x: Mapping[str, Any]) -> None:
        """Let one record join its group."""
        self._begin(tuple(x))
        self._absorb(self._scaled([list(x.values())], tuple(x))[0])

    def begin(self, names: Sequence[str], sample: Matrix | None = None) -> Any:
        """Begin a stream without groups: its records make them as they come."""
        return super().begin(names)

    def follow(self, numbers: Matrix) -> Matrix:
        inside = (self._within(numbers) - self._middle) / self._half
        for row in inside:
            self._absorb(row)
        return self._apply(inside)

    def rekey(self) -> Key:
        """Forget all groups; the records that follow make new ones."""
        return super().rekey()

    def _begin(self, names: Sequence[str]) -> None:
        if not hasattr(self, "columns_"):
            self._start(self._declared(), names, None)

    def _absorb(self, row: Matrix) -> None:
        if not np.isnan(row).any():
            self._groups.absorb(row, self.k, self.most_groups)

    def _draw(self, width: int, sample: Any, generator: np.random.Generator) -> dict[str, Any]:
        if sample is None:
            return Groups(width).to_dict()
        scaled = sample()
        scaled = scaled[~np.isnan(scaled).any(axis=1)]
        if len(scaled) < self.k:
            raise DataError(
                f"There are fewer records than k = {self.k}: no group can be made.",
                "Choose a smaller k, or wait for more records.",
            )
        return Groups.of(scaled, _groups(scaled, self.k)).to_dict()

    def _unlock(self, key: Key) -> None:
        self._groups = Groups.from_key(key)

    def _secrets(self) -> Sequence[str]:
        return ("_groups",)

    def current_key(self) -> Key:
        """The key as it is now, with the groups that a stream has made since."""
        self._require_key()
        key = self.key_
        return Key(key.method, key.columns, key.low, key.high, self._groups.to_dict())

    def _apply(self, scaled: Matrix) -> Matrix:
        drawn = self._groups.draw(scaled, self._generator)
        return drawn * self._half + self._middle

    def _caveats(self) -> tuple[str, ...]:
        return (
            f"Groups have at least {self.k} records, but a group of people who are alike "
            "tells what they have in "
            "common, and outliers pull their group along.",
        )


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
