"""scikit-learn pipelines as flows, as far as their steps are Privet's own."""

from __future__ import annotations

from typing import Any

from privet.errors import ParameterError
from privet.flow.steps import FlowStep, kind_of
from privet.registry import name_of

__all__ = ["steps_of"]


def steps_of(pipeline: Any, data: str) -> tuple[FlowStep, ...]:
    """A source, and the pipeline's estimators one after the other."""
    if not hasattr(pipeline, "steps"):
        raise ParameterError(
            "This is not a pipeline of scikit-learn.",
            "For example  make_pipeline(SelectKBest(…), NaiveBayes(…))",
        )
    steps = [FlowStep("people", "source", (), {"data": data})]
    for name, estimator in pipeline.steps:
        if estimator in (None, "passthrough"):
            continue
        try:
            do = name_of(estimator)
            kind = kind_of(do)
        except ParameterError:
            raise ParameterError(
                f"The step '{name}' ({type(estimator).__name__}) is no algorithm of Privet's that measures, "
                "so what it learns from private rows would not be paid for.",
                "Replace it by one of Privet's, or leave it out: bounds in the schema scale numbers already.",
            ) from None
        settings = {
            p.name: getattr(estimator, p.name)
            for p in kind.settings
            if hasattr(estimator, p.name) and getattr(estimator, p.name) != p.default
        }
        steps.append(FlowStep(name, do, (steps[-1].name,), settings))
    return tuple(steps)
