"""Schemas to audit an algorithm on when no other is given: small ones, on which faults show best.

The fewer columns and cells, the larger the share of ε that a single released number carries, and the fewer
runs are needed. So each schema has one or two columns, and together they cover numbers and categories, both
neighbour relations, and persons with several records.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from privet.schema import Schema, Unit

__all__ = ["deep_schemas", "quick_schema"]


def quick_schema(algorithm: Any) -> Schema:
    """The smallest schema that an algorithm can learn from.

    >>> from privet.learning.classify import NaiveBayes
    >>> quick_schema(NaiveBayes()).names
    ('smoker', 'ill')
    """
    from sklearn.base import is_classifier, is_regressor
    from sklearn.utils import get_tags

    if is_regressor(algorithm):
        return Schema.of({"age": (0.0, 100.0), "pressure": (0.0, 200.0)}, target="pressure")
    if is_classifier(algorithm):
        return Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    if get_tags(algorithm).target_tags.required:  # a selector, which needs something to choose from
        return Schema.of(
            {"smoker": ["no", "yes"], "cough": ["no", "yes"], "ill": ["no", "yes"]}, target="ill"
        )
    return Schema.of({"age": (0.0, 100.0), "height": (1.0, 2.0)})


def deep_schemas(algorithm: Any) -> dict[str, Schema]:
    """The quick schema and its variants, each with words for it."""
    quick = quick_schema(algorithm)
    target = quick.target
    classes: Any = {"ill": ["no", "yes"]} if target == "ill" else {target: (0.0, 200.0)} if target else {}
    return {
        "the smallest table": quick,
        "a record exchanged": replace(quick, unit=Unit("replace")),
        "persons with up to 3 records": replace(quick, unit=Unit(id="person", most=3)),
        "a number and a category": Schema.of(
            {"age": (0.0, 100.0), "ward": ["a", "b", "c"], **classes}, target=target
        ),
    }
