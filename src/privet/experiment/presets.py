"""Experiments to begin with."""

from __future__ import annotations

from privet.errors import ParameterError
from privet.experiment.parts import Contender, Dataset
from privet.experiment.value import Experiment

__all__ = ["PRESETS", "preset"]

_EPSILONS = (0.05, 0.1, 0.5, 1.0, 2.0, 10.0)
_CLINIC = Dataset("clinic", "generated", "clinic", 5000, 2024)

PRESETS: dict[str, Experiment] = {
    # As the figures of the DPWeka thesis: how accuracy grows with ε, for two classifiers.
    "clinic": Experiment(
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
    # How accuracy at one ε grows with the records, for learners of several kinds.
    "records": Experiment(
        tuple(Dataset(f"clinic {n}", "generated", "clinic", n, 2024) for n in (500, 1000, 2000, 5000, 10000)),
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
}


def preset(name: str) -> Experiment:
    """An experiment to begin with, by its name.

    >>> preset("clinic").size
    360
    """
    if name not in PRESETS:
        raise ParameterError(f"There is no preset '{name}'.", f"Choose one of: {', '.join(PRESETS)}.")
    return PRESETS[name]
