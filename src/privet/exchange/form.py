"""What a released model computes, as values that every format can be written from.

A model's prediction is one of two things: a **sum**, to which every attribute (or pair) adds a number for
each class, or a **partition**, in which a record is in one part and each part has the shares of the classes.
Naive Bayes, logistic and linear regression and additive models are sums; rules and trees are partitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Column, Number, Schema
from privet.schema.columns import Value
from privet.stats import Coded
from privet.stats.conditions import Condition
from privet.stats.tree_parts import TreeParts

__all__ = [
    "Bell",
    "Cells",
    "Form",
    "RuleParts",
    "Slope",
    "Sum",
    "Term",
    "TreeForm",
    "label_text",
    "whole_numbers",
]

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """Numbers by the cell that one or two columns put a record in: ``values`` has a row for each cell.

    ``groups`` has, for each column, the group of each of its codes, missing last; cells are counted with the
    last column's groups running fastest.
    """

    coded: tuple[Coded, ...]
    groups: tuple[tuple[int, ...], ...]
    values: Table

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(each.column for each in self.coded)


@dataclass(frozen=True)
class Slope:
    """Weights times z, the number scaled from its public bounds to [−1, 1]; nothing where it is missing."""

    column: str
    weights: Table

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)


@dataclass(frozen=True)
class Bell:
    """−½·((z − mean)² / variance + log variance); nothing where the number is missing."""

    column: str
    mean: Table
    variance: Table

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)


Term = Cells | Slope | Bell


@dataclass(frozen=True)
class Sum:
    """A start plus terms: a number for each class (or one number), and what is made of them.

    ``link`` is ``softmax``; ``held``, the softmax whose residuals were held to a limit
    (``learning.additive.classes``); or ``number``, which stays within the target's public bounds.
    """

    start: Table
    terms: tuple[Term, ...]
    link: Literal["softmax", "held", "number"]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for term in self.terms for name in term.columns))


class _Parts:
    """Base of partitions."""

    shares: Table

    @property
    def likeliest(self) -> NDArray[np.int64]:
        """The place of each part's class, by logarithms, as Privet compares them: ties are the same ones."""
        return np.log(self.shares).argmax(axis=1)


@dataclass(frozen=True)
class RuleParts(_Parts):
    """The first rule whose conditions all hold; ``shares`` has a row for each rule and one for the rest."""

    rules: tuple[tuple[Condition, ...], ...]
    shares: Table

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.column for rule in self.rules for each in rule))


@dataclass(frozen=True)
class TreeForm(_Parts):
    """A tree over codes; ``shares`` has a row for each leaf, in the order of the nodes."""

    parts: TreeParts
    shares: Table

    @property
    def columns(self) -> tuple[str, ...]:
        return self.parts.columns


@dataclass(frozen=True)
class Form:
    """A model as a format sees it: which columns it reads, what it computes, and what that means.

    ``classes`` are None for a regression. A model that reads no column at all still needs to know how many
    records there are, so its first attribute counts as read.
    """

    schema: Schema
    classes: NDArray[Any] | None
    body: Sum | RuleParts | TreeForm

    @property
    def inputs(self) -> tuple[Column, ...]:
        """The columns that the model reads, in the order of the schema."""
        read = [column for column in self.schema.attributes if column.name in self.body.columns]
        return tuple(read or self.schema.attributes[:1])

    @property
    def target(self) -> Column:
        return self.schema[str(self.schema.target)]

    def number(self, name: str) -> Number:
        column = self.schema[name]
        assert isinstance(column, Number)
        return column


def whole_numbers(column: Category) -> bool:
    """Whether a category is handed over as whole numbers: where nothing in its domain is anything else.

    >>> whole_numbers(Category("grade", (1, 2, 3))), whole_numbers(Category("grade", (1, 2), other="more"))
    (True, False)
    """
    return all(isinstance(label, int) and not isinstance(label, bool) for label in column.labels)


def label_text(value: Value) -> str:
    """A value of a domain as text, as ARFF files have it, too; Privet reads it back as the same value.

    >>> [label_text(value) for value in ("yes", 3, 2.0, 2.5, True)]
    ['yes', '3', '2', '2.5', 'true']
    """
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
