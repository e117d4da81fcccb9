"""Schemas to audit an algorithm on when no other is given: small ones, on which faults show best.

The fewer columns and cells, the larger the share of ε that a single released number carries, and the fewer
runs are needed. So each schema has one or two columns, and together they cover numbers and categories, both
neighbour relations, and persons with several records.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from privet.errors import ParameterError
from privet.families import FAMILIES, Family, family_of
from privet.schema import Category, Schema, Unit

__all__ = ["deep_schemas", "open_schema", "quick_schema", "wider_schema"]


def quick_schema(algorithm: Any) -> Schema:
    """The smallest schema that an algorithm can learn from.

    >>> from privet.learning.classify import NaiveBayes
    >>> quick_schema(NaiveBayes()).names
    ('smoker', 'ill')
    """
    family = _family(algorithm)
    return Schema.of(family.smallest, target=family.smallest_target)


def wider_schema(algorithm: Any) -> Schema | None:
    """With a category more, so that a private choice has something to choose from; None without a class.

    >>> from privet.learning.classify import OneR
    >>> wider_schema(OneR()).names
    ('smoker', 'cough', 'ill')
    """
    family = _family(algorithm)
    if family.target != "class" or len(family.smallest) > 2:
        return None
    target = str(family.smallest_target)
    attributes = {name: what for name, what in family.smallest.items() if name != target}
    return Schema.of({**attributes, "cough": ["no", "yes"], target: family.smallest[target]}, target=target)


def open_schema(algorithm: Any) -> Schema | None:
    """One category of which nothing is listed, for algorithms that find values; None for all others."""
    if not getattr(algorithm, "searches", False):
        return None
    return Schema((Category("ward", (), other="another"),))


def _family(algorithm: Any) -> Family:
    """The algorithm's family; that of a stranger by what scikit-learn's tags say it is."""
    try:
        return family_of(algorithm)
    except ParameterError:
        from sklearn.utils import get_tags

        kind = get_tags(algorithm).estimator_type
        return FAMILIES[{"classifier": "classify", "regressor": "regress"}.get(str(kind), "cluster")]


def deep_schemas(algorithm: Any) -> dict[str, Schema]:
    """The quick schema and its variants, each with words for it.

    Persons who are exchanged are the most that a unit can be: all records of one go, and another's come.
    """
    quick = quick_schema(algorithm)
    target = quick.target
    classes: Any = {} if target is None else {target: _family(algorithm).smallest[target]}
    return {
        "the smallest table": quick,
        "persons with up to 3 records exchanged": replace(quick, unit=Unit("replace", id="person", most=3)),
        "a number and a category": Schema.of(
            {"age": (0.0, 100.0), "ward": ["a", "b", "c"], **classes}, target=target
        ),
    }
