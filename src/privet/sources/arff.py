"""WEKA's ARFF files, dense and sparse, plain and gzip, in constant memory.

The data is read in blocks of lines. A block of plain comma-separated lines goes through pyarrow's CSV reader;
a block with escapes, comments, blanks for commas or sparse rows goes through the slower reader of WEKA's full
syntax, and so does every block that the fast reader cannot make sense of.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.schema.columns import HEADER
from privet.sources.arff_header import NUMERIC, parse_header
from privet.sources.arff_rows import RowReader
from privet.sources.files import FilePath, open_input, reading
from privet.sources.named import Named
from privet.sources.projection import chosen

__all__ = ["ArffSource"]

_BLOCK_BYTES = 1 << 21
_TEXT = pa.dictionary(pa.int32(), pa.string())
# Signs of more than plain cells: escapes, comments, braces, empty cells, and blanks next to a quote.
_AWKWARD = (b"\\", b"%", b"{", b"}", b"\t", b",,", b",\n", b",\r", b"\n,", b" '", b"' ", b' "', b'" ')
_COMMENT_LINE = re.compile(rb"^[ \t]*%.*\n?", re.MULTILINE)


class ArffSource(Named):
    """The rows of an ARFF file.

    Nominal attributes come as Arrow dictionaries over the header's domain, in its order, and are what the
    file declares public; numeric ones come as float64. A ``string`` or ``date`` attribute is refused when it
    is read, unless it is in ``ignore``, or a ``schema`` is given that does not name it: then it is no column.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "weather.arff"
    >>> _ = path.write_text("@relation w\\n@attribute sky {dry,wet}\\n@attribute t real\\n@data\\nwet,?\\n")
    >>> [batch.to_pydict() for batch in ArffSource(path).batches()]
    [{'sky': ['wet'], 't': [None]}]
    """

    def __init__(
        self,
        path: FilePath,
        schema: Schema | None = None,
        *,
        ignore: Iterable[str] = (),
        block_bytes: int = _BLOCK_BYTES,
    ) -> None:
        self.path = Path(path)
        self._block_bytes = block_bytes
        with open_input(self.path) as stream, reading(self.path):
            header = _header_lines(io.BufferedReader(stream), self.path.name)
            self._attributes = parse_header([line.decode() for line in header[:-1]], self.path.name)
        self._header_bytes, self._header_lines = sum(map(len, header)), len(header)
        ignored = set(ignore)
        if schema is not None:
            ignored |= {a.name for a in self._attributes if not a.minable and a.name not in schema}
        self._names = tuple(a.name for a in self._attributes if a.name not in ignored)
        # A domain with values that are empty or begin or end with a blank needs quotes to be told apart.
        self._plain = all(value == value.strip() != "" for a in self._attributes for value in a.domain)
        self._domains = {a.name: pa.array(a.domain, pa.string()) for a in self._attributes if a.nominal}

    def declared(self) -> Schema | None:
        nominal = [a for a in self._attributes if a.nominal and a.name in self._names]
        return Schema(tuple(Category(a.name, a.domain, origin=HEADER) for a in nominal)) if nominal else None

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        for attribute in self._attributes:
            if attribute.name in wanted and not attribute.minable:
                raise DataError(
                    f"Attribute '{attribute.name}' of {self.path.name} is a {attribute.kind}, "
                    "which Privet does not mine.",
                    "Leave it out (ignore it, or give a schema that does not name it), or make it nominal.",
                )
        rows = RowReader(self._attributes, self._domains, wanted, self.path.name)
        line = self._header_lines + 1
        with open_input(self.path) as stream, reading(self.path):
            reader = io.BufferedReader(stream)
            reader.read(self._header_bytes)
            for block in _blocks(reader, self._block_bytes):
                batch = self._fast(block, wanted) or rows.read(block.decode(), line)
                line += block.count(b"\n")
                if batch.num_rows:
                    yield batch

    def _fast(self, block: bytes, wanted: list[str]) -> pa.RecordBatch | None:
        """The block by pyarrow's CSV reader, or None if it is not plain."""
        if b"%" in block:
            block = _COMMENT_LINE.sub(b"", block)
        double = b'"' in block
        if not self._plain or (double and b"'" in block) or any(sign in block for sign in _AWKWARD):
            return None
        types = {a.name: pa.float64() if a.kind in NUMERIC else _TEXT for a in self._attributes}
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(block),
                read_options=arrow_csv.ReadOptions(
                    column_names=[a.name for a in self._attributes], block_size=len(block) + 1
                ),
                parse_options=arrow_csv.ParseOptions(quote_char='"' if double else "'", double_quote=False),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=types,
                    include_columns=wanted,
                    null_values=["?", " ?", "? ", " ? "],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        arrays = []
        for name in wanted:
            array = table.column(name).combine_chunks()
            if name in self._domains:
                trimmed = pc.ascii_trim_whitespace(array.dictionary)
                codes = pc.index_in(trimmed, self._domains[name])
                if codes.null_count:
                    return None
                array = pa.DictionaryArray.from_arrays(codes.take(array.indices), self._domains[name])
            arrays.append(array)
        return pa.RecordBatch.from_arrays(arrays, names=wanted)


def _header_lines(reader: BinaryIO, file: str) -> list[bytes]:
    """The lines up to and with ``@data``."""
    lines = []
    for line in iter(reader.readline, b""):
        lines.append(line)
        if line.strip().lower().split(b"%")[0].strip() == b"@data":
            return lines
    if not b"".join(lines).strip():
        raise DataError(f"The file {file} is empty.", "An ARFF file begins with @relation.")
    raise DataError(f"The file {file} has no @data line.", "Is it an ARFF file, and all of it?")


def _blocks(reader: BinaryIO, size: int) -> Iterator[bytes]:
    """Whole lines, in blocks of about this many bytes (quotes in ARFF never run over a line's end)."""
    rest = b""
    while chunk := reader.read(size):
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield rest + chunk[:cut]
            rest = chunk[cut:]
        else:
            rest += chunk
    if rest.strip():
        yield rest
