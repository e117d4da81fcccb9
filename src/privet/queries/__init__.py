"""QUESTIONS TO A TABLE: where, group by, join; then counts, sums, means, quantiles: in Python or in SQL.

The price of a whole program is known before it runs, and every figure comes with an error bar.
"""

from privet.queries.answer import Answer, Figure
from privet.queries.measures import (
    Count,
    CountDistinct,
    CountOf,
    Mean,
    MeasureOf,
    Quantile,
    StandardDeviation,
    Sum,
    Variance,
)
from privet.queries.partition import Partition, partition
from privet.queries.program import Program
from privet.queries.selection import Selection
from privet.queries.table import Query, query
from privet.queries.terms import Term

__all__ = [
    "Answer",
    "Count",
    "CountDistinct",
    "CountOf",
    "Figure",
    "Mean",
    "MeasureOf",
    "Partition",
    "Program",
    "Quantile",
    "Query",
    "Selection",
    "StandardDeviation",
    "Sum",
    "Term",
    "Variance",
    "partition",
    "query",
]
