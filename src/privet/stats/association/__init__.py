"""How much an attribute says about the class: one score per file, each with the proof of its sensitivity."""

from privet.stats.association.alleles import Allelic, Trend
from privet.stats.association.base import Association, Tables
from privet.stats.association.candidates import Attributes, Candidates, Variants
from privet.stats.association.chi2 import Chi2
from privet.stats.association.counts import Majority, MutualInformation
from privet.stats.association.distance import Distance, OddsRatio
from privet.stats.association.p_value import PValue

__all__ = [
    "Allelic",
    "Association",
    "Attributes",
    "Candidates",
    "Chi2",
    "Distance",
    "Majority",
    "MutualInformation",
    "OddsRatio",
    "PValue",
    "Tables",
    "Trend",
    "Variants",
]
