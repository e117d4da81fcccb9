"""Quinlan's C4.5: a table is two files, ``x.names`` with the attributes and ``x.data`` with the records."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from privet.errors import DataError
from privet.sources.arff_header import Attribute
from privet.sources.attributes import AttributeSource, Record
from privet.sources.files import FilePath, open_text

__all__ = ["C45Source"]


class C45Source(AttributeSource):
    """The records of ``x.data`` as ``x.names`` declares them; either name may be given. The class comes last.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "golf.names"
    >>> _ = path.write_text("no, yes.  | the classes\\n\\nage: continuous.\\nsky: sunny, rain.\\n")
    >>> _ = path.with_suffix(".data").write_text("30, sunny, no\\n?, rain, yes.\\n")
    >>> next(C45Source(path).batches()).to_pydict()
    {'age': [30.0, None], 'sky': ['sunny', 'rain'], 'class': ['no', 'yes']}
    """

    def __init__(self, path: FilePath, schema: object = None) -> None:
        super().__init__(path)

    def read_attributes(self) -> tuple[Attribute, ...]:
        name = self.path.with_suffix(".names")
        with open_text(name) as file:
            entries = _entries(file.read())
        if not entries:
            raise DataError(f"The file {name.name} declares nothing.", "Its first line lists the classes.")
        classes = Attribute("class", "nominal", _values(entries[0]))
        self._ignored: set[int] = set()
        attributes = []
        for place, entry in enumerate(entries[1:]):
            title, colon, kind = entry.partition(":")
            if not colon:
                raise DataError(f"{name.name} has an entry without a colon.", "Write  attribute: values.")
            kind = kind.strip()
            if kind == "ignore":
                self._ignored.add(place)
            elif kind.startswith("discrete"):
                raise DataError(
                    f"Attribute '{title.strip()}' of {name.name} does not list its values.",
                    "List them there.",
                )
            elif kind == "continuous":
                attributes.append(Attribute(title.strip(), "numeric"))
            else:
                attributes.append(Attribute(title.strip(), "nominal", _values(kind)))
        return (*attributes, classes)

    def records(self) -> Iterator[Record]:
        with open_text(self.path.with_suffix(".data")) as file:
            lines = (line.partition("|")[0] for line in file)
            for cells in csv.reader((line for line in lines if line.strip()), skipinitialspace=True):
                texts = [cell.strip() for cell in cells]
                texts[-1] = texts[-1].removesuffix(".") if texts[-1] != "." else texts[-1]
                kept = [text for place, text in enumerate(texts) if place not in self._ignored]
                yield [None if text in ("?", "") else text for text in kept]


def _entries(text: str) -> list[str]:
    """The entries of a .names file; a full stop ends one, at the end of a line or before a blank."""
    text = "\n".join(line.partition("|")[0] for line in text.splitlines())
    return [entry.strip() for entry in re.split(r"\.(?=\s|$)|\n", text) if entry.strip()]


def _values(text: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in text.split(",") if value.strip())
