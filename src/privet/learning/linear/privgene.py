"""PrivGene as a coordinate search: in each step a private choice of which single weight to move, and whereto.

The candidates of a step are w ± σ·eⱼ for all weights j, and σ shrinks from step to step. Their scores are
the fall of the loss to first order, ∓σ·gⱼ: that is the published score but for a term of order σ², has the
same bound on what a record can change, and needs one gradient a step instead of 2d losses.

**Privacy.** Each step is one private choice with an equal share of the budget (``stats.linear.steepest``
bounds the scores, ``curator.ask`` pays); nothing but the chosen index leaves. DPWeka's number of steps,
0.125·n·ε, reads n off the data; here steps come from what is declared.

Reference: Zhang, Xiao, Yang, Zhang and Winslett (2013), PrivGene.
"""

from __future__ import annotations

import numpy as np

from privet.budget import Pure
from privet.curator import Choose, Curator
from privet.learning.linear.newton import Solution
from privet.schema import Category
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.gradient import Gradient
from privet.stats.linear.steepest import SteepestCoordinate

__all__ = ["choices_for", "fit_privgene"]

# Moves shrink from the first to the last, which is shorter in long searches (all constants here: tried on two
# real tables).
FIRST_MOVE, LAST_MOVE, SHORT = 1.0, 0.1, 30
# The cost of pure choices adds up as they are many, that of the others as the root of their number.
FEWEST, MOST_PURE, MOST = 5, 300, 1000
# A choice at ε tells slopes apart that differ by a few 1/ε records; 650/ε of them are worth a choice (tried).
WORTH = 650


def choices_for(curator: Curator, records: int) -> int:
    """How many choices to make, from what is public: the budget and the declared number of records."""
    currency = curator.currency
    if isinstance(currency, Pure):
        return int(min(max(float(currency.epsilon) * records / WORTH, FEWEST), MOST_PURE))
    # A choice at ε costs ε²/8 of ρ.
    return int(min(max(8 * float(currency.rho) * (records / WORTH) ** 2, FEWEST), MOST))


def fit_privgene(
    curator: Curator, encoding: Encoding, target: Category, steps: int, regularisation: float
) -> Solution:
    """Choose ``steps`` times a weight and a direction, and move it."""
    weights = np.zeros((1 if target.size == 2 else target.size, encoding.width))
    curator.hold()
    share = curator.left / steps
    moves = np.geomspace(FIRST_MOVE, min(LAST_MOVE, SHORT / steps), steps)
    for move in moves:
        gradient = Gradient(weights, target.name, encoding, following=True)
        question = Choose(SteepestCoordinate(gradient, regularisation), "which weight to move")
        [chosen] = curator.ask(question, share).chosen
        direction, place = divmod(chosen, weights.size)
        weights = weights.copy()
        weights.flat[place] += move if direction == 0 else -move
    return Solution(weights, None)
