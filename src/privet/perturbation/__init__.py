"""PERTURBED TABLES AND STREAMS: transformations that hide records, and say what they do not promise."""

from privet.perturbation.additive import AdditiveNoise
from privet.perturbation.condensation import Condensation
from privet.perturbation.geometric import Geometric
from privet.perturbation.key import Key
from privet.perturbation.projection import Projection, dimension_for
from privet.perturbation.reconstruction import Distribution, reconstruct
from privet.perturbation.rotation import Rotation

__all__ = [
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
