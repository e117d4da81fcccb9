"""Where a number is cut, found in the private table and paid for.

``private_cuts`` cuts a number in levels, as a rule miner with this one attribute would: at each level every
interval is cut in two where the classes become purest. Candidates are the cuts of a public grid.

**Privacy.** The intervals of a level were released before, and a record is in one of them, so a level costs
one share for all its choices together (``stats.scores``, ``stats.choices.refinements``). What comes out is
a set of cuts of the public grid.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privet.curator import Choose, Curator
from privet.stats import Coded, Contingency, Cross
from privet.stats.choices.refinements import Refinements

__all__ = ["private_cuts"]


def private_cuts(curator: Curator, table: Contingency, levels: int, share: Fraction) -> tuple[float, ...]:
    """At most 2^levels − 1 of the table's cuts, chosen with this share of the budget."""
    name = str(table.row)
    found: tuple[float, ...] = ()
    for level in range(levels):
        now = found
        question = Refinements(Cross((Coded(name, now),)), (table,))
        chosen = curator.ask(
            Choose(question, f"where '{name}' is cut, level {level + 1}"), share / levels
        ).chosen
        ends = [-np.inf, *now, np.inf]
        # The last part is of missing values. A cut that misses its interval cuts nothing.
        inside = [
            table.cuts[place]
            for place, low, high in zip(chosen, ends[:-1], ends[1:], strict=False)
            if low < table.cuts[place] < high
        ]
        found = tuple(sorted({*now, *inside}))
    return found
