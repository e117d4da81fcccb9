"""Which parts of SQL are understood at all: what a parser has read and nobody here looks at is refused.

A parser knows more of SQL than is answered. ``SELECT * EXCEPT (age)`` or ``BETWEEN SYMMETRIC`` would be taken
for what they look like without the rest, and the answer would be one to another question.
"""

from __future__ import annotations

from typing import Any

from privet.queries.sql_expressions import refuse

__all__ = ["require_understood"]

_OF_A_COLUMN = {"this", "big_int"}

#: The parts of each thing that others here look at. What is not listed refuses its own parts, or is refused.
_PARTS: dict[str, set[str]] = {
    "Star": set(),
    "Column": {"this", "table"},
    "TableAlias": {"this"},
    "Subquery": {"this", "alias"},
    "Limit": {"expression"},
    "Ordered": {"this", "desc", "nulls_first"},
    "Between": {"this", "low", "high"},
    "In": {"this", "expressions"},
    "Is": {"this", "expression"},
    "If": {"this", "true"},
    "Case": {"this", "ifs", "default"},
    "Distinct": {"expressions"},
    "Anonymous": {"this", "expressions"},
    "Quantile": {"this", "quantile"},
    "Median": {"this"},
    **dict.fromkeys(("Count", "Sum", "Avg", "Min", "Max"), _OF_A_COLUMN),
    **dict.fromkeys(("Variance", "VariancePop", "Stddev", "StddevPop", "StddevSamp"), _OF_A_COLUMN),
}


def require_understood(statement: Any) -> None:
    """Refuse a statement that says more than anybody here looks at.

    >>> import sqlglot
    >>> require_understood(sqlglot.parse_one("SELECT COUNT(*) FROM data WHERE age BETWEEN 1 AND 9"))
    >>> require_understood(sqlglot.parse_one("SELECT COUNT(*) FROM data AS d(age)"))
    Traceback (most recent call last):
    ...
    privet.errors.ParameterError: 'd(age)' is not understood here.
      What to do: The documentation lists what can be asked in SQL.
    """
    for node in statement.walk():
        known = _PARTS.get(type(node).__name__)
        if known is not None and any(held for part, held in node.args.items() if part not in known):
            refuse(node)
