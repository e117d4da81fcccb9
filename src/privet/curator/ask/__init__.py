"""THE WAYS TO ASK, one per file: questions are values, and there are no others than these."""

from privet.curator.ask.blocks import Blocks
from privet.curator.ask.choose import Choice, Choose
from privet.curator.ask.class_sizes import ClassSizes, Sizes
from privet.curator.ask.count_significant import Count, CountSignificant
from privet.curator.ask.measure import Measure
from privet.curator.ask.minimise import Minimise, Minimum
from privet.curator.ask.question import Question
from privet.curator.ask.top_k import BestK, TopK

__all__ = [
    "QUESTIONS",
    "BestK",
    "Blocks",
    "Choice",
    "Choose",
    "ClassSizes",
    "Count",
    "CountSignificant",
    "Measure",
    "Minimise",
    "Minimum",
    "Question",
    "Sizes",
    "TopK",
]

#: All that may be asked.
QUESTIONS = (Blocks, Choose, ClassSizes, CountSignificant, Measure, Minimise, TopK)
