"""The small table that the checks learn from, and a source that tells when it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from privet.families import FAMILIES, family_of
from privet.schema import Schema, Unit
from privet.sources import ArrowSource

__all__ = ["DATASET", "SENTINEL", "Make", "WatchedSource", "example", "public", "refused", "split"]

Make = Callable[..., Any]

DATASET = "example"
# A value that is in the table and must be in no text that leaves.
SENTINEL = "S3NT1NEL"


def public(make: Make | None = None, unit: Unit | None = None) -> Schema:
    """What is public about the example of an algorithm's family.

    >>> from privet.learning.regress import Ridge
    >>> public().target, public(Ridge).target
    ('ill', 'height')
    """
    family = FAMILIES["classify"] if make is None else family_of(make())
    return Schema.of(family.example, target=family.example_target, unit=unit or Unit(), dataset=DATASET)


def split(make: Make) -> tuple[pa.Table, list[Any] | None]:
    """The example as attributes and target; all of it and None if there is no target."""
    table, target = example(), public(make).target
    return (table, None) if target is None else (table.drop_columns([target]), table[target].to_pylist())


def example(records: int = 200) -> pa.Table:
    """Generated people: two numbers, a category, a class, and some missing cells."""
    draw = np.random.default_rng(0)
    ill = draw.random(records) < 0.4
    age = np.where(ill, 70, 40) + draw.integers(-20, 20, records)
    smoker = np.where(draw.random(records) < np.where(ill, 0.7, 0.2), "yes", "no")
    return pa.table(
        {
            "age": pa.array(age, mask=draw.random(records) < 0.1),
            "height": draw.normal(1.7, 0.1, records),
            "smoker": pa.array(smoker, mask=draw.random(records) < 0.1),
            "ill": np.where(ill, "yes", "no"),
        }
    )


class WatchedSource(ArrowSource):
    """A table that calls ``on_read`` whenever chosen columns of it are read, and knows which were.

    Reading *all* columns is how a ledger recognises a table, and is not reported; engines name their columns.
    """

    def __init__(self, table: pa.Table, on_read: Callable[[], None]) -> None:
        super().__init__(table)
        self._on_read = on_read
        self.columns_read: set[str] = set()

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        if columns is not None:
            self.columns_read |= set(columns)
            self._on_read()
        return super().batches(columns)


@contextmanager
def refused(kind: type[BaseException], what: str) -> Iterator[None]:
    """The block must end in this kind of error.

    >>> with refused(KeyError, "a missing key"):
    ...     {}["a"]
    """
    try:
        yield
    except kind:
        return
    except Exception as error:
        raise AssertionError(f"{what} must end in {kind.__name__}, not {type(error).__name__}.") from error
    raise AssertionError(f"{what} must be refused with {kind.__name__}.")
