"""The bytes of a CSV file, checked on their way to the parser: one line can only change its own record.

A parser joins lines until a quote is closed. One record with a stray quote would thus swallow the records
after it: one person's cell would decide whether other people are counted, and no sensitivity would hold. So a
line in which a quoted cell is not closed is refused. What passes is the same read line by line or in one go.
"""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import IO, Any

import numpy as np

from privet.errors import DataError
from privet.sources.files import FilePath, open_input, reading

__all__ = ["CheckedLines", "check_lines"]

_START, _QUOTED = 0, 2
_CHUNK = 1 << 20


class CheckedLines:
    """A readable file of UTF-8 bytes, in constant memory.

    With ``newlines`` quoted cells may span lines; then only a quote that is never closed is refused.
    """

    def __init__(
        self, stream: IO[bytes] | Any, path: Path, delimiter: str, encoding: str, newlines: bool
    ) -> None:
        self._stream, self._path, self._newlines = stream, path, newlines
        self._encoding = encoding
        plain = codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")
        self._decoder = None if plain else codecs.getincrementaldecoder(encoding)()
        self._delimiter = ord(delimiter)
        self._state, self._lines = _START, 1
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        with reading(self._path, self._encoding):
            while True:
                raw = self._stream.read(_CHUNK if size is None or size < 0 else size)
                text = raw if self._decoder is None else self._decoder.decode(raw, not raw).encode()
                if text:
                    self._see(text)
                    return text
                if not raw:
                    self._finish()
                    return b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def _see(self, text: bytes) -> None:
        if self._state != _QUOTED and b'"' not in text:
            # Only how the block ends matters for the next one.
            self._lines += text.count(b"\n")
            self._state = _START if text[-1] in (10, 13, self._delimiter) else 1
            return
        from privet.sources.line_kernels import walk

        state, lines, open_at = walk(np.frombuffer(text, np.uint8), self._delimiter, self._state)
        if open_at >= 0 and not self._newlines:
            raise self._unclosed(f"Line {self._lines + open_at} of {self._path.name} has", "in its line")
        self._state, self._lines = state, self._lines + lines

    def _finish(self) -> None:
        if self._state == _QUOTED:
            if self._newlines:
                raise self._unclosed(f"The file {self._path.name} has", "up to the end of the file")
            raise self._unclosed(f"Line {self._lines} of {self._path.name} has", "in its line")

    def _unclosed(self, where: str, until: str) -> DataError:
        return DataError(
            f"{where} a quote that is not closed {until}: it would swallow the records after it.",
            "Correct the line. If cells of this file do span lines, and a program that quotes correctly "
            "wrote it, say so: ReadOptions(newlines=True).",
        )


def check_lines(path: FilePath, delimiter: str, newlines: bool) -> bool:
    """Refuse a file with an unclosed quote before somebody else reads it; whether all readers see it alike.

    They do where all lines end alike, no quote follows blanks at a cell's start, and no text a closing one.
    """
    path = Path(path)
    feeds = returns = pairs = state = 0
    quoted, last = True, b""
    with open_input(path) as stream:
        lines = CheckedLines(stream, path, delimiter, "utf-8", newlines)
        while text := lines.read(_CHUNK):
            feeds += text.count(b"\n")
            returns += text.count(b"\r")
            pairs += text.count(b"\r\n") + (last == b"\r" and text.startswith(b"\n"))
            last = text[-1:]
            # Of a block without quotes only its last line matters for the next one.
            tail = text if b'"' in text or state == _QUOTED else text[text.rfind(b"\n") + 1 :]
            state = state if len(tail) == len(text) else _START
            if quoted and tail:
                from privet.sources.line_kernels import by_the_book

                state, quoted = by_the_book(np.frombuffer(tail, np.uint8), ord(delimiter), state)
    return quoted and (returns == 0 or feeds == 0 or feeds == returns == pairs)
