"""The header of an ARFF file: what is declared about each attribute, and how WEKA writes words.

WEKA's words are split at blanks and commas; a word may stand in single or double quotes, in which a backslash
escapes; ``%`` begins a comment; quotes never run over the end of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from privet.errors import DataError
from privet.sources.projection import distinct

__all__ = ["Attribute", "parse_header", "quoted", "words"]

NUMERIC = ("numeric", "real", "integer")

_WORD = re.compile(
    r"""'(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)" | (?P<comment>%.*)
      | (?P<bracket>[{}]) | (?P<bare>[^\s,%{}'"]+) | (?P<stray>['"])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
_PLAIN = re.compile(r"[\w.+\-/*:;=<>()&$#@!~^|]+")


@dataclass(frozen=True)
class Attribute:
    """One attribute: its name, and its kind or, where it is nominal, its domain."""

    name: str
    kind: str
    domain: tuple[str, ...] = ()

    @property
    def nominal(self) -> bool:
        return self.kind == "nominal"

    @property
    def minable(self) -> bool:
        return self.nominal or self.kind in NUMERIC


def _unescaped(text: str) -> str:
    def letter(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code, 8)) if code[0] in "01234567" else _LETTERS.get(code, code)

    return _ESCAPE.sub(letter, text) if "\\" in text else text


def words(line: str) -> list[tuple[str, bool]]:
    """The words of a line, each with whether it stood in quotes; comments are dropped.

    >>> words("1.5, 'it\\\\'s', ?  % why")
    [('1.5', False), ("it's", True), ('?', False)]
    """
    found = []
    for match in _WORD.finditer(line):
        kind, text = match.lastgroup, match.group(match.lastgroup or 0)
        if kind == "comment":
            break
        if kind == "stray":
            raise ValueError("a quote is not closed")
        found.append((_unescaped(text), True) if kind in ("single", "double") else (text, False))
    return found


def quoted(text: str) -> str:
    """A word as WEKA reads it back: in quotes where it needs them.

    >>> print(quoted("plain"), quoted("it's 100 %"), quoted("?"))
    plain 'it\\'s 100 %' '?'
    """
    if text != "?" and _PLAIN.fullmatch(text):
        return text
    text = text.replace("\\", "\\\\").replace("'", "\\'")
    for letter, character in (("n", "\n"), ("t", "\t"), ("r", "\r")):
        text = text.replace(character, "\\" + letter)
    return f"'{text}'"


def parse_header(lines: Iterable[str], file: str) -> tuple[Attribute, ...]:
    """The attributes that the lines above ``@data`` declare."""
    attributes = []
    for number, line in enumerate(lines, start=1):
        try:
            found = words(line.lstrip("\ufeff"))
        except ValueError:
            raise DataError(f"Line {number} of {file}: a quote is not closed.") from None
        if not found:
            continue
        keyword = found[0][0].lower()
        if keyword == "@attribute":
            attributes.append(_attribute(found[1:], f"Line {number} of {file}"))
        elif keyword not in ("@relation", "@end"):
            raise DataError(
                f"Line {number} of {file} is not part of an ARFF header.",
                "Expected @relation, @attribute, @data or a comment that begins with %.",
            )
    if not attributes:
        raise DataError(f"The file {file} declares no attribute.", "Is it an ARFF file?")
    distinct(attribute.name for attribute in attributes)
    return tuple(attributes)


def _attribute(found: list[tuple[str, bool]], where: str) -> Attribute:
    if len(found) < 2:
        raise DataError(f"{where}: an attribute needs a name and a kind.", "@attribute age numeric")
    name, kind = found[0][0], found[1][0].lower()
    if found[1] != ("{", False):
        if kind == "relational":
            raise DataError(
                f"Attribute '{name}' is relational, which Privet does not read.", "Flatten it first."
            )
        if kind not in (*NUMERIC, "string", "date"):
            raise DataError(
                f"{where}: attribute '{name}' has an unknown kind.", "numeric, or a list in braces"
            )
        return Attribute(name, kind)
    if found[-1] != ("}", False):
        raise DataError(f"{where}: the domain of '{name}' has no closing brace.")
    domain = tuple(text for text, _ in found[2:-1])
    if not domain or len(set(domain)) < len(domain):
        raise DataError(f"{where}: the domain of '{name}' is empty or names a value twice.")
    return Attribute(name, "nominal", domain)
