"""USE CASES shared by every face of Privet: values with declared parameters that are planned and run.

>>> from privet.service import Fit, Session
>>> Fit(algorithm="naive-bayes", data="people.csv", schema="people.schema.toml").algorithm
'naive-bayes'
"""

from __future__ import annotations

from privet.lazy import lazy
from privet.service.case import Result, UseCase
from privet.service.catalogue import USE_CASES, use_case
from privet.service.session import Session

__all__ = ["USE_CASES", "Result", "Session", "UseCase", "use_case"]

# Each use case's class by its name. They are imported when first used: some bring scikit-learn.
_HOMES = {cls: module for module, _, cls in (entry.home.partition(":") for entry in USE_CASES)}


__getattr__ = lazy(__name__, _HOMES)


def __dir__() -> list[str]:
    return [*__all__, *_HOMES]
