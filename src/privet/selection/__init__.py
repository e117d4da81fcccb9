"""Which attributes are related to the class: scores, private choices, and genome-wide association."""

from privet.selection.distances import distance_scores
from privet.selection.k_best import SelectKBest
from privet.selection.odds_ratio import OddsRatioEstimate, odds_ratio

__all__ = ["OddsRatioEstimate", "SelectKBest", "distance_scores", "odds_ratio"]
