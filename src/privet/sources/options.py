"""How a text file is to be read, where its name alone does not say."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

from privet.errors import ParameterError

__all__ = ["PLAIN", "ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """The encoding of a CSV file, its decimal sign, its delimiter, and whether a cell may span lines.

    ``decimal``: "." or ","; if it is None, a point, and in files separated by semicolons a comma too.
    ``delimiter``: if it is None, it is found in the first line.
    ``newlines``: cells in quotes may span several lines. One unclosed quote then swallows the records after
    it, so this is the owner's word that the file was written by a program that quotes correctly. Otherwise a
    line with an unclosed quote is refused.

    >>> ReadOptions(encoding="latin-1", decimal=",")
    ReadOptions(encoding='iso8859-1', decimal=',', delimiter=None, newlines=False)
    """

    encoding: str = "utf-8"
    decimal: Literal[".", ","] | None = None
    delimiter: str | None = None
    newlines: bool = False

    def __post_init__(self) -> None:
        try:
            known = codecs.lookup(self.encoding)
        except (LookupError, TypeError):
            known = None
        if known is None or not known._is_text_encoding:
            raise ParameterError(
                f"There is no text encoding {self.encoding!r}.", "For example: utf-8, latin-1, cp1252, utf-16"
            )
        object.__setattr__(self, "encoding", known.name)
        if self.decimal not in (None, ".", ","):
            raise ParameterError(f"The decimal sign cannot be {self.decimal!r}.", 'Use "." or ",".')
        if self.delimiter is not None and (
            not isinstance(self.delimiter, str)
            or len(self.delimiter) != 1
            or not self.delimiter.isascii()
            or self.delimiter in '"\r\n'
        ):
            raise ParameterError(
                f"The delimiter cannot be {self.delimiter!r}.", 'Use one character, such as "," or ";".'
            )
        if self.decimal == "," == self.delimiter:
            raise ParameterError(
                "A comma cannot separate cells and mark decimals at the same time.",
                "Give another delimiter or another decimal sign.",
            )


#: What is assumed of a file of which nothing is said.
PLAIN = ReadOptions()
