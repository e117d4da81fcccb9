"""Random projection: the chosen columns, scaled, become fewer random mixtures of themselves.

Distances survive within a factor that the number of mixtures decides (Johnson and Lindenstrauss 1984), and
since there are fewer of them than columns, even the key does not give the original back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Ge, Gt, Lt

from privet.errors import ParameterError
from privet.parameters import with_parameters
from privet.perturbation.affine import AffinePerturbation
from privet.perturbation.key import Key
from privet.perturbation.tables import Matrix

__all__ = ["Projection", "dimension_for"]


def dimension_for(records: int, distortion: float) -> int:
    """How many mixtures keep *all* squared distances between so many records within 1 ± ``distortion``.

    k ≥ 4·ln(n) / (ε²/2 − ε³/3): then some projection does, and a random one does so with a probability of at
    least 1/n (Dasgupta and Gupta 2003; for the sparse one Achlioptas 2003). For a single pair of records
    the probability of being outside is at most 2/n².

    >>> dimension_for(records=1000, distortion=0.5)
    332
    """
    if records < 2 or not 0 < distortion < 1:
        raise ParameterError("A distortion lies between 0 and 1, and there are at least two records.")
    return math.ceil(4 * math.log(records) / (distortion**2 / 2 - distortion**3 / 3))


@with_parameters
class Projection(AffinePerturbation):
    """Projects the chosen columns on random directions. Guarantee: none.

    With a ``distortion`` the number of directions comes from the bound for ``records`` records, and is
    refused where that needs more directions than there are columns: then a rotation is the better choice.

    >>> from privet.schema import Schema
    >>> schema = Schema.of({f"x{j}": (-1.0, 1.0) for j in range(50)})
    >>> X = np.random.default_rng(0).uniform(-1, 1, (20, 50))
    >>> Projection(schema=schema, dimension=10).fit_transform(X).shape
    (20, 10)
    """

    method: ClassVar[str] = "projection"
    title: ClassVar[str] = "Random projection"

    kind: Annotated[
        Literal["gaussian", "sparse"], "Normal coefficients, or two thirds of them zero (faster)."
    ] = "gaussian"
    dimension: Annotated[
        int | None,
        Ge(1),
        "How many mixtures come out; None takes it from the distortion, or half the columns.",
    ] = None
    distortion: Annotated[
        float | None, Gt(0), Lt(1), "Keep all squared distances within 1 ± this (needs many columns)."
    ] = None
    records: Annotated[
        int, Ge(2), "For how many records the distortion is to hold; public, not counted in the table."
    ] = 10_000

    def _draw(self, width: int, sample: Any, generator: np.random.Generator) -> dict[str, Any]:
        dimension = self._dimension(width)
        if self.kind == "sparse":  # Achlioptas (2003): ±√3 with probability 1/6 each, else 0
            signs = generator.choice([-1.0, 0.0, 1.0], size=(dimension, width), p=[1 / 6, 2 / 3, 1 / 6])
            matrix = signs * math.sqrt(3 / dimension)
        else:
            matrix = generator.standard_normal((dimension, width)) / math.sqrt(dimension)
        return {"projection": matrix.tolist()}

    def _dimension(self, width: int) -> int:
        if self.dimension is not None and self.distortion is not None:
            raise ParameterError("Give the dimension or the distortion, not both.")
        if self.distortion is None:
            dimension = self.dimension or max(1, width // 2)
            advice = "Choose fewer."
        else:
            dimension = dimension_for(self.records, self.distortion)
            advice = "Allow more distortion, or rotate instead: that keeps all distances."
        if dimension > width:
            raise ParameterError(
                f"{dimension} directions are asked for, and there are only {width} columns.", advice
            )
        return dimension

    def _matrix(self, key: Key) -> Matrix:
        return key.array("projection", None, len(self.columns_))

    def _unlock(self, key: Key) -> None:
        super()._unlock(key)
        self._directions = tuple(f"projected_{place}" for place in range(self._turned.shape[1]))

    def _new_names(self) -> Sequence[str]:
        return self._directions

    def _caveats(self) -> tuple[str, ...]:
        return ("Whoever knows some records and their images can estimate the directions that were kept.",)
