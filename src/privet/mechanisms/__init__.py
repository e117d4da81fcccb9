"""NOISE: what turns an exact answer into a private one. One mechanism per file, with its proof.

A mechanism knows neither data nor ledger. It is a frozen value that says what it costs (``event``), draws
(``randomise`` or ``choose``), and says how far off the answer may be (``error``):

- whole numbers: ``GeometricNoise`` (pure ε), ``DiscreteGaussian`` (zCDP); ``noise_for`` picks by the amount
- one whole number at a large ε: ``Staircase`` (pure ε, the least expected error that there is)
- a whole number whose worst case is far from the table at hand: ``SmoothSensitivity``, ``SmoothQuantile``
- one row out of many of which a neighbour changes one: ``BlockAggregate`` (sample and aggregate)
- real numbers: ``Laplace`` (pure ε), ``Gaussian`` (zCDP)
- the best of many: ``PermuteAndFlip``, and ``Exponential`` where it is asked for by name
- the k best of many: ``TopK``
- each person's own category, before it is collected: ``RandomisedResponse``
"""

from __future__ import annotations

from privet.mechanisms.base import Additive, Mechanism, Selection
from privet.mechanisms.block_aggregate import BlockAggregate
from privet.mechanisms.calibration import noise_for
from privet.mechanisms.discrete_gaussian import DiscreteGaussian
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.geometric import GeometricNoise
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.mechanisms.randomised_response import RandomisedResponse
from privet.mechanisms.smooth_sensitivity import SmoothQuantile, SmoothSensitivity
from privet.mechanisms.staircase import Staircase
from privet.mechanisms.top_k import TopK

__all__ = [
    "Additive",
    "BlockAggregate",
    "DiscreteGaussian",
    "Exponential",
    "Gaussian",
    "GeometricNoise",
    "Laplace",
    "Mechanism",
    "PermuteAndFlip",
    "RandomisedResponse",
    "Selection",
    "SmoothQuantile",
    "SmoothSensitivity",
    "Staircase",
    "TopK",
    "noise_for",
]
