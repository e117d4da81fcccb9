"""WEKA's JSON: ARFF as a document, dense and sparse. It is read whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from privet.errors import DataError
from privet.sources.arff_header import NUMERIC, Attribute
from privet.sources.attributes import AttributeSource, Record
from privet.sources.files import open_input, reading

__all__ = ["JsonArffSource"]


class JsonArffSource(AttributeSource):
    """The records of a JSON file that WEKA wrote.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "x.json"
    >>> header = {"attributes": [{"name": "age", "type": "numeric"}]}
    >>> _ = path.write_text(json.dumps({"header": header, "data": [{"values": ["30"]}, {"values": ["?"]}]}))
    >>> next(JsonArffSource(path).batches()).to_pydict()
    {'age': [30.0, None]}
    """

    def read_attributes(self) -> tuple[Attribute, ...]:
        try:
            self._document = self._read()
            return tuple(_attribute(each) for each in self._document["header"]["attributes"])
        except (KeyError, TypeError, AttributeError):
            raise DataError(
                f"The file {self.path.name} declares no attributes.", "Is it a JSON file of WEKA's?"
            ) from None

    def records(self) -> Iterator[Record]:
        for entry in self._document.get("data") or ():
            try:
                yield self._record(entry)
            except (KeyError, TypeError, ValueError, AttributeError, IndexError):
                raise DataError(
                    f"A record of {self.path.name} is not one of WEKA's JSON.", "Write the file again."
                ) from None

    def _read(self) -> Any:
        with open_input(self.path) as stream, reading(self.path):
            try:
                return json.loads(stream.read())
            except (ValueError, RecursionError):
                raise DataError(
                    f"The file {self.path.name} is no JSON, or cut off.", "Copy or download it again."
                ) from None

    def _record(self, entry: Any) -> Record:
        cells = entry["values"]
        if not entry.get("sparse"):
            return [_cell(cell) for cell in cells]
        whole: list[str | None] = [
            attribute.domain[0] if attribute.nominal else "0" if attribute.kind in NUMERIC else None
            for attribute in self._attributes
        ]
        for cell in cells:
            place, _, value = cell.partition(":")
            whole[range(len(whole))[int(place)]] = _cell(value)
        return whole


def _attribute(entry: Any) -> Attribute:
    return Attribute(entry["name"], entry["type"].lower(), tuple(entry.get("labels") or ()))


def _cell(cell: Any) -> str | None:
    if cell is None or cell == "?":
        return None
    return "?" if cell == "'?'" else str(cell)  # WEKA's way to write the value that looks like no value
