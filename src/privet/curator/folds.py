"""Folds for cross-validation: every unit of privacy draws its own, independently of all others.

Folds of equal size, as usual elsewhere, make everybody's fold depend on everybody: take one record away and
others move, so all training and test sets change at once and no bound on a single record's influence holds.
Here the folds are independent, uniform draws:

* One record is the unit: the i-th row gets the i-th word of a random stream (Philox under a secret key).
  Take a record away together with its own word: what is left is again a sequence of independent words of the
  same distribution, and all other rows keep their folds. So tables that differ by one record have training
  and test sets that can be coupled to differ by that record only: in ``folds − 1`` training sets and in one
  test set. A *replaced* record stays in its place and keeps its fold.
* One person is the unit: the fold is a keyed hash of the id, a random function of it, so all records of a
  person are in one fold. Taking a person away changes no other's hash. When a person is replaced by another,
  the hash of the new id is as good as a copy of the old one's: neither table holds both, so exchanging the
  two values of the random function does not change its distribution.

The key is drawn afresh for each run and never leaves it. Folds differ a little in size, and nobody sees how.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.randomness import Randomness
from privet.schema import Category, Schema, Unit
from privet.sources import ArrowSource, Source
from privet.sources.around import Around
from privet.stats.contribution import plain_names

__all__ = ["FoldSource", "Folds", "fold_column", "in_order"]


class Folds:
    """One draw of folds: the rows outside or inside one fold, and all rows with each record's fold."""

    def __init__(self, source: Source, schema: Schema, folds: int, randomness: Randomness) -> None:
        low, high = (int(word) for word in randomness.bits(2))
        self._source, self._plain, self._folds, self._key = source, schema, folds, low | high << 64
        self.label = fold_column(source)

    @property
    def schema(self) -> Schema:
        """The schema of all rows, with the column of folds."""
        number = Category(self.label, tuple(range(self._folds)))
        return replace(self._plain, columns=(*self._plain.columns, number))

    @property
    def columns(self) -> tuple[str, ...]:
        """What a prediction for each record by its fold reads: the attributes, and the fold."""
        return (*(column.name for column in self._plain.attributes), self.label)

    def outside(self, fold: int) -> FoldSource:
        return FoldSource(self._source, self._plain.unit, self._folds, self._key, outside=fold)

    def inside(self, fold: int) -> FoldSource:
        return FoldSource(self._source, self._plain.unit, self._folds, self._key, inside=fold)

    @property
    def all(self) -> FoldSource:
        return FoldSource(self._source, self._plain.unit, self._folds, self._key, label=self.label)


class FoldSource(Around):
    """The rows of a source that are ``outside`` of one fold, or ``inside``; or all rows, each with its fold.

    In the last case a batch holds rows of one fold only, whose number is in an additional column named
    ``label``: so one pass can compare every record with the model that was trained without its fold.
    """

    def __init__(
        self,
        source: Source,
        unit: Unit,
        folds: int,
        key: int,
        *,
        outside: int | None = None,
        inside: int | None = None,
        label: str | None = None,
    ) -> None:
        super().__init__(source)
        self._unit = unit
        self._folds = folds
        self._key = key
        self._outside = outside
        self._inside = inside
        self._label = label

    @property
    def names(self) -> tuple[str, ...]:
        return self._source.names if self._label is None else (*self._source.names, self._label)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = list(self.names if columns is None else columns)
        read = [name for name in wanted if name != self._label]
        person = self._unit.id
        if person is not None and person not in read and person in self._source.names:
            read.append(person)
        # The stream starts anew with every pass and gives one word per row, so that all passes agree.
        words = np.random.Philox(key=self._key)
        for batch in self._source.batches(read):
            folds = self._assign(batch, words)
            if self._outside is not None:
                yield batch.filter(pa.array(folds != self._outside)).select(wanted)
                continue
            if self._inside is not None:
                yield batch.filter(pa.array(folds == self._inside)).select(wanted)
                continue
            for fold in range(self._folds):
                part = batch.filter(pa.array(folds == fold))
                if part.num_rows and self._label is not None:
                    number = pa.array(np.full(part.num_rows, fold, np.int64))
                    yield part.append_column(self._label, number).select(wanted)

    def _assign(self, batch: pa.RecordBatch, words: np.random.Philox) -> NDArray[np.int64]:
        place = -1 if self._unit.id is None else batch.schema.get_field_index(self._unit.id)
        if place < 0:
            drawn = words.random_raw(batch.num_rows)
            return (np.asarray(drawn, np.uint64) % np.uint64(self._folds)).astype(np.int64)
        people = batch.column(place)
        if pa.types.is_dictionary(people.type):
            people = people.dictionary_decode()
        people = people.dictionary_encode()
        folds = [self._of_person(person) for person in plain_names(people.dictionary)]
        # Records that name nobody are dropped later, before any statistic.
        codes = people.indices.fill_null(len(folds)).to_numpy(zero_copy_only=False)
        return np.array([*folds, 0], np.int64)[codes]

    def _of_person(self, person: Any) -> int:
        # 0.0 and −0.0 are one person, as they are to whoever counts a person's records.
        text = str(person + 0.0 if isinstance(person, float) else person)
        key = self._key.to_bytes(16, "little")
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=16).digest()
        return int.from_bytes(digest, "little") % self._folds

    def table(self) -> Any | None:
        """Nothing: a database could not draw the same folds."""
        return None

    def declared(self) -> Schema | None:
        return self._source.declared()


def fold_column(source: Source) -> str:
    """A name for the column of fold numbers that no column of the table has."""
    name = "fold"
    while name in source.names:
        name += "_"
    return name


def in_order(source: Source, schema: Schema) -> Source:
    """A source in which a unit of privacy can be recognised in every pass: by its id, or by its place.

    A database promises no order of rows; where only the place tells them apart, they are read once.
    """
    if schema.unit.id is not None or getattr(source, "ordered", True):
        return source
    batches = source.batches([name for name in source.names if name in schema])
    return ArrowSource(pa.Table.from_batches(batches))
