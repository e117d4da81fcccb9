"""What scores a model, by what it predicts: classes, or numbers. A family names which is its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from privet.curator import Measure
from privet.errors import ParameterError
from privet.estimator import numeric_target
from privet.evaluation.figures import Figure, Measured, Sums
from privet.evaluation.regression import RegressionEvaluation, regression_plan
from privet.evaluation.result import Evaluation
from privet.families import FAMILIES, at, family_of
from privet.release import Guarantee, Release
from privet.schema import Number, Schema
from privet.stats import Confusion, PredictionErrors, Predictor

__all__ = ["CLASSES", "NUMBERS", "Asked", "Measures", "Scoring", "measures_for", "measures_of"]

Measures = Literal["all", "confusion"]
Asked = list[tuple[Measure, Fraction]]


class Scoring(ABC):
    """How models of one kind are scored: what is asked of the test records, and what follows from it."""

    #: The one figure that says how good a model is.
    headline: ClassVar[str]

    @abstractmethod
    def questions(self, predictor: Predictor, schema: Schema, measures: Measures, bound: float) -> Asked:
        """What is asked of the test records; ``bound`` is where the log loss of one record is cut."""

    @abstractmethod
    def result(
        self, found: Sequence[Measured], schema: Schema, guarantee: Guarantee, bound: float, model: Any = None
    ) -> Evaluation | RegressionEvaluation:
        """The figures that follow from the answers."""

    @abstractmethod
    def records(self, found: Measured) -> float:
        """How many test records were counted."""

    @abstractmethod
    def merit(self, release: Release) -> float:
        """How good a model is beside others on the same records, from its first answer: more is better."""

    def headline_of(
        self, found: Sequence[Measured], schema: Schema, bound: float, model: Any = None
    ) -> Figure:
        """The headline figure that follows from the answers, before there is a guarantee."""
        return self.figure(self.result(found, schema, Guarantee.none(["Not released yet."]), bound, model))

    def figure(self, evaluation: Any) -> Figure:
        """The headline figure of an evaluation."""
        figure: Figure = getattr(evaluation, self.headline)
        return figure


class _Classes(Scoring):
    headline = "accuracy"

    def questions(self, predictor: Predictor, schema: Schema, measures: Measures, bound: float) -> Asked:
        target = schema.nominal_target().name
        confusion = Confusion(predictor, target)
        if measures == "confusion":
            return [(Measure(confusion, "confusion matrix"), Fraction(1))]
        if measures != "all":
            raise ParameterError(f"measures must be 'all' or 'confusion', but is {measures!r}.")
        errors = PredictionErrors(predictor, target, bound)
        return [
            (Measure(confusion, "confusion matrix"), Fraction(1, 2)),
            (Measure(errors, "sums of absolute errors, squared errors and log losses"), Fraction(1, 2)),
        ]

    def result(
        self, found: Sequence[Measured], schema: Schema, guarantee: Guarantee, bound: float, model: Any = None
    ) -> Evaluation:
        sums = Sums(found[1], bound, _prior(model)) if len(found) > 1 else None
        return Evaluation.of(schema.nominal_target().labels, found[0], sums, guarantee)

    def records(self, found: Measured) -> float:
        return float(found.value.sum())

    def merit(self, release: Release) -> float:
        return float(np.trace(release.value))  # right predictions


class _Numbers(Scoring):
    headline = "r2"

    def questions(self, predictor: Predictor, schema: Schema, measures: Measures, bound: float) -> Asked:
        return regression_plan(schema, predictor)

    def result(
        self, found: Sequence[Measured], schema: Schema, guarantee: Guarantee, bound: float, model: Any = None
    ) -> RegressionEvaluation:
        return RegressionEvaluation.of(numeric_target(schema), found[0], guarantee)

    def records(self, found: Measured) -> float:
        return float(found.value[0])

    def merit(self, release: Release) -> float:
        return -float(release.value[3])  # squared errors


CLASSES: Scoring = _Classes()
NUMBERS: Scoring = _Numbers()


def measures_of(model: Any) -> Scoring:
    """What scores this model; an error if its family has no scores."""
    try:
        home = family_of(model).measures
    except ParameterError:
        home = ""
    if not home:
        raise ParameterError(
            f"Only Privet's own classifiers and regressions can be scored here, not {type(model).__name__}.",
            "For example  privet.NaiveBayes(epsilon=1.0, schema=schema)  or  privet.Ridge(…)",
        )
    found: Scoring = at(home)
    return found


def measures_for(schema: Schema) -> Scoring:
    """What scores models of this schema's target."""
    number = schema.target is not None and isinstance(schema[schema.target], Number)
    found: Scoring = at(FAMILIES["regress" if number else "classify"].measures)
    return found


def _prior(model: Any) -> NDArray[np.float64] | None:
    """The training prior, if the model has learned one."""
    logarithms = getattr(model, "class_log_prior_", None)
    return None if logarithms is None else np.exp(logarithms)
