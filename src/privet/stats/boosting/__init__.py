"""Questions about what an additive model has missed: residuals by cell, and which cells to ask about."""

from privet.stats.boosting.additive import Additive
from privet.stats.boosting.candidates import Candidates
from privet.stats.boosting.grouping import Grouped, Grouping
from privet.stats.boosting.residuals import ClassResiduals, NumberResiduals, Residuals
from privet.stats.boosting.term_scores import TermScores, TermTables

__all__ = [
    "Additive",
    "Candidates",
    "ClassResiduals",
    "Grouped",
    "Grouping",
    "NumberResiduals",
    "Residuals",
    "TermScores",
    "TermTables",
]
