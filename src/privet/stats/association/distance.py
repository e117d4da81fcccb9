"""The distance to significance as a score: sensitivity 1, and it tells strong signals apart."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.schema import Unit
from privet.stats.association.base import Association, Tables, Told
from privet.stats.association.distances import Test, distance_scores, threshold

__all__ = ["Distance", "OddsRatio"]


@dataclass(frozen=True)
class Distance(Association):
    """How many records must change for p < τ to flip; positive where the attribute is significant.

    The proof of sensitivity 1 is in ``privet.stats.association.distances``. A released value of +7 ± 3 says:
    it would take about 7 changed records to make the association disappear.
    """

    test: Test = "genotypic"
    tau: float = 1e-5

    what: ClassVar[str] = "distance"
    unit: ClassVar[str] = "records to significance"
    needs: ClassVar = "class"
    whole: ClassVar[bool] = True

    def evaluate(self, tables: Tables) -> NDArray[np.int64]:
        return distance_scores(tables, self.test, self.tau)

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return Fraction(1)

    def feasible(self, sizes: tuple[int, ...], values: int) -> None:
        cases, controls = sizes
        threshold(self.test if values == 3 else "genotypic", self.tau, values, cases, controls)

    def incompatible(self, classes: int, values: int) -> str | None:
        if classes != 2:
            return "The score distance is for two classes."
        if self.test != "genotypic" and values != 3:
            return f"The {self.test} test is for genotypes: attributes of exactly three values."
        if values not in (2, 3):
            return "The score distance is for attributes of two or three values."
        return None


@dataclass(frozen=True)
class OddsRatio(Distance):
    """Chosen by the distance of the allelic (or 2 × 2) test; noisy counts give the odds ratio.

    The odds ratio itself has no finite sensitivity. Of a chosen attribute the count of the second value
    (allele) in each group is released; the groups' sizes being public, that is the whole 2 × 2 table. One
    record changes one of the two counts, by at most 1, or 2 for genotypes: L1 = 2, squared L2 = 4.
    """

    test: Test = "allelic"

    what: ClassVar[str] = "odds_ratio"
    unit: ClassVar[str] = "alleles"
    ordered: ClassVar[bool] = True

    def evaluate(self, tables: Tables) -> NDArray[np.int64]:
        return distance_scores(tables, "genotypic" if tables.shape[2] == 2 else "allelic", self.tau)

    def incompatible(self, classes: int, values: int) -> str | None:
        if classes != 2 or values not in (2, 3):
            return "An odds ratio needs two classes, and two values or genotypes."
        return None

    def released(self, tables: Tables, scores: NDArray[np.int64], step: int, unit: Unit) -> Told:
        step = (tables.shape[2] - 1) * unit.most
        return Told(tables @ np.arange(tables.shape[2]), step, step * step, 1, self.unit)
