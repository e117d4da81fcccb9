"""Privet: a workbench for privacy-preserving data mining.

>>> import privet
>>> schema = privet.Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
>>> model = privet.NaiveBayes(epsilon=1.0, schema=schema)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.evaluation import PrivateSearch, cross_validate, evaluate
    from privet.learning.classify import LogisticRegression, NaiveBayes, OneR, RuleMiner
    from privet.learning.linear import Encoder
    from privet.learning.regress import LinearRegression, Ridge
    from privet.model import load_model, save_model
    from privet.schema import Category, Number, Schema, Unit, read_schema, write_schema
    from privet.selection import SelectKBest

__all__ = [
    "Category",
    "Encoder",
    "Ledger",
    "LinearRegression",
    "LogisticRegression",
    "NaiveBayes",
    "Number",
    "OneR",
    "PrivateSearch",
    "Ridge",
    "RuleMiner",
    "Schema",
    "SelectKBest",
    "Unit",
    "cross_validate",
    "evaluate",
    "load_model",
    "read_schema",
    "save_model",
    "write_schema",
]

__version__ = "0.2.0"

# Where each public name lives. They are imported when first used, so that `privet --help` and a ledger
# query do not wait a second and a half for scikit-learn (docs/decisions/0003-lazy-public-names.md).
_HOMES = {
    "privet.budget": ("Ledger",),
    "privet.evaluation": ("PrivateSearch", "cross_validate", "evaluate"),
    "privet.learning.classify": ("LogisticRegression", "NaiveBayes", "OneR", "RuleMiner"),
    "privet.learning.linear": ("Encoder",),
    "privet.learning.regress": ("LinearRegression", "Ridge"),
    "privet.model": ("load_model", "save_model"),
    "privet.selection": ("SelectKBest",),
    "privet.schema": ("Category", "Number", "Schema", "Unit", "read_schema", "write_schema"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'privet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
