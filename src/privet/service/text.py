"""Tables as text: columns that line up, for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["columns"]


def columns(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table whose columns are as wide as their widest cell.

    >>> print(columns(["clinic", "visits"], [["A", 12], ["North", 7]]))
    clinic  visits
    A       12
    North   7
    """
    cells = [list(map(str, heads)), *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    padded = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in padded)
