"""Which attributes are related to the class: scores, private choices, and genome-wide association."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.lazy import lazy
from privet.selection.odds_ratio import OddsRatioEstimate, odds_ratio
from privet.stats.association.distances import distance_scores

if TYPE_CHECKING:
    from privet.selection.bee_tables import PrivateBeeSelection
    from privet.selection.k_best import SelectKBest

__all__ = ["OddsRatioEstimate", "PrivateBeeSelection", "SelectKBest", "distance_scores", "odds_ratio"]


# Selectors need scikit-learn, which is larger than all that counting a genome takes.
__getattr__ = lazy(
    __name__, {"PrivateBeeSelection": "privet.selection.bee_tables", "SelectKBest": "privet.selection.k_best"}
)
