"""Which noise an integer answer gets for an amount of privacy."""

from __future__ import annotations

from fractions import Fraction

from privet.budget.amounts import Pure, Zcdp
from privet.errors import ParameterError
from privet.mechanisms.discrete_gaussian import DiscreteGaussian
from privet.mechanisms.geometric import GeometricNoise

__all__ = ["noise_for"]


def noise_for(amount: Pure | Zcdp, l1: int, squared_l2: int | Fraction) -> GeometricNoise | DiscreteGaussian:
    """The noise for a vector of whole numbers that has these sensitivities, at exactly this amount.

    Pure ε pays for the L1 distance with geometric noise, zCDP for the L2 distance with discrete Gaussian
    noise, which is the smaller of the two when one record touches many coordinates.

    >>> noise_for(Pure(Fraction(1, 2)), l1=22, squared_l2=22)
    GeometricNoise(epsilon=Fraction(1, 2), sensitivity=22)
    >>> noise_for(Zcdp(Fraction(1, 8)), l1=22, squared_l2=22).squared_sensitivity
    Fraction(22, 1)
    """
    match amount:
        case Pure(epsilon):
            return GeometricNoise(epsilon, l1)
        case Zcdp(rho):
            return DiscreteGaussian(rho, Fraction(squared_l2))
    raise ParameterError(
        f"No single noise spends an amount of type {type(amount).__name__}.",
        "Let an accountant turn (ε, δ) into zCDP first.",
    )
