"""USE CASES shared by every face of Privet: values with declared parameters that are planned and run.

>>> from privet.service import Fit, Session
>>> Fit(algorithm="naive-bayes", data="people.csv", schema="people.schema.toml").algorithm
'naive-bayes'
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from privet.service.case import Result, UseCase
from privet.service.catalogue import USE_CASES, use_case
from privet.service.session import Session

__all__ = ["USE_CASES", "Result", "Session", "UseCase", "use_case"]

# Each use case's class by its name. They are imported when first used: some bring scikit-learn.
_HOMES = {cls: module for module, _, cls in (entry.home.partition(":") for entry in USE_CASES)}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'privet.service' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_HOMES]
