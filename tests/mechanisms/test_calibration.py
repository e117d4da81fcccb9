from __future__ import annotations

from fractions import Fraction

import pytest

from privet.budget.amounts import Approximate, Pure, Zcdp
from privet.errors import ParameterError
from privet.mechanisms import DiscreteGaussian, GeometricNoise, noise_for


def test_pure_amounts_get_geometric_noise_on_the_l1_sensitivity():
    assert noise_for(Pure(Fraction(1, 3)), l1=4, squared_l2=16) == GeometricNoise(Fraction(1, 3), 4)


def test_concentrated_amounts_get_discrete_gaussian_noise_on_the_l2_sensitivity():
    assert noise_for(Zcdp(Fraction(1, 3)), l1=4, squared_l2=4) == DiscreteGaussian(
        Fraction(1, 3), Fraction(4)
    )


def test_other_amounts_are_refused():
    with pytest.raises(ParameterError, match="Approximate"):
        noise_for(Approximate(Fraction(1), Fraction(1, 10**6)), l1=1, squared_l2=1)
