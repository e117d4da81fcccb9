"""Whether a table, view or query gives the same rows each time it is read: asked of PostgreSQL's own plan.

A view that calls ``random()`` is another table in each question, and a query with LIMIT or a sample takes in
one record for another that goes, so that one person moves two rows. Both are refused before anything is
spent. The plan shows what views are made of, whatever they are called.

So are window functions (the number of a row is another one when somebody else's goes), DISTINCT ON and lists
whose order is left open (whichever record is read first decides), and the time: a run has several
transactions, each with a time of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

__all__ = ["functions_in", "operators_in", "unsteady_literal", "unsteady_node", "unsteady_word"]

_LITERAL = re.compile(r"'(?:[^']|'')*'")
_CALL = re.compile(r'(?:"((?:[^"]|"")+)"|([A-Za-z_][A-Za-z0-9_$]*))\(')

_UNSTEADY = {
    "Limit": "a LIMIT, which takes in another record when one is removed",
    "Sample Scan": "a sample, which is another one each time",
    "LockRows": "a lock of rows",
    "Foreign Scan": "a table of another server or of a file, of which no snapshot is seen",
    "WindowAgg": "a window function, whose value for a record depends on other records",
}
_NAMES = re.compile(r'"(?:[^"]|"")*"')
_TIME = re.compile(
    r"\b(CURRENT_DATE|CURRENT_TIME(?:STAMP)?|LOCALTIME(?:STAMP)?|"
    r"(?:now|(?:transaction|statement|clock)_timestamp)(?=\())",
    re.IGNORECASE,
)
# What PostgreSQL keeps beside the columns of a table, and what is the session's: rows are read in two.
_PLACES = re.compile(r"(?<![\w$])(ctid|xmin|xmax|cmin|cmax)(?![\w$(])")
_SESSION = re.compile(
    r"\b(pg_backend_pid|inet_client_port|txid_current\w*|pg_current_(?:xact_id\w*|snapshot))\(", re.IGNORECASE
)
_LISTS = re.compile(r"\b((?:array|string|jsonb?|jsonb?_object|xml)_?agg|any_value)\(", re.IGNORECASE)
_PIECES = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\(|\)|, | ORDER BY |.""", re.DOTALL)
_DIRECTION = re.compile(r"(?: (?:ASC|DESC|USING \S+))?(?: NULLS (?:FIRST|LAST))?$")
_CONSTANT = re.compile(r"'(?:[^']|'')*'(?:::[a-z ]+)?")
_DAYS = re.compile(r"'\s*(now|today|tomorrow|yesterday)\b(?!\w)[^']*'", re.IGNORECASE)
_SIGNS = re.compile(r"[-+*/<>=~!@#%^&|`?]+")


def unsteady_node(plan: Any) -> str | None:
    """What in the plan makes its rows depend on more than the records themselves; None if nothing does."""
    for node in _nodes(plan):
        if (why := _UNSTEADY.get(node.get("Node Type", ""))) is not None:
            return why
        if "Relation Name" in node and (found := _PLACES.search(_bare_texts(node))):
            return f"{found[1]}, which tells where and when a record was written"
        if node.get("Node Type") == "Unique" and len(node.get("Output", ())) > _sorted_by(node):
            return "DISTINCT ON, which keeps whichever record is read first"
    return None


def _bare_texts(node: dict[str, Any]) -> str:
    """The expressions of a step by itself, without names in quotes and texts."""
    own = {name: each for name, each in node.items() if name != "Plans"}
    return " ".join(_NAMES.sub('""', _LITERAL.sub("''", text)) for text in _texts(own))


def _sorted_by(node: dict[str, Any]) -> int:
    """By how many keys the records right below are sorted: for DISTINCT, by all columns."""
    return next((len(below["Sort Key"]) for below in _nodes(node) if "Sort Key" in below), 0)


def unsteady_literal(query: str) -> str | None:
    """A text in a query that stands for a time and is read again each time; None if there is none.

    >>> unsteady_literal("SELECT * FROM visits WHERE day = 'today'::date")
    "'today', which is another one each time"
    >>> unsteady_literal("SELECT * FROM visits WHERE now < 'nowhere'") is None
    True
    """
    found = _DAYS.search(_NAMES.sub('""', query))
    return None if found is None else f"'{found[1].lower()}', which is another one each time"


def unsteady_word(plan: Any) -> str | None:
    """What in the plan's expressions makes them another thing each time; None if nothing does.

    >>> unsteady_word([{"Plan": {"Output": ["a", "CURRENT_DATE", "'now()'"]}}])
    'CURRENT_DATE, which is another one each time'
    >>> steady = ["string_agg(a, ', '::text ORDER BY b, a)", '"now("', "to_timestamp(a)"]
    >>> unsteady_word([{"Plan": {"Output": steady}}]) is None
    True
    >>> unsteady_word([{"Plan": {"Output": ["string_agg(lower(a), ', '::text ORDER BY b DESC)"]}}])
    'string_agg without ORDER BY of what it lists, whose order is left open'
    """
    for text in _texts(plan):
        bare = _NAMES.sub('""', _LITERAL.sub("''", text))
        if found := _TIME.search(bare):
            return f"{found[1]}, which is another one each time"
        if found := _SESSION.search(bare):
            return f"{found[1]}, which is each session's own"
        masked = _NAMES.sub(_blank, _LITERAL.sub(_blank, text))
        for found in _LISTS.finditer(masked):
            if not _ordered_by_itself(text[found.end() :]):
                return f"{found[1]} without ORDER BY of what it lists, whose order is left open"
    return None


def _ordered_by_itself(call: str) -> bool:
    """Whether a list's own values decide its order, by what follows its opening bracket.

    Records that share a place in an order by something else come as they are read. Of several values all
    must be in the order, but for a constant such as the text between them.

    >>> _ordered_by_itself("(t.a), ', '::text ORDER BY (t.a) DESC)"), _ordered_by_itself("a ORDER BY b)")
    (True, False)
    >>> _ordered_by_itself("k, v ORDER BY k)"), _ordered_by_itself("DISTINCT a ORDER BY a)")
    (False, True)
    """
    values, _, order = "".join(_until_closed(call)).partition("\0 ORDER BY ")
    keys = {_bare(_DIRECTION.sub("", key)) for key in order.split("\0, ")}
    listed = [_bare(value) for value in values.removeprefix("DISTINCT ").split("\0, ")]
    return bool(order) and all(value in keys or _CONSTANT.fullmatch(value) for value in listed)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _bare(text: str) -> str:
    """An expression without brackets around the whole of it, which PostgreSQL adds to some.

    >>> _bare("((t.a))"), _bare("(a)::text || (b)")
    ('t.a', '(a)::text || (b)')
    """
    while text.startswith("(") and "".join(_until_closed(text[1:])).replace("\0", "") == text[1:-1]:
        text = text[1:-1]
    return text


def _until_closed(call: str) -> Iterator[str]:
    """What stands before the bracket that closes, with a mark at commas and words of its own level."""
    depth = 0
    for piece in _PIECES.findall(call):
        depth += (piece == "(") - (piece == ")")
        if depth < 0:
            return
        yield f"\0{piece}" if depth == 0 and piece in (", ", " ORDER BY ") else piece


def operators_in(plan: Any) -> set[str]:
    """All signs in the plan that may be operators.

    >>> sorted(operators_in([{"Plan": {"Output": ["(a <+> b)", "'=='"]}}]))
    ['<+>']
    """
    return {sign for text in _texts(plan) for sign in _SIGNS.findall(_LITERAL.sub("''", text))}


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
