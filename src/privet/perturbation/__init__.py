"""PERTURBED TABLES AND STREAMS: transformations that hide records, and say what they do not promise."""

from privet.perturbation.additive import AdditiveNoise
from privet.perturbation.condensation import Condensation
from privet.perturbation.geometric import Geometric
from privet.perturbation.key import Key
from privet.perturbation.projection import Projection, dimension_for
from privet.perturbation.reconstruction import Distribution, reconstruct
from privet.perturbation.rotation import Rotation

__all__ = [
    "METHODS",
    "AdditiveNoise",
    "Condensation",
    "Distribution",
    "Geometric",
    "Key",
    "Projection",
    "Rotation",
    "dimension_for",
    "reconstruct",
]

#: The methods for numeric columns by the name that the command line and the keys know them by.
METHODS = {cls.method: cls for cls in (AdditiveNoise, Condensation, Rotation, Projection, Geometric)}
