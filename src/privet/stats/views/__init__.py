"""Rows seen through a question's own eyes: some of them, with columns made of others, record by record."""

from privet.stats.views.expressions import (
    Arithmetic,
    Compare,
    Connect,
    Constant,
    Expression,
    Field,
    IsIn,
    IsMissing,
    Labelled,
    LookedUp,
    Not,
)
from privet.stats.views.view import View
from privet.stats.views.viewed import Viewed

__all__ = [
    "Arithmetic",
    "Compare",
    "Connect",
    "Constant",
    "Expression",
    "Field",
    "IsIn",
    "IsMissing",
    "Labelled",
    "LookedUp",
    "Not",
    "View",
    "Viewed",
]
