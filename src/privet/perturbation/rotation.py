"""Rotation: the chosen columns, scaled, are turned together by a random orthogonal matrix.

Every distance and angle between records stays what it was, so what learns from distances (k-nearest
neighbours, support vector machines with a radial kernel) learns the same. That is also its weakness: the
origin stays where it was, independent columns can be separated again, and a few known records give the
matrix away.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from privet.perturbation.affine import AffinePerturbation, haar_rotation
from privet.perturbation.tables import Matrix

__all__ = ["Rotation"]


class Rotation(AffinePerturbation):
    """Turns the chosen columns by a Haar-random orthogonal matrix. Guarantee: none.

    The columns come out in units of half their public range, and none is any more what its name says.

    >>> from privet.schema import Schema
    >>> schema = Schema.of({"age": (0, 120), "height": (40.0, 220.0), "ill": ["no", "yes"]}, target="ill")
    >>> X = np.array([[30.0, 180.0], [60.0, 160.0], [45.0, 171.0]])
    >>> rotation = Rotation(schema=schema).fit(X)
    >>> Y = rotation.transform(X)
    >>> bool(np.isclose(np.linalg.norm(Y[0] - Y[1]), np.hypot(30 / 60, 20 / 90)))
    True
    >>> bool(np.allclose(rotation.inverse_transform(Y), X))
    True
    """

    method: ClassVar[str] = "rotation"
    title: ClassVar[str] = "Rotation"

    def _draw(self, width: int, sample: Any, generator: np.random.Generator) -> dict[str, Any]:
        return {"rotation": haar_rotation(width, generator).tolist()}

    def _undone(self, values: Matrix) -> Matrix:
        return values @ self._matrix(self.key_)

    def _caveats(self) -> tuple[str, ...]:
        weak = "A rotation alone is weak: a handful of known records, or independent columns, undo it."
        return (weak, *_alone(len(self.columns_)))


def _alone(width: int) -> tuple[str, ...]:
    """One column cannot be rotated, only mirrored: say so."""
    return ("With a single column there is nothing to turn: it is at most mirrored.",) if width == 1 else ()
