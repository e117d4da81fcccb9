"""THE ONE DOOR: exact answers exist only in this package, between the engine and the mechanism.

A curator is opened on a table with a budget. Its run reserves the whole budget in the ledger before a row is
read, lets algorithms ask until the budget is used up, and commits with the guarantee when it is closed.
Selection, learning and evaluation are written against it alone: they never see a row, cannot forget to pay,
and cannot spend more than was reserved.
"""

from privet.curator.apart import Apart
from privet.curator.ask import (
    BestK,
    Blocks,
    Choice,
    Choose,
    ChooseForest,
    ChooseSeveral,
    ClassSizes,
    Contribute,
    Contribution,
    Count,
    CountSignificant,
    FindValues,
    Forest,
    Gradual,
    Mapped,
    Measure,
    Minimise,
    Minimum,
    Question,
    Reduced,
    Sizes,
    TopK,
    Values,
)
from privet.curator.ask.gradual import require_pure
from privet.curator.blas import one_thread
from privet.curator.curator import Curator

__all__ = [
    "Apart",
    "BestK",
    "Blocks",
    "Choice",
    "Choose",
    "ChooseForest",
    "ChooseSeveral",
    "ClassSizes",
    "Contribute",
    "Contribution",
    "Count",
    "CountSignificant",
    "Curator",
    "FindValues",
    "Forest",
    "Gradual",
    "Mapped",
    "Measure",
    "Minimise",
    "Minimum",
    "Question",
    "Reduced",
    "Sizes",
    "TopK",
    "Values",
    "one_thread",
    "require_pure",
]
