"""EXPERIMENTS: data × algorithms × settings × ε × repetitions, as one value and one text file.

Public and made-up data cost nothing. Private data is priced as a whole before it runs, and every figure of it
is a release with an error bar. What was measured is kept cell by cell, so that a run can be killed at any
time and goes on where it stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.experiment.presets import PRESETS, preset
from privet.experiment.value import Contender, Dataset, Experiment
from privet.lazy import lazy

if TYPE_CHECKING:
    from privet.experiment.planning import ExperimentPlan
    from privet.experiment.results import Results

__all__ = ["PRESETS", "Contender", "Dataset", "Experiment", "ExperimentPlan", "Results", "preset"]


# What plans and results need is loaded with the first of them: to read an experiment is quick.
__getattr__ = lazy(
    __name__, {"ExperimentPlan": "privet.experiment.planning", "Results": "privet.experiment.results"}
)
