"""The rows of an ARFF file in WEKA's full syntax: escapes, comments, blanks for commas, sparse rows."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import DataError
from privet.sources.arff_header import Attribute, words

__all__ = ["RowReader"]

_NAN = float("nan")


class RowReader:
    """Reads lines one by one. In a sparse row, what is not listed is 0 or the first value of the domain.

    >>> reader = RowReader([Attribute("n", "numeric"), Attribute("s", "nominal", ("a", "b"))],
    ...                    {"s": pa.array(["a", "b"])}, ["n", "s"], "some.arff")
    >>> reader.read("{0 5}\\n1 , 'b' % why\\n", line=1).to_pydict()
    {'n': [5.0, 1.0], 's': ['a', 'b']}
    """

    def __init__(
        self,
        attributes: Sequence[Attribute],
        domains: Mapping[str, pa.Array],
        wanted: Sequence[str],
        file: str,
    ) -> None:
        self._attributes = attributes
        self._domains = domains
        self._codes = [{value: code for code, value in enumerate(a.domain)} for a in attributes]
        self._wanted = list(wanted)
        self._places = [[a.name for a in attributes].index(name) for name in wanted]
        self._file = file

    def read(self, text: str, line: int) -> pa.RecordBatch:
        """The rows of these lines; ``line`` is the number of the first."""
        # Missing is NaN in a number's column and -1 in a nominal one, until Arrow's nulls take over.
        columns = [array("d") for _ in self._places]
        for number, each in enumerate(text.split("\n"), start=line):
            try:
                found = words(each)
            except ValueError:
                raise self._wrong(number, "has a quote that is not closed") from None
            if not found:
                continue
            sparse = found[0] == ("{", False)
            cells = self._sparse(found, number) if sparse else self._dense(found, number)
            for column, place in zip(columns, self._places, strict=True):
                column.append(self._value(place, cells.get(place) if sparse else cells[place]))
        return pa.RecordBatch.from_arrays(
            [self._array(name, column) for name, column in zip(self._wanted, columns, strict=True)],
            names=self._wanted,
        )

    def _dense(self, found: list[tuple[str, bool]], number: int) -> dict[int, tuple[str, bool]]:
        if found[-1] == ("}", False):
            raise self._weighted(number)
        if len(found) != len(self._attributes):
            what = f"has {len(found)} cells, where the header declares {len(self._attributes)} attributes"
            raise self._wrong(number, what)
        return dict(enumerate(found))

    def _sparse(self, found: list[tuple[str, bool]], number: int) -> dict[int, tuple[str, bool]]:
        if ("}", False) not in found:
            raise self._wrong(number, "has no closing brace")
        end = found.index(("}", False))
        if end + 1 < len(found):
            raise self._weighted(number)
        places, cells = found[1:end:2], found[2:end:2]
        if len(places) != len(cells) or not all(p.isascii() and p.isdigit() for p, _ in places):
            raise self._wrong(number, "is not a sparse row of the form {place value, place value}")
        row = {int(place): cell for (place, _), cell in zip(places, cells, strict=True)}
        if len(row) < len(places) or max(row, default=0) >= len(self._attributes):
            raise self._wrong(number, "names a place twice, or one beyond the last attribute")
        return row

    def _value(self, place: int, cell: tuple[str, bool] | None) -> float:
        attribute = self._attributes[place]
        if cell is None:
            return 0
        text, in_quotes = cell
        if attribute.nominal:
            if text == "?" and not in_quotes:
                return -1
            code = self._codes[place].get(text)
            if code is None:
                raise DataError(
                    f"Column '{attribute.name}' of {self._file} has a value its header does not declare.",
                    "Add the value to the attribute's domain, or correct the row.",
                )
            return code
        if text == "?" and not in_quotes:
            return _NAN
        try:
            return float(text.replace("_", "no number"))  # Python reads 1_000; WEKA does not
        except ValueError:
            raise DataError(
                f"Column '{attribute.name}' of {self._file} holds text where its header says number.",
                "Declare the attribute as nominal, or correct the row.",
            ) from None

    def _array(self, name: str, column: array[float]) -> pa.Array:
        if name not in self._domains:
            return pa.array(column, pa.float64(), from_pandas=True)
        codes = pa.array(column, pa.float64()).cast(pa.int32())
        missing = pc.less(codes, 0)
        codes = pc.if_else(missing, pa.scalar(None, pa.int32()), codes)
        return pa.DictionaryArray.from_arrays(codes, self._domains[name])

    def _wrong(self, number: int, what: str) -> DataError:
        return DataError(f"Line {number} of {self._file} {what}.", "Correct the line.")

    def _weighted(self, number: int) -> DataError:
        return DataError(
            f"Line {number} of {self._file} gives a weight to its row, which Privet does not read.",
            "A record counts once in a guarantee: remove the weights.",
        )
