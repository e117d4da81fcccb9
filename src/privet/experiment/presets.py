"""Experiments to begin with."""

from __future__ import annotations

from dataclasses import dataclass

from privet.errors import ParameterError
from privet.experiment.parts import Contender, Dataset
from privet.experiment.value import Experiment

__all__ = ["PRESETS", "Preset", "preset"]

_EPSILONS = (0.05, 0.1, 0.5, 1.0, 2.0, 10.0)
_CLINIC = Dataset("clinic", "generated", "clinic", 5000, 2024)


@dataclass(frozen=True)
class Preset:
    """An experiment with a title, and a line that says what it shows."""

    title: str
    line: str
    experiment: Experiment


PRESETS: dict[str, Preset] = {
    "clinic": Preset(
        "Accuracy over ε",
        "Naive Bayes and logistic regression on generated patients, from little budget to much.",
        Experiment(
            (_CLINIC,),
            (
                Contender("naive Bayes", "naive-bayes"),
                Contender("logistic regression", "logistic-regression"),
            ),
            _EPSILONS,
            repetitions=3,
            folds=10,
            name="clinic",
        ),
    ),
    "records": Preset(
        "Accuracy over records",
        "Three learners at one budget, on ever more generated patients.",
        Experiment(
            tuple(
                Dataset(f"clinic {n}", "generated", "clinic", n, 2024) for n in (500, 1000, 2000, 5000, 10000)
            ),
            (
                Contender("naive Bayes", "naive-bayes"),
                Contender("one rule", "one-r"),
                Contender("decision tree", "decision-tree"),
            ),
            (1.0,),
            repetitions=2,
            folds=5,
            name="records",
        ),
    ),
}


def preset(name: str) -> Experiment:
    """An experiment to begin with, by its name.

    >>> preset("clinic").size
    360
    """
    if name not in PRESETS:
        raise ParameterError(f"There is no preset '{name}'.", f"Choose one of: {', '.join(PRESETS)}.")
    return PRESETS[name].experiment
