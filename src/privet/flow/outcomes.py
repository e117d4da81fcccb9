"""What a private choice of attributes may leave: the cases that a step behind it must be ready for.

Which attributes are chosen is not known before it is paid for. So a plan tries every later step on the
extremes: as few attributes as the choice may leave, all of them numbers, or all of them categories.
"""

from __future__ import annotations

from typing import Any

from privet.estimator.tables import cut
from privet.schema import Category, Schema

__all__ = ["outcomes"]


def outcomes(selector: Any, schema: Schema) -> tuple[Schema, ...]:
    """Schemas that the choice may leave of this one.

    >>> from privet.selection import SelectKBest
    >>> schema = Schema.of({"age": (0, 9), "ward": ["a"], "sex": ["f", "m"], "ill": [0, 1]}, target="ill")
    >>> [each.names for each in outcomes(SelectKBest(k=2), schema)]
    [('age', 'ward', 'ill'), ('ward', 'sex', 'ill')]
    """
    fixed = getattr(selector, "k", None)
    names = {
        kind: [c.name for c in schema.attributes if isinstance(c, Category) is kind] for kind in (False, True)
    }
    found = [cut(schema, (names[kind] + names[not kind])[: fixed or 1]) for kind in (False, True)]
    if fixed == 0:  # as many as pass a test, which may be none
        found.append(cut(schema, ()))
    return tuple({each.names: each for each in found}.values())
