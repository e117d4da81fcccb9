"""THE WAYS TO ASK, one per file: questions are values, and there are no others than these."""

from privet.curator.ask.blocks import Blocks
from privet.curator.ask.choose import Choice, Choose
from privet.curator.ask.class_sizes import ClassSizes, Sizes
from privet.curator.ask.contribute import Contribute, Contribution
from privet.curator.ask.count_significant import Count, CountSignificant
from privet.curator.ask.find_values import FindValues, Values
from privet.curator.ask.forest import ChooseForest, Forest
from privet.curator.ask.gradual import Gradual, Levels
from privet.curator.ask.mapped import Mapped, Reduced
from privet.curator.ask.measure import Measure
from privet.curator.ask.minimise import Minimise, Minimum
from privet.curator.ask.question import Question
from privet.curator.ask.several import ChooseSeveral
from privet.curator.ask.top_k import BestK, TopK

__all__ = [
    "QUESTIONS",
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
    "FindValues",
    "Forest",
    "Gradual",
    "Levels",
    "Mapped",
    "Measure",
    "Minimise",
    "Minimum",
    "Question",
    "Reduced",
    "Sizes",
    "TopK",
    "Values",
]

#: All that may be asked.
QUESTIONS = (
    Blocks,
    Choose,
    ChooseForest,
    ChooseSeveral,
    ClassSizes,
    Contribute,
    CountSignificant,
    FindValues,
    Gradual,
    Mapped,
    Measure,
    Minimise,
    TopK,
)
