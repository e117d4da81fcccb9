"""Whether a table, view or query gives the same rows each time it is read: asked of PostgreSQL's own plan.

A view that calls ``random()`` is another table in each question, and a query with LIMIT or a sample takes in
one record for another that goes, so that one person moves two rows. Both are refused before anything is
spent. The plan shows what views are made of, whatever they are called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

__all__ = ["functions_in", "unsteady_node"]

_LITERAL = re.compile(r"'(?:[^']|'')*'")
_CALL = re.compile(r'(?:"((?:[^"]|"")+)"|([A-Za-z_][A-Za-z0-9_$]*))\(')

_UNSTEADY = {
    "Limit": "a LIMIT, which takes in another record when one is removed",
    "Sample Scan": "a sample, which is another one each time",
    "LockRows": "a lock of rows",
}


def unsteady_node(plan: Any) -> str | None:
    """What in the plan makes its rows depend on more than the records themselves; None if nothing does."""
    for node in _nodes(plan):
        if (why := _UNSTEADY.get(node.get("Node Type", ""))) is not None:
            return why
    return None


def functions_in(plan: Any) -> set[str]:
    """The names of all functions that the plan calls.

    >>> sorted(functions_in([{"Plan": {"Output": ["a", "(b + random())", "'rand()'"]}}]))
    ['random']
    """
    names: set[str] = set()
    for text in _texts(plan):
        for quoted, plain in _CALL.findall(_LITERAL.sub("''", text)):
            names.add(quoted.replace('""', '"') or plain)
    for node in _nodes(plan):
        if function := node.get("Function Name"):
            names.add(function)
    return names


def _nodes(plan: Any) -> Iterator[dict[str, Any]]:
    if isinstance(plan, list):
        for each in plan:
            yield from _nodes(each)
    elif isinstance(plan, dict):
        yield plan
        for each in plan.values():
            yield from _nodes(each)


def _texts(plan: Any) -> Iterator[str]:
    if isinstance(plan, str):
        yield plan
    elif isinstance(plan, list | dict):
        for each in plan.values() if isinstance(plan, dict) else plan:
            yield from _texts(each)
