"""EXPERIMENTS: data × algorithms × settings × ε × repetitions, as one value and one text file.

Public and made-up data cost nothing. Private data is priced as a whole before it runs, and every figure of it
is a release with an error bar. What was measured is kept cell by cell, so that a run can be killed at any
time and goes on where it stopped.
"""

from privet.experiment.planning import ExperimentPlan
from privet.experiment.presets import PRESETS, preset
from privet.experiment.results import Results
from privet.experiment.value import Contender, Dataset, Experiment

__all__ = ["PRESETS", "Contender", "Dataset", "Experiment", "ExperimentPlan", "Results", "preset"]
