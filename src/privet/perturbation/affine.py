"""What rotation, projection and geometric perturbation share: y = M·z + t + noise for scaled records z.

Scaling is folded into the matrix, so that a record costs one small matrix product, and the work goes block by
block, so that it needs no memory beyond the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import ge, le
from struct import pack

import numpy as np

from privet.perturbation.base import BLOCK, Perturbation
from privet.perturbation.key import Key
from privet.perturbation.tables import Matrix

__all__ = ["AffinePerturbation", "haar_rotation"]

# Noise for single records is drawn so many records at a time.
AHEAD = 256


class AffinePerturbation(Perturbation):
    """Base of the perturbations that are one matrix product, a translation and normal noise."""

    def _matrix(self, key: Key) -> Matrix:
        """The matrix, new columns × old columns."""
        return key.array("rotation", len(self.columns_), len(self.columns_))

    def _translation(self, key: Key) -> Matrix:
        return np.zeros(len(self._matrix(key)))

    def _noise(self) -> float:
        """The standard deviation of the noise, in half ranges."""
        return 0.0

    def _unlock(self, key: Key) -> None:
        matrix, translation = self._matrix(key), self._translation(key)
        self._turned = np.ascontiguousarray((matrix / self._half).T)
        self._shift = translation - matrix @ (self._middle / self._half)
        # A single record costs one call into NumPy: its values and a translation with its noise, drawn ahead,
        # stand in one row, which is multiplied with the matrix above an identity.
        self._ahead: list[bytes] = []
        self._stacked = np.vstack([self._turned, np.eye(len(self._shift))])
        self._form = f"{len(self._low)}d"
        self._ends = self._low.tolist(), self._high.tolist()

    def _secrets(self) -> Sequence[str]:
        return ("_turned", "_shift", "_ahead", "_stacked")

    def _numbers(self, X: object, names: Sequence[str]) -> Matrix:
        from privet.perturbation.tables import numbers_of

        return numbers_of(X, names, self.columns_)  # checked block by block below

    def _scaled(self, X: object, names: Sequence[str]) -> Matrix:
        return (self._within(self._numbers(X, names)) - self._middle) / self._half

    def _perturbed(self, numbers: Matrix) -> Matrix:
        noise = self._noise()
        result = np.empty((len(numbers), self._turned.shape[1]))
        draws = np.empty((min(BLOCK, len(numbers)), self._turned.shape[1]))
        for start in range(0, len(numbers), BLOCK):
            block = self._within(numbers[start : start + BLOCK])
            out = result[start : start + BLOCK]
            np.matmul(block, self._turned, out=out)
            out += self._shift
            if noise:
                drawn = draws[: len(out)]
                self._generator.standard_normal(out=drawn)
                drawn *= noise
                out += drawn
        return result

    def follow(self, numbers: Matrix) -> Matrix:
        return self._perturbed(numbers)  # which checks block by block

    def _apply(self, scaled: Matrix) -> Matrix:
        return self._perturbed(scaled * self._half + self._middle)

    def _one(self, values: Sequence[float]) -> list[float] | None:
        low, high = self._ends
        if not (all(map(le, low, values)) and all(map(ge, high, values))):  # never true of NaN
            total = sum(values)
            if total - total != 0.0:
                return None
            values = [min(max(v, least), most) for v, least, most in zip(values, low, high, strict=True)]
        if not self._ahead:
            noise = self._noise() * self._generator.standard_normal((AHEAD, len(self._shift)))
            self._ahead = [row.tobytes() for row in self._shift + noise]
        row = np.frombuffer(pack(self._form, *values) + self._ahead.pop())
        found: list[float] = row.dot(self._stacked).tolist()
        return found


def haar_rotation(width: int, generator: np.random.Generator) -> Matrix:
    """A random orthogonal matrix, all equally likely (Haar measure), which keeps every distance.

    The Q of a normal matrix's QR factors, with the signs that make the factors unique (Mezzadri 2007).

    >>> turn = haar_rotation(4, np.random.default_rng(1))
    >>> bool(np.allclose(turn @ turn.T, np.eye(4)))
    True
    """
    turn, upper = np.linalg.qr(generator.standard_normal((width, width)))
    return np.asarray(turn * np.sign(np.diag(upper)))
