"""Where a number is cut, found in the private table and paid for; and how good it can be cut, for a choice.

``private_cuts`` cuts a number in levels, as a rule miner with this one attribute would: at each level every
interval is cut in two where the classes become purest. Candidates are the cuts of a public grid.

**Privacy.** The intervals of a level were released before, and a record is in one of them, so a level costs
one share for all its choices together (``stats.scores``, ``stats.refinements``). What comes out is a set of
cuts of the public grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator
from privet.schema import Category, Schema
from privet.stats import Answer, Assignment, Contingency, Rows, Scores, Statistic
from privet.stats.refinements import Refinements

__all__ = ["IntervalsCorrect", "most_right", "private_cuts"]


def private_cuts(curator: Curator, table: Contingency, levels: int, share: Fraction) -> tuple[float, ...]:
    """At most 2^levels − 1 of the table's cuts, chosen with this share of the budget."""
    name = str(table.row)
    found: tuple[float, ...] = ()
    for level in range(levels):
        now = found
        intervals = Assignment(partial(_interval, name, now), len(now) + 2, (name,))
        chosen = curator.choose(
            Refinements(intervals, (table,)), share / levels, f"where '{name}' is cut, level {level + 1}"
        )
        ends = [-np.inf, *now, np.inf]
        # The last part is of missing values. A cut that misses its interval cuts nothing.
        inside = [
            table.cuts[place]
            for place, low, high in zip(chosen, ends[:-1], ends[1:], strict=False)
            if low < table.cuts[place] < high
        ]
        found = tuple(sorted({*now, *inside}))
    return found


def _interval(name: str, cuts: tuple[float, ...], rows: Rows) -> NDArray[np.int64]:
    return rows.codes(name, cuts).astype(np.int64)


@dataclass(frozen=True)
class IntervalsCorrect(Scores):
    """How many records each attribute gets right, a number with the best ``most`` intervals of its grid.

    **Spread.** For fixed intervals a new record raises the largest cell of one row by 0 or 1 and no other
    (``stats.scores.MajorityCorrect``). The best of several such scores moves within [0, 1] as well: R = 1.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> question = IntervalsCorrect((Contingency("age", "ill", (30.0, 60.0, 90.0)),), most=2)
    >>> question.groups([np.array([[9, 0], [8, 1], [0, 7], [1, 9], [0, 2]])], schema)[0].tolist()
    [35]
    """

    tables: tuple[Contingency, ...]
    most: int

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.tables

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        scores = []
        for table, counts in zip(self.tables, answers, strict=True):
            if table.row is None or isinstance(schema[table.row], Category):
                scores.append(int(counts.max(axis=1).sum()))
            else:  # the last row is of missing values
                scores.append(most_right(counts[:-1], self.most) + int(counts[-1].max()))
        return [np.array(scores, np.int64)]


def most_right(counts: NDArray[np.int64], most: int) -> int:
    """How many records the majorities of at most ``most`` runs of rows get right, for the best runs.

    >>> most_right(np.array([[9, 0], [0, 7], [1, 9], [6, 0]]), most=2), most_right(np.eye(3, dtype=int), 3)
    (25, 3)
    """
    sums = np.vstack([np.zeros_like(counts[:1]), counts.cumsum(axis=0)])
    within = (sums[None, :] - sums[:, None]).max(axis=-1)  # the majority of the rows from one to another
    within[np.tril_indices(len(sums), -1)] = -int(sums[-1].sum()) - 1
    best = within[0]
    for _ in range(most - 1):
        best = (best[:, None] + within).max(axis=0)
    return int(best[-1])
