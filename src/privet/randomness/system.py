"""The secure source: exact samplers, Privet's and OpenDP's, and the operating system's entropy."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.randomness.contract import FloatArray, FromBits, IntegerArray, Noise, Randomness
from privet.randomness.exact import add_laplace_noise, flip_choice, ratio_of

__all__ = ["SecureRandomness"]


@dataclass(frozen=True)
class SecureRandomness(FromBits):
    """Unpredictable, without state: nothing to seed, to copy or to reuse.

    Noise on whole numbers and choices under pure ε are drawn by ``randomness.exact``. For the rest OpenDP
    samples with exact rational arithmetic. On floats it works on the grid of all multiples of the
    smallest double (2⁻¹⁰⁷⁴), on which every double lies, so that the sum is exact and is rounded once.
    """

    @property
    def secure(self) -> bool:
        return True

    @property
    def caveat(self) -> str | None:
        return None

    def add_discrete_laplace(self, values: ArrayLike, scale: float) -> IntegerArray:
        values = np.asarray(values, dtype=np.int64)
        if (ratio := ratio_of(scale)) is not None:
            return add_laplace_noise(values, ratio, self.bits)
        return _add("make_laplace", "l1_distance", "i64", "i64", values, scale)

    def add_discrete_gaussian(self, values: ArrayLike, scale: float) -> IntegerArray:
        values = np.asarray(values, dtype=np.int64)
        return _add("make_gaussian", "l2_distance", "i64", "f64", values, scale)

    def add_laplace(self, values: ArrayLike, scale: float) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        return _add("make_laplace", "l1_distance", "f64", "f64", values, scale)

    def add_gaussian(self, values: ArrayLike, scale: float) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        return _add("make_gaussian", "l2_distance", "f64", "f64", values, scale)

    def noisy_max(self, scores: ArrayLike, scale: float, noise: Noise = "exponential") -> int:
        scores = np.asarray(scores)
        ratio = ratio_of(scale) if noise == "exponential" and scores.dtype == np.int64 else None
        chosen = None if ratio is None else flip_choice(scores, ratio, self.bits)
        return int(self.noisy_top_k(scores, 1, scale, noise)[0]) if chosen is None else chosen

    def noisy_top_k(
        self, scores: ArrayLike, k: int, scale: float, noise: Noise = "exponential"
    ) -> IntegerArray:
        scores = np.asarray(scores)
        kind = "f64" if scores.dtype.kind == "f" else "i64"
        values = np.ascontiguousarray(scores, np.float64 if kind == "f64" else np.int64)
        return np.asarray(_selector(kind, noise, k, scale)(values), dtype=np.int64)

    def bits(self, size: int) -> NDArray[np.uint64]:
        return np.frombuffer(bytearray(os.urandom(8 * size)), dtype=np.uint64)

    def generator(self) -> np.random.Generator:
        return np.random.default_rng()

    def spawn(self, count: int) -> tuple[Randomness, ...]:
        return tuple(SecureRandomness() for _ in range(count))


def _add(
    maker: str, metric: str, kind: str, distance: str, values: NDArray[Any], scale: float
) -> NDArray[Any]:
    """``values`` plus the noise of an OpenDP measurement, as a new array of the same shape and type."""
    # An array is handed over as it is: a list would be checked number by number.
    noisy = _adder(maker, metric, kind, distance, scale)(np.ascontiguousarray(values).ravel())
    return np.asarray(noisy, dtype=values.dtype).reshape(values.shape)


# Measurements hold no state, and building one takes longer than a draw: the latest are kept.
@lru_cache(maxsize=128)
def _adder(maker: str, metric: str, kind: str, distance: str, scale: float) -> Any:
    from opendp import measurements, metrics

    return getattr(measurements, maker)(_vectors(kind), getattr(metrics, metric)(T=distance), scale)


@lru_cache(maxsize=128)
def _selector(kind: str, noise: Noise, k: int, scale: float) -> Any:
    from opendp.measurements import make_noisy_top_k
    from opendp.measures import max_divergence, zero_concentrated_divergence
    from opendp.metrics import linf_distance

    # In OpenDP the measure of the loss chooses the sampler: permute-and-flip for pure ε, the exponential
    # mechanism (the largest with Gumbel noise, but sampled exactly) for zCDP.
    measure = max_divergence() if noise == "exponential" else zero_concentrated_divergence()
    return make_noisy_top_k(_vectors(kind), linf_distance(T=kind), measure, k=k, scale=scale)


def _vectors(kind: str) -> Any:
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features

    enable_features("contrib")
    return vector_domain(atom_domain(T=kind, nan=False) if kind == "f64" else atom_domain(T=kind))
