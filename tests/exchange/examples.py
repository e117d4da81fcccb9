"""Models of every kind that leaves Privet, and records that try their edges."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from privet import (
    AdditiveModel,
    AdditiveRegressor,
    Category,
    DecisionTree,
    LinearRegression,
    LogisticRegression,
    NaiveBayes,
    Number,
    OneR,
    Ridge,
    RuleMiner,
    Schema,
)

COLUMNS = (
    Number("age", 0, 100),
    Number("height", 1.0, 2.0, cuts=(1.3, 1.55, 1.7)),
    Number("children", 0, 5, integer=True),
    Category("town", ("North", 'South "&" <East>', "été")),
    Category("grade", (1, 2, 3, 7)),
    Category("job", ("cook", "smith"), other="another"),
    Category("level", (1, 2), other="more"),
    Category("smoker", (False, True)),
)
TARGETS = {
    "words": Category("ill", ("no", "yes")),
    "three": Category("ill", ("none", "mild", "grave")),
    "numbers": Category("ill", (0, 1)),
    "wage": Number("wage", 0.0, 30.0),
}
MODELS: dict[str, tuple[str, type[Any], dict[str, Any]]] = {
    "naive Bayes": ("words", NaiveBayes, {}),
    "naive Bayes, three classes": ("three", NaiveBayes, {"bins": 5}),
    "naive Bayes, bells": ("numbers", NaiveBayes, {"numeric": "gaussian"}),
    "logistic regression": ("words", LogisticRegression, {"method": "newton", "steps": 2}),
    "logistic regression, three classes": ("three", LogisticRegression, {"method": "newton", "steps": 1}),
    "logistic regression, bins": (
        "three",
        LogisticRegression,
        {"method": "newton", "steps": 1, "numbers": "bins", "bins": 5},
    ),
    "linear regression": ("wage", LinearRegression, {}),
    "ridge": ("wage", Ridge, {"regularisation": 3.0}),
    "one rule": ("words", OneR, {}),
    "rules": ("three", RuleMiner, {}),
    "additive model": ("words", AdditiveModel, {"rounds": 10}),
    "additive model, three classes": ("three", AdditiveModel, {"rounds": 10}),
    "additive regressor": ("wage", AdditiveRegressor, {"rounds": 10}),
    "decision tree": ("three", DecisionTree, {"depth": 5}),
    "decision tree, numbers": ("numbers", DecisionTree, {"depth": 3, "splits": "binary"}),
}


def schema_for(target: str) -> Schema:
    return Schema((*COLUMNS, TARGETS[target]), target=TARGETS[target].name)


def records(size: int, seed: int) -> dict[str, list[Any]]:
    """Records with everything that may occur: missing cells, unknown values, numbers outside their bounds."""
    generator = np.random.default_rng(seed)

    def some(values: list[Any]) -> list[Any]:
        return [values[place] for place in generator.integers(0, len(values), size)]

    def holes(values: list[Any], odds: float = 0.08) -> list[Any]:
        return [
            None if hole else value for value, hole in zip(values, generator.random(size) < odds, strict=True)
        ]

    return {
        "age": holes((generator.normal(50, 40, size).round(generator.integers(0, 3))).tolist()),
        "height": holes(
            np.where(generator.random(size) < 0.3, 1.55, generator.uniform(0.5, 2.5, size)).tolist()
        ),
        "children": holes([float(number) for number in generator.integers(-1, 8, size)]),
        "town": holes(some(["North", 'South "&" <East>', "été", "elsewhere"])),
        "grade": holes(some([1, 2, 3, 7, 5])),
        "job": holes(some(["cook", "smith", "pilot"])),
        "level": holes(some(["1", "2", "9"])),
        "smoker": holes(some(["false", "true"])),
    }


@cache
def model(name: str) -> Any:
    """A model of that kind, learned with little noise from records that interact."""
    target, kind, parameters = MODELS[name]
    schema = schema_for(target)
    size = 3000
    table = records(size, 1)
    table["town"] = [None if value == "elsewhere" else value for value in table["town"]]
    table["grade"] = [None if value == 5 else value for value in table["grade"]]
    generator = np.random.default_rng(2)
    age = np.array([50.0 if value is None else value for value in table["age"]])
    job = np.array([{"cook": 1.0, "smith": -1.0}.get(value, 0.3) for value in table["job"]])
    smoker = np.array([{"true": 1.0, "false": -1.0}.get(value, 0.0) for value in table["smoker"]])
    drive = (age - 50) / 40 + 1.5 * job * smoker + generator.normal(0, 0.4, size)
    column = TARGETS[target]
    if isinstance(column, Category):
        cuts = [0.0] if column.size == 2 else [-0.7, 0.8]
        y: list[Any] = [column.values[place] for place in np.digitize(drive, cuts)]
    else:
        y = (15 + 4 * drive).tolist()
    made = kind(epsilon=50.0, schema=schema, random_state=3, **parameters)
    return made.fit(pa.table(table | {column.name: y}))
