"""Tables of a page, and lines of prose that are short enough to read and to compare."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

_LONGEST = 120
#: What a line must not begin with by chance: it would be a list, a heading or a quotation.
_BEGINS = re.compile(r"([-+*>]|#+|\d+[.)])(\s|$)")
_LEFT_ALONE = ("|", "#", "!", "```")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table.

    >>> print(table(["set", "accuracy"], [["iris", "0.95"]]))
    | set | accuracy |
    |---|---|
    | iris | 0.95 |
    """
    lines = [f"| {' | '.join(row)} |" for row in rows]
    head = f"| {' | '.join(heads)} |".replace("|  |", "| |")
    return "\n".join([head, "|" + "---|" * len(heads), *lines])


def wrapped(page: str) -> str:
    """A page whose lines of prose have at most 120 characters; tables, headings and code stay as they are.

    >>> print(wrapped("- " + "word " * 25 + "\\nand more").replace("word ", ""))
    - word
      and more
    """
    found: list[str] = []
    block: list[str] = []  # the lines of a paragraph, or of an item of a list
    code = False
    for line in page.split("\n"):
        alone = code or not line or line.startswith(_LEFT_ALONE)
        if alone or _BEGINS.match(line.lstrip()):
            found += _wrapped(block)
            block = []
        if line.startswith("```"):
            code = not code
        if alone:
            found.append(line)
        else:
            block.append(line)
    return "\n".join([*found, *_wrapped(block)])


def _wrapped(block: list[str]) -> list[str]:
    if all(len(line) <= _LONGEST for line in block):
        return block
    text = " ".join([block[0].rstrip(), *(line.strip() for line in block[1:])])
    item = _BEGINS.match(text.lstrip())
    indent = " " * (len(text) - len(text.lstrip()) + (item.end() if item else 0))
    for width in range(_LONGEST, _LONGEST // 2, -1):
        lines = textwrap.wrap(
            text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
        if not any(_BEGINS.match(line.lstrip()) for line in lines[1:]):
            return lines
    return block
