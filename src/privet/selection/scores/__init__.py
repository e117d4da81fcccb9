"""How much an attribute tells about the class: one score a file, each with the proof of its sensitivity."""

from privet.selection.scores.alleles import Allelic, Trend
from privet.selection.scores.base import Score, Tables
from privet.selection.scores.chi2 import Chi2
from privet.selection.scores.counts import Majority, MutualInformation
from privet.selection.scores.distance import Distance, OddsRatio
from privet.selection.scores.p_value import PValue

__all__ = [
    "Allelic",
    "Chi2",
    "Distance",
    "Majority",
    "MutualInformation",
    "OddsRatio",
    "PValue",
    "Score",
    "Tables",
    "Trend",
]
