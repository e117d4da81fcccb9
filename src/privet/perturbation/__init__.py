"""PERTURBED TABLES AND STREAMS: transformations that hide records, and say what they do not promise."""

from privet.perturbation.geometric import Geometric
from privet.perturbation.key import Key
from privet.perturbation.projection import Projection, dimension_for
from privet.perturbation.rotation import Rotation

__all__ = ["Geometric", "Key", "Projection", "Rotation", "dimension_for"]
