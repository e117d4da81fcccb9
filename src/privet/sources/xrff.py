"""WEKA's XRFF: ARFF in XML, dense and sparse; one record at a time is in memory."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from privet.errors import DataError
from privet.sources.arff_header import NUMERIC, Attribute
from privet.sources.attributes import AttributeSource, Record
from privet.sources.files import open_input, reading

__all__ = ["XrffSource"]


class XrffSource(AttributeSource):
    """The records of an XRFF file. What a sparse record leaves out is 0, or the first value of its domain."""

    def read_attributes(self) -> tuple[Attribute, ...]:
        found = []
        for _, element in self._elements():
            if element.tag == "attribute":
                kind = element.get("type", "")
                labels = tuple(label.text or "" for label in element.iter("label"))
                found.append(Attribute(element.get("name", ""), kind.lower(), labels))
            if element.tag == "attributes":
                return tuple(found)
        raise DataError(f"The file {self.path.name} declares no attributes.", "Is it an XRFF file?")

    def records(self) -> Iterator[Record]:
        for _, element in self._elements():
            if element.tag == "instance":
                yield self._record(element)
                element.clear()

    def _record(self, element: ElementTree.Element) -> Record:
        cells = [
            None if each.get("missing") == "yes" else each.text or "" for each in element.findall("value")
        ]
        if element.get("type") != "sparse":
            return cells
        whole: list[str | None] = [
            attribute.domain[0] if attribute.nominal else "0" if attribute.kind in NUMERIC else None
            for attribute in self._attributes
        ]
        for each, cell in zip(element.findall("value"), cells, strict=True):
            place = each.get("index", "")
            if not place.isdecimal() or not 1 <= int(place) <= len(whole):
                raise DataError(f"A sparse record of {self.path.name} has a wrong place.", "Write it again.")
            whole[int(place) - 1] = cell
        return whole

    def _elements(self) -> Iterator[tuple[str, ElementTree.Element]]:
        with open_input(self.path) as stream, reading(self.path):
            try:
                yield from ElementTree.iterparse(stream, ("end",))
            except ElementTree.ParseError:
                raise DataError(
                    f"The file {self.path.name} is no XML, or cut off.", "Copy or download it again."
                ) from None
