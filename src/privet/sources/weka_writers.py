"""Writing the other formats that WEKA opens: XRFF, JSON, C4.5 and LIBSVM, record by record."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from privet.errors import DataError
from privet.schema import Schema
from privet.sources.files import FilePath, replacing
from privet.sources.writers import Rows, declared_cells

__all__ = ["write_c45", "write_json_arff", "write_libsvm", "write_xrff"]

_XML_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def write_xrff(rows: Rows, path: FilePath, schema: Schema | None = None) -> None:
    """Write an XRFF file (gzip, if its name ends in ``.gz``)."""
    attributes, records = declared_cells(rows, schema)
    with replacing(path) as stream:
        lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<dataset name={quoteattr(_relation(path))}>"]
        lines += ["<header><attributes>"]
        for name, labels in attributes:
            kind = "numeric" if labels is None else "nominal"
            inner = "".join(f"<label>{_xml(label)}</label>" for label in labels or ())
            inner = f"<labels>{inner}</labels>" if labels is not None else ""
            lines.append(f'<attribute name={quoteattr(name)} type="{kind}">{inner}</attribute>')
        lines += ["</attributes></header>", "<body><instances>", ""]
        stream.write("\n".join(lines).encode())
        for record in records:
            cells = "".join(map(_value, record))
            stream.write(f"<instance>{cells}</instance>\n".encode())
        stream.write(b"</instances></body></dataset>\n")


def write_json_arff(rows: Rows, path: FilePath, schema: Schema | None = None) -> None:
    """Write a JSON file as WEKA does (gzip, if its name ends in ``.gz``)."""
    attributes, records = declared_cells(rows, schema)
    header = [
        {"name": name, "type": "numeric" if labels is None else "nominal", "class": False, "weight": 1.0}
        | ({} if labels is None else {"labels": list(labels)})
        for name, labels in attributes
    ]
    with replacing(path) as stream:
        start = json.dumps({"relation": _relation(path), "attributes": header}, ensure_ascii=False)
        stream.write(f'{{"header": {start},\n"data": ['.encode())
        for place, record in enumerate(records):
            cells = ["?" if cell is None else "'?'" if cell == "?" else cell for cell in record]
            entry = json.dumps({"sparse": False, "weight": 1.0, "values": cells}, ensure_ascii=False)
            stream.write((f",\n{entry}" if place else f"\n{entry}").encode())
        stream.write(b"\n]}\n")


def write_c45(rows: Rows, path: FilePath, schema: Schema | None = None) -> None:
    """Write ``x.names`` and ``x.data``. The last column is the class, and must be a category."""
    attributes, records = declared_cells(rows, schema)
    *others, (name, classes) = attributes
    if classes is None:
        raise DataError(f"The last column '{name}' is a number, and C4.5 needs a class there.", _LAST)
    for text in (*(each for each, _ in attributes), *(c for _, labels in attributes for c in labels or ())):
        if re.search(r"[,:|?.\\\n]", text) or text != text.strip() or not text:
            raise DataError("C4.5 cannot hold a name or value with a comma, colon, bar or dot.", _OTHERWISE)
    data = Path(path).with_suffix(".data")
    with replacing(data) as stream:
        for record in records:
            stream.write((",".join("?" if cell is None else cell for cell in record) + "\n").encode())
    with replacing(Path(path).with_suffix(".names")) as stream:
        lines = [f"{', '.join(classes)}.", ""]
        lines += [f"{n}: {'continuous' if labels is None else ', '.join(labels)}." for n, labels in others]
        stream.write(("\n".join(lines) + "\n").encode())


def write_libsvm(rows: Rows, path: FilePath, schema: Schema | None = None) -> None:
    """Write a LIBSVM file of numbers; the last column is the label. Names of columns are lost in it."""
    attributes, records = declared_cells(rows, schema)
    if named := [name for name, labels in attributes if labels is not None]:
        raise DataError(f"'{named[0]}' is a category, and LIBSVM holds numbers.", _OTHERWISE)
    with replacing(path) as stream:
        for *cells, label in records:
            if label is None or None in cells:
                raise DataError("LIBSVM cannot hold a missing value.", _OTHERWISE)
            pairs = [f"{k}:{cell}" for k, cell in enumerate(cells, 1) if cell is not None and float(cell)]
            stream.write((" ".join([label, *pairs]) + "\n").encode())


_LAST = "Put the class last, and declare it as a category."
_OTHERWISE = "Write ARFF, XRFF or Parquet."


def _relation(path: FilePath) -> str:
    return Path(path).name.split(".")[0] or "table"


def _value(cell: str | None) -> str:
    return '<value missing="yes"/>' if cell is None else f"<value>{_xml(cell)}</value>"


def _xml(text: str) -> str:
    if _XML_FORBIDDEN.search(text):
        raise DataError("XML cannot hold a control character.", "Write ARFF or Parquet.")
    return escape(text)
