"""Logistic regression as the perturbed minimum of its loss: objective and output perturbation.

One optimisation on the records takes the whole budget. The loss is summed, not averaged, so the number of
records is not needed; all weights are regularised, the intercepts too, because the proof needs a curvature
of at least λ in every direction. λ is raised above what is asked for where the budget needs it
(``mechanisms.perturbed_minimum``, which has the proofs).

More than two classes are learned jointly: the slope of a record over all classes is at most twice that of two
classes, where one-against-the-rest models would cost a share of the budget each.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np

from privet.budget import exact
from privet.curator import Curator, Minimise
from privet.learning.linear.newton import Solution
from privet.schema import Category, Unit
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.logistic_loss import LogisticLoss

__all__ = ["curvature_share", "fit_perturbed"]

# From so many records for each unit of the tilt's scale on, λ is smallest (tried on two real tables, and on
# parts of one).
CLEAR = 2_400


def curvature_share(curator: Curator, loss: LogisticLoss, records: int) -> Fraction:
    """What part of ε the curvature would cost by itself: an eighth to a quarter, by what is public.

    The clearer the records stand out from the tilt, the more of the error comes from λ, which a larger share
    makes smaller; few records are helped by a larger λ. One rule for all units of privacy.
    """
    record = replace(curator.schema, unit=Unit())
    scale = loss.slope_norms(record)[0] / curator.amount.epsilon
    return (1 + min(Fraction(records) / scale / CLEAR, Fraction(1))) / 8


def fit_perturbed(
    curator: Curator,
    encoding: Encoding,
    target: Category,
    how: Literal["objective", "output"],
    regularisation: float,
    records: int,
) -> tuple[Solution, Fraction]:
    """The released weights, and the regularisation that they were found with."""
    loss = LogisticLoss(target.name, encoding, target.size)
    what = f"the weights that predict '{target.name}' best"
    share = curvature_share(curator, loss, records)
    release = curator.ask(Minimise(loss, how, exact(regularisation), what, share), curator.left)
    used = release.regularisation
    if how == "objective":  # what a tilt does to a weight depends on the records' curvature: private
        return Solution(release.value, None), used
    return Solution(release.value, np.full(loss.shape, release.error)), used
