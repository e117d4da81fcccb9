"""Additive noise: each chosen value gets noise of its own; the distribution can be reconstructed.

Uniform, normal or Laplace noise of a chosen ``level`` has no guarantee. Laplace noise with an ``epsilon``
is local differential privacy: scaled to [−1, 1] and clamped, the d chosen values of two records differ by
at most 2d in L1, so noise of scale 2d/ε on each makes what one record says ε-private (proof:
``mechanisms.laplace``). Those draws are float-safe and cost some 30 µs each; the others come from NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Gt, Le

from privet.budget.amounts import Pure, exact
from privet.errors import ParameterError
from privet.mechanisms import Laplace
from privet.parameters import with_parameters
from privet.perturbation.base import Perturbation
from privet.perturbation.key import Key
from privet.perturbation.promise import local_guarantee
from privet.perturbation.reconstruction import Distribution, NoiseKind, reconstruct
from privet.perturbation.tables import Matrix
from privet.release import Guarantee, Step

__all__ = ["AdditiveNoise"]


@with_parameters
class AdditiveNoise(Perturbation):
    """Adds independent noise to each value of the chosen columns, which keep their units.

    >>> from privet.schema import Schema
    >>> schema = Schema.of({"age": (0, 120), "weight": (2.0, 200.0)})
    >>> X = np.random.default_rng(0).uniform([20, 50], [80, 90], (2000, 2))
    >>> noisy = AdditiveNoise(schema=schema, kind="uniform", level=0.3, random_state=1)
    >>> Y = noisy.fit_transform(X)
    >>> age = noisy.distribution("age", Y[:, 0])
    >>> bool(age.probability[age.centres > 80].sum() < 0.05 < (Y[:, 0] > 80).mean())
    True
    >>> local = AdditiveNoise(schema=schema, kind="laplace", epsilon=2.0).fit(X)
    >>> local.guarantee_.epsilon, local.guarantee_.holds
    (2.0, True)
    """

    method: ClassVar[str] = "additive"
    title: ClassVar[str] = "Additive noise"
    noise_parameter: ClassVar[str] = "level"

    kind: Annotated[Literal["uniform", "gaussian", "laplace"], "How the noise is distributed."] = "gaussian"
    level: Annotated[
        float, Gt(0), Le(1000), "Standard deviation of the noise, in half ranges of a column."
    ] = 0.25
    epsilon: Annotated[
        float | None,
        Gt(0),
        Le(1_000_000),
        "Local privacy loss of a record's chosen values together (Laplace only); it then sets the level.",
    ] = None

    def distribution(self, column: str, noisy: Any, bins: int = 50) -> Distribution:
        """The distribution of a column's original values, reconstructed from the noisy ones."""
        place = self.columns_.index(column)
        scaled = (np.asarray(noisy, dtype=np.float64) - self._middle[place]) / self._half[place]
        found = reconstruct(scaled[~np.isnan(scaled)], self._noise_kind, self._deviation, bins=bins)
        return Distribution(found.centres * self._half[place] + self._middle[place], found.probability)

    def _draw(self, width: int, sample: Any, generator: np.random.Generator) -> dict[str, Any]:
        """The noise is new each time; the key only says which noise it is."""
        if self.epsilon is not None:
            self._declared().require_confirmed()  # the local epsilon is for public bounds
        if self.epsilon is not None and self.kind != "laplace":
            raise ParameterError(
                f"{self.kind} noise has no local epsilon.", "Choose kind='laplace', or give a level instead."
            )
        deviation = self.level if self.epsilon is None else math.sqrt(2) * self._mechanism(width).scale
        return {"kind": self.kind, "deviation": float(deviation)}

    def _mechanism(self, width: int) -> Laplace:
        assert self.epsilon is not None
        return Laplace(exact(self.epsilon), Fraction(2 * width))

    def _unlock(self, key: Key) -> None:
        self._deviation = float(key.array("deviation"))
        self._noise_kind: NoiseKind = key.values.get("kind", self.kind)

    def _apply(self, scaled: Matrix) -> Matrix:
        shape, deviation, generator = scaled.shape, self._deviation, self._generator
        if self.epsilon is not None:
            return self._locally(scaled)
        if self._noise_kind == "uniform":
            noise = generator.uniform(-math.sqrt(3) * deviation, math.sqrt(3) * deviation, shape)
        elif self._noise_kind == "laplace":
            noise = generator.laplace(0.0, deviation / math.sqrt(2), shape)
        else:
            noise = generator.normal(0.0, deviation, shape)
        return (scaled + noise) * self._half + self._middle

    def _locally(self, scaled: Matrix) -> Matrix:
        # Rounding in the scaling may pass 1 by a last digit; the bound must hold exactly.
        there = ~np.isnan(scaled)
        noisy = np.full(scaled.shape, np.nan)
        exact_values = np.clip(scaled[there], -1.0, 1.0)
        noisy[there] = self._mechanism(len(self.columns_)).randomise(exact_values, self._source)
        return noisy * self._half + self._middle

    def _promise(self) -> Guarantee:
        if self.epsilon is None:
            return super()._promise()
        amount = Pure(exact(self.epsilon))
        mechanism = self._mechanism(len(self.columns_))
        error = mechanism.error(0.95)
        steps = [Step("the chosen values of one record", "laplace noise", amount, error, "half ranges")]
        voided = [self._source.caveat] if self._source.caveat else []
        if self.missing == "keep":
            voided.append("Which values are missing is shown as it is.")
        passed = (*self._passed, *self._row_labels)
        return local_guarantee(steps, amount, self.schema_, self.columns_, passed, voided)

    def announcement(self) -> str:
        """What is promised, for whoever starts a stream."""
        if self.epsilon is None or self.missing == "keep":  # which values are missing would be shown
            return super().announcement()
        return f"Local ε = {self.epsilon:g} for what one record says in the chosen columns, and no others."

    def _caveats(self) -> Sequence[str]:
        return (
            "Where the chosen columns are related, much of the noise can be filtered out again.",
            "The same record perturbed many times: the noise averages out. Perturb it once.",
        )
