"""How often forecasts named too small an ε: what was seen on public tables, for whoever reads a forecast.

The figures are those of ``docs/experiments/forecast.md``, and a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TESTED", "Tested", "how_tested"]


@dataclass(frozen=True)
class Tested:
    """On so many public tables the ε named for a loss of 2 points was compared with the one needed.

    ``too_small`` counts those where it was below 0.8 of that, and ``doubled`` those where twice as much was.
    """

    tables: int
    too_small: int
    doubled: int

    def in_words(self) -> str:
        """What a reader of a forecast should know.

        >>> Tested(19, 6, 2).in_words()
        'Put to the test on 19 public tables, it named too small an epsilon on 6; twice as much, on 2.'
        """
        head = f"Put to the test on {self.tables} public tables, it named too small an epsilon on"
        return f"{head} {self.too_small or 'none'}" + (
            f"; twice as much, on {self.doubled or 'none'}." if self.too_small else "."
        )


#: By the class of an algorithm.
TESTED = {
    "NaiveBayes": Tested(19, 1, 0),
    "LogisticRegression": Tested(19, 1, 0),
    "OneR": Tested(19, 2, 0),
    "RuleMiner": Tested(19, 0, 0),
    "DecisionTree": Tested(19, 5, 3),
    "AdditiveModel": Tested(19, 3, 1),
}


def how_tested(*algorithms: str) -> str:
    """What is known about forecasts for algorithms of these classes, one of which learns, by ε.

    >>> how_tested("NaiveBayes", "OneR")
    'Put to the test on 19 public tables, it named too small an epsilon on 1 for NaiveBayes, 2 for OneR.'
    """
    known = {name: TESTED[name] for name in dict.fromkeys(algorithms) if name in TESTED}
    if not known or len(known) < len(set(algorithms)):
        return "Forecasts for this algorithm were not put to the test on real tables."
    if len(known) == 1:
        return next(iter(known.values())).in_words()
    tables = min(each.tables for each in known.values())
    each = ", ".join(f"{found.too_small or 'none'} for {name}" for name, found in known.items())
    return f"Put to the test on {tables} public tables, it named too small an epsilon on {each}."
