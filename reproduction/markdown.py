"""Tables of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
