"""Attacks on perturbed tables: each takes what its attacker would have, and returns estimates of the records.

They work on aligned matrices (record i of the release came from record i of the original), because that is
needed to score an attack; no attack uses the alignment beyond what its attacker is said to know.
"""

from privet.perturbation.attacks.distances import distance_inference
from privet.perturbation.attacks.errors import normalised_errors, reidentified
from privet.perturbation.attacks.independent_components import independent_components
from privet.perturbation.attacks.known_sample import known_sample
from privet.perturbation.attacks.linkage import linked
from privet.perturbation.attacks.naive import naive_estimate
from privet.perturbation.attacks.spectral import spectral_filter

__all__ = [
    "distance_inference",
    "independent_components",
    "known_sample",
    "linked",
    "naive_estimate",
    "normalised_errors",
    "reidentified",
    "spectral_filter",
]
