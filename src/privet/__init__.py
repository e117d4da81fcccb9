"""Privet: a workbench for privacy-preserving data mining.

>>> import privet
>>> schema = privet.Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
>>> model = privet.NaiveBayes(epsilon=1.0, schema=schema)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.lazy import lazy

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.client import connect
    from privet.evaluation import (
        PrivateSearch,
        compare_models,
        cross_validate,
        diagnose,
        evaluate,
        permutation_importance,
    )
    from privet.evaluation.forecast import forecast
    from privet.experiment import Experiment
    from privet.flow import Flow
    from privet.learning.classify import (
        AdditiveModel,
        AutoClassifier,
        DecisionTree,
        LogisticRegression,
        NaiveBayes,
        OneR,
        RuleMiner,
    )
    from privet.learning.linear import Encoder
    from privet.learning.regress import AdditiveRegressor, AutoRegressor, LinearRegression, Ridge
    from privet.model import load_model, save_model
    from privet.queries import query
    from privet.schema import Category, Number, Schema, Unit, read_schema, write_schema
    from privet.selection import SelectKBest
    from privet.worlds import made_up

__all__ = [
    "AdditiveModel",
    "AdditiveRegressor",
    "AutoClassifier",
    "AutoRegressor",
    "Category",
    "DecisionTree",
    "Encoder",
    "Experiment",
    "Flow",
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
    "compare_models",
    "connect",
    "cross_validate",
    "diagnose",
    "evaluate",
    "forecast",
    "load_model",
    "made_up",
    "permutation_importance",
    "query",
    "read_schema",
    "save_model",
    "write_schema",
]

__version__ = "0.6.0"

# Where each public name lives. They are imported when first used, so that `privet --help` and a ledger
# query do not wait a second and a half for scikit-learn (docs/decisions/0003-lazy-public-names.md).
_HOMES = {
    "privet.budget": ("Ledger",),
    "privet.client": ("connect",),
    "privet.evaluation": (
        "PrivateSearch",
        "compare_models",
        "cross_validate",
        "diagnose",
        "evaluate",
        "permutation_importance",
    ),
    "privet.learning.classify": (
        "AdditiveModel",
        "AutoClassifier",
        "DecisionTree",
        "LogisticRegression",
        "NaiveBayes",
        "OneR",
        "RuleMiner",
    ),
    "privet.evaluation.forecast": ("forecast",),
    "privet.experiment": ("Experiment",),
    "privet.flow": ("Flow",),
    "privet.learning.linear": ("Encoder",),
    "privet.learning.regress": ("AdditiveRegressor", "AutoRegressor", "LinearRegression", "Ridge"),
    "privet.model": ("load_model", "save_model"),
    "privet.queries": ("query",),
    "privet.selection": ("SelectKBest",),
    "privet.schema": ("Category", "Number", "Schema", "Unit", "read_schema", "write_schema"),
    "privet.worlds": ("made_up",),
}


__getattr__ = lazy(__name__, {name: home for home, names in _HOMES.items() for name in names})


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
