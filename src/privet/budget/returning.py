"""What a reservation did not need, and why it may be given back.

Some mechanisms know only afterwards what they have cost: they add precision step by step, look at what they
have released, and stop when it is enough (``mechanisms.gradual``). They promise *ex-post* privacy: before,
ε* for whatever comes out; and for an outcome o an E(o) ≤ ε* with P(o) ≤ e^E(o)·Q(o) on all neighbours, P and
Q being the laws of the outcome on the two tables. ε* is reserved, and ε* − E(o) is given back.

**Proof that the limit holds.** Let each request be chosen after seeing earlier answers, and let b and d be
what is left of ε and δ. Claim: whatever follows, Σ max(P − e^b·Q, 0) ≤ d over all of its outcomes. By
induction on the number of requests. If the next one is ex-post private, Q(o) ≥ e^−E(o)·P(o), so

    Σₒ Σ max(P(o)·P(rest|o) − e^b·Q(o)·Q(rest|o), 0) ≤ Σₒ P(o)·Σ max(P(rest|o) − e^(b−E(o))·Q(rest|o), 0),

and the inner sum is at most d by the claim for what is left, b − E(o) ≥ 0 and d. For all other requests it is
the filter of Rogers, Roth, Ullman and Vadhan (2016). So sums of ε and δ, ``accountants.Basic``, may count
E(o) in place of ε*, which is Whitehouse, Ramdas, Rogers and Wu's (2023) filter for the pure case.

**What stays.** E(o)²/2 is no ρ of such a mechanism: ρ bounds a mean over outcomes, and the outcome chose E.
Its ρ is that of ε*, and is not given back. With that, ``Best`` holds as it is proved: outcomes that end
inside its first rule have P ≤ e^ε·Q by the claim with d = 0, and sums of ρ never fall.

Until the outcome is known all of ε* counts, so requests side by side cannot spend the same budget twice; a
run that fails gives nothing back.
"""

from __future__ import annotations

from fractions import Fraction

from privet.budget.cost import Cost

__all__ = ["returnable"]


def returnable(cost: Cost, epsilon: Fraction) -> bool:
    """Whether so much ε of a reservation of this cost may be given back: it must be pure, and some stays.

    >>> reserved = Cost(Fraction(1), Fraction(0), Fraction(1, 2))
    >>> returnable(reserved, Fraction(3, 4)), returnable(reserved, Fraction(1))
    (True, False)
    """
    return cost.epsilon is not None and cost.delta == 0 and 0 <= epsilon < cost.epsilon
