"""The records that an inversion attacks: what is guessed about them, and what is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.audit.inversion.target import Codes, Shares, Target
from privet.curator.tables import as_source
from privet.errors import DataError
from privet.schema import Category, Schema
from privet.schema.bins import public_cuts
from privet.stats import Rows

__all__ = ["LEAST", "Group", "Secret", "read"]

LEAST = 30


@dataclass(frozen=True)
class Secret:
    """The attribute that is guessed: how many values it may have, and one to put in a record for each.

    >>> Secret.of(Schema.of({"age": (0.0, 100.0)}), "age", 4).stands
    (12.5, 37.5, 62.5, 87.5)
    >>> Secret.of(Schema.of({"grade": (1, 4)}), "grade", 8).stands
    (1.0, 2.0, 3.0, 4.0)
    """

    name: str
    cuts: tuple[float, ...]
    stands: tuple[Any, ...]

    @property
    def size(self) -> int:
        return len(self.stands)

    @classmethod
    def of(cls, schema: Schema, name: str, bins: int) -> Secret:
        column = schema[name]
        if isinstance(column, Category):
            return cls(name, (), tuple(column.labels))
        cuts = public_cuts(column, bins)
        edges = np.array([column.low, *cuts, column.high])
        middles = (edges[1:] + edges[:-1]) / 2
        if column.integer:  # rounded down, but not out of the bin
            middles = np.maximum(np.floor(middles), np.ceil(edges[:-1]))
        return cls(name, cuts, tuple(middles.tolist()))


@dataclass(frozen=True)
class Group:
    """Records that are attacked: the table, the true codes of the secret, and the known targets."""

    schema: Schema
    table: pa.Table
    secret: Codes
    known: NDArray[Any]

    @classmethod
    def of(
        cls,
        data: Any,
        schema: Schema,
        secret: Secret,
        target: Target,
        records: int,
        generator: np.random.Generator,
    ) -> Group:
        table = read(data, schema)
        codes = np.concatenate([np.zeros(0, np.int64), *_codes(table, schema, secret)])
        whole = np.flatnonzero((codes < secret.size) & target.there(table))
        if len(whole) < LEAST:
            raise DataError(
                f"Fewer than {LEAST} records have both '{secret.name}' and '{target.name}'.",
                "Give a larger table.",
            )
        chosen = generator.permutation(whole)[:records]
        table = table.take(chosen).combine_chunks()
        return cls(schema, table, codes[chosen], target.values(table))

    def halves(self) -> tuple[Group, Group]:
        middle = len(self.secret) // 2
        return self._part(slice(0, middle)), self._part(slice(middle, None))

    def _part(self, where: slice) -> Group:
        size = len(self.secret[where])
        return Group(self.schema, self.table.slice(where.start, size), self.secret[where], self.known[where])

    def supposed(self, secret: Secret) -> Iterator[pa.Table]:
        """The records with each value of the secret put in, one after the other."""
        where = self.table.column_names.index(secret.name)
        kind = None if secret.cuts else self.table.schema.field(where).type
        for stand in secret.stands:
            column = pa.array([stand] * len(self.secret), kind)
            yield self.table.set_column(where, secret.name, column)

    def hit(self, scores: Shares) -> Shares:
        """1 for each record whose own value has the highest score, else 0."""
        return (scores.argmax(axis=1) == self.secret).astype(float)

    def shares(self, size: int) -> Shares:
        """How common each value is; none is taken to be impossible."""
        counts = np.bincount(self.secret, minlength=size) + 0.5
        return np.asarray(counts / counts.sum())


def read(data: Any, schema: Schema) -> pa.Table:
    """All columns that the schema names."""
    source = as_source(data, schema=schema)
    missing = [name for name in schema.names if name not in source.names]
    if missing:
        raise DataError(
            f"The table has no column '{missing[0]}', though the schema names it.",
            "Give a table with all attributes and the target.",
        )
    batches = list(source.batches(list(schema.names)))
    return pa.Table.from_batches(batches) if batches else _nothing()


def _nothing() -> pa.Table:
    raise DataError("The table is empty.", "Give records to attack.")


def _codes(table: pa.Table, schema: Schema, secret: Secret) -> Iterator[Codes]:
    for batch in table.to_batches():
        yield Rows(batch, schema, unknown="missing").codes(secret.name, secret.cuts).astype(np.int64)
