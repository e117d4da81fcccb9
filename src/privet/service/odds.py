"""What an attacker could learn, told as odds out of 100: the game that everybody understands.

**The game.** A coin decides whether one person is in the table. The attacker knows everything else (all other
records, the algorithm, its settings), sees all that was released, and says whether the person is in it.
Guessing blindly they are right 50 times out of 100.

**The bound.** If all releases together are (ε, δ)-differentially private, the attacker is right with
probability at most (e^ε + δ) / (1 + e^ε).

*Proof.* Let S be the releases after which the attacker says "in", P their distribution with the person and
Q without. There are two ways to be wrong, a = 1 − P(S) and b = Q(S), and the chance to be right is 1 − (a +
b) / 2. Privacy gives P(S) ≤ e^ε·Q(S) + δ and, for the complement, 1 − Q(S) ≤ e^ε·(1 − P(S)) + δ: that is 1
− a ≤ e^ε·b + δ and 1 − b ≤ e^ε·a + δ. Their sum is 2 − (a + b) ≤ e^ε·(a + b) + 2δ, so a + b ≥ 2(1 − δ) / (1
+ e^ε), and the chance to be right is at most 1 − (1 − δ) / (1 + e^ε), which is (e^ε + δ) / (1 + e^ε). ∎

For δ = 0 that is e^ε / (1 + e^ε), the posterior of an even prior. It holds for both neighbour relations:
under ``replace`` the coin decides which of two people is in the table. Geometric noise on a count reaches
it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.budget import Amount

__all__ = ["COIN", "odds_of"]

COIN = 50.0
# Of an amount in ρ: the chance, as small as one likes to say, that its ε does not hold.
_DELTA_OF_ZCDP = Fraction(1, 10**6)


def odds_of(amount: Amount | None) -> float:
    """How often out of 100 an attacker is right at most, rounded up to a tenth; a coin's 50 for nothing.

    >>> from privet.budget import budget
    >>> odds_of(None), odds_of(budget(0.1)), odds_of(budget(1.0)), odds_of(budget(10.0))
    (50.0, 52.5, 73.2, 100.0)
    """
    from privet.budget import Zcdp, zcdp_to_epsilon

    if amount is None:
        return COIN
    if isinstance(amount, Zcdp):
        epsilon, delta = float(zcdp_to_epsilon(amount.rho, _DELTA_OF_ZCDP)), float(_DELTA_OF_ZCDP)
    else:
        epsilon, delta = float(amount.epsilon), float(amount.delta)
    right = 1.0 - (1.0 - delta) / (1.0 + math.exp(min(epsilon, 700.0)))
    return min(math.ceil(right * 1000.0) / 10.0, 100.0)
