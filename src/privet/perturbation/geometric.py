"""Geometric perturbation: y = R·z + t + noise (Chen and Liu 2005, 2011), on any number of columns at once.

R is a random rotation, t a random translation (which hides the origin), and the noise blurs distances a
little (which blunts what known records give away). Out of many random rotations, the one is taken whose
weakest column resists best when the attacks are tried on a sample of the table.

The work on "geometric perturbation" that Privet reproduces multiplies a column with its own reversal; that is
another thing and protects nothing (``docs/concepts/perturbation.md``).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Gt, Le

from privet.parameters import with_parameters
from privet.perturbation.affine import AffinePerturbation, haar_rotation
from privet.perturbation.key import Key
from privet.perturbation.resistance import resistance
from privet.perturbation.tables import Matrix

__all__ = ["Geometric"]

# Records on which candidates are compared: attacks on more would rank them no differently, only later.
SAMPLE = 1000


@with_parameters
class Geometric(AffinePerturbation):
    """Rotation, translation and distance noise. Guarantee: none.

    ``noise`` is the standard deviation of what is added to each new column, in half ranges. ``candidates``
    rotations are tried on a sample where there are records to try them on; a stream that begins with a single
    record takes the first.

    >>> from privet.schema import Schema
    >>> schema = Schema.of({"age": (0, 120), "height": (40.0, 220.0), "weight": (2.0, 200.0)})
    >>> X = np.random.default_rng(0).uniform([0, 40, 2], [120, 220, 200], (300, 3))
    >>> geometric = Geometric(schema=schema, noise=0.05, candidates=5).fit(X)
    >>> geometric.transform(X).shape
    (300, 3)
    >>> print(geometric.guarantee_.headline)
    Guarantee: NONE. Geometric perturbation is not differential privacy: no bound holds on what it gives away.
    """

    method: ClassVar[str] = "geometric"
    title: ClassVar[str] = "Geometric perturbation"
    noise_parameter: ClassVar[str] = "noise"

    noise: Annotated[float, Ge(0), Le(100), "Standard deviation of the distance noise, in half ranges."] = (
        0.05
    )
    translation: Annotated[float, Gt(0), Le(1000), "How far the origin may be moved, in half ranges."] = 2.0
    candidates: Annotated[
        int, Ge(1), Le(1000), "How many random rotations to choose the most resistant one from."
    ] = 20

    def _draw(self, width: int, sample: Any, generator: np.random.Generator) -> dict[str, Any]:
        shift = generator.uniform(-self.translation, self.translation, width)
        if sample is None or self.candidates == 1:
            rotation = haar_rotation(width, generator)
        else:
            rotation = self._best(sample(), shift, generator)
        return {"rotation": rotation.tolist(), "translation": shift.tolist(), "noise": float(self.noise)}

    def _best(self, scaled: Matrix, shift: Matrix, generator: np.random.Generator) -> Matrix:
        """The candidate whose weakest column has the largest error under the attacks."""
        scaled = scaled[~np.isnan(scaled).any(axis=1)]
        if len(scaled) > SAMPLE:
            scaled = scaled[generator.choice(len(scaled), SAMPLE, replace=False)]
        candidates = [haar_rotation(scaled.shape[1], generator) for _ in range(self.candidates)]
        noise = self.noise * generator.standard_normal(scaled.shape)
        return max(
            candidates, key=lambda turn: resistance(scaled, scaled @ turn.T + shift + noise, generator)
        )

    def _translation(self, key: Key) -> Matrix:
        return key.array("translation", len(self.columns_))

    def _noise(self) -> float:
        return self._key_noise

    def _unlock(self, key: Key) -> None:
        super()._unlock(key)
        # The key decides, so that records perturbed later have the same noise as the earlier ones.
        self._key_noise = float(key.array("noise"))

    def _undone(self, values: Matrix) -> Matrix:
        return (values - self._translation(self.key_)) @ self._matrix(self.key_)

    def _caveats(self) -> tuple[str, ...]:
        again = "The same record perturbed many times with one key: the noise averages out. Perturb it once."
        alone = "With a single column there is nothing to turn: it is mirrored or not, moved, and blurred."
        return (again, alone) if len(self.columns_) == 1 else (again,)
