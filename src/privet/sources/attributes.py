"""Files that declare their attributes, as WEKA's formats do: numbers, and nominal values with a domain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.schema.columns import HEADER
from privet.schema.number_texts import numbers_of_texts
from privet.sources.arff_header import Attribute
from privet.sources.base import BATCH_ROWS
from privet.sources.cells import holds_text
from privet.sources.files import FilePath
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct

__all__ = ["AttributeSource"]

#: The cells of a record, in the order of the attributes; None is missing.
Record = Sequence[str | None]


class AttributeSource(Named, ABC):
    """A file's rows; a format says which attributes there are, and what the cells of each record are."""

    #: How a schema calls what the header declares.
    origin = HEADER

    def __init__(self, path: FilePath, schema: Schema | None = None) -> None:
        self.path = Path(path)
        self._attributes = self.read_attributes()
        self._names = distinct(attribute.name for attribute in self._attributes)

    @abstractmethod
    def read_attributes(self) -> tuple[Attribute, ...]:
        """What the file declares."""

    @abstractmethod
    def records(self) -> Iterator[Record]:
        """The records, in order."""

    def declared(self) -> Schema | None:
        nominal = [a for a in self._attributes if a.nominal]
        return (
            Schema(tuple(Category(a.name, a.domain, origin=self.origin) for a in nominal))
            if nominal
            else None
        )

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        places = [self._names.index(name) for name in wanted]
        for place in places:
            if not self._attributes[place].minable:
                raise DataError(
                    f"Attribute '{self._names[place]}' of {self.path.name} is a "
                    f"{self._attributes[place].kind}, which Privet does not mine.",
                    "Leave it out of the schema, or make it nominal.",
                )
        records = self.records()
        while block := list(islice(records, BATCH_ROWS)):
            if any(len(record) != len(self._names) for record in block):
                raise DataError(
                    f"A record of {self.path.name} has more or fewer cells than there are attributes.",
                    "Write the file again.",
                )
            arrays = [self._array(place, [record[place] for record in block]) for place in places]
            yield pa.RecordBatch.from_arrays(arrays, names=wanted)

    def _array(self, place: int, cells: list[str | None]) -> pa.Array:
        attribute = self._attributes[place]
        texts = pa.array(cells, pa.string())
        if not attribute.nominal:
            numbers = numbers_of_texts(texts)
            if numbers.null_count > texts.null_count:
                raise holds_text(attribute.name, self.path.name)
            return numbers
        domain = pa.array(attribute.domain, pa.string())
        codes = pc.index_in(texts, domain)
        if codes.null_count > texts.null_count:
            raise DataError(
                f"Attribute '{attribute.name}' of {self.path.name} has a value that is not declared there.",
                "Declare it in the file, or correct the record.",
            )
        return pa.DictionaryArray.from_arrays(codes, domain)
