"""Quality control of genotypes: which subjects and variants are fit to be used.

The filters read private data, and what they drop depends on it. They are not differentially private: a run
that uses them says in its guarantee that who and what passed is *assumed public*. A list of variants that
was fixed without looking at these subjects (``keep``) costs nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.errors import DataError
from privet.parameters import validate

__all__ = ["Passed", "QualityControl"]

Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True)
class QualityControl:
    """Thresholds, applied in this order: subjects first, then variants. The defaults drop nothing.

    >>> QualityControl(call_rate=0.95, frequency=0.01).describe()
    ['variants with a call rate of at least 0.95', 'variants with a minor allele frequency of at least 0.01']
    """

    subject_missing: Annotated[float, Ge(0), Le(1), "Most missing genotypes of a subject, as a share."] = 1.0
    call_rate: Annotated[float, Ge(0), Le(1), "Least share of subjects in whom a variant is known."] = 0.0
    frequency: Annotated[float, Ge(0), Le(0.5), "Least minor allele frequency."] = 0.0
    allele_count: Annotated[int, Ge(0), "Fewest subjects in whom the rarer allele is seen."] = 0
    hardy_weinberg: Annotated[float, Ge(0), Le(1), "Least exact Hardy–Weinberg p-value among controls."] = 0.0

    def __post_init__(self) -> None:
        validate(self)

    @classmethod
    def usual(cls) -> QualityControl:
        """The thresholds of the thesis."""
        return cls(subject_missing=0.05, call_rate=0.95, frequency=0.01, allele_count=10)

    @property
    def active(self) -> bool:
        return self != QualityControl()

    @property
    def of_variants(self) -> bool:
        """Whether a variant can be dropped."""
        return replace(self, subject_missing=1.0).active

    def describe(self) -> list[str]:
        """The filters that do anything, in words."""
        words = []
        if self.subject_missing < 1:
            words.append(f"subjects with at most {self.subject_missing:g} of their genotypes missing")
        if self.call_rate > 0:
            words.append(f"variants with a call rate of at least {self.call_rate:g}")
        if self.frequency > 0:
            words.append(f"variants with a minor allele frequency of at least {self.frequency:g}")
        if self.allele_count > 0:
            words.append(f"variants whose rarer allele at least {self.allele_count} subjects have")
        if self.hardy_weinberg > 0:
            words.append(f"variants with a Hardy–Weinberg p-value of at least {self.hardy_weinberg:g}")
        return words

    def variants(self, counts: NDArray[np.int64]) -> dict[str, NDArray[np.bool_]]:
        """Which variants pass each filter: variants × (cases, controls) × (2, 1, 0 copies, missing)."""
        from privet.stats.genotypes.kernels import hardy_weinberg

        counts = counts.astype(np.int64)
        both = counts.sum(axis=1)
        known, total = both[:, :3].sum(axis=1), both.sum(axis=1)
        alleles = np.stack([2 * both[:, 0] + both[:, 1], 2 * both[:, 2] + both[:, 1]])
        carriers = np.stack([both[:, 0] + both[:, 1], both[:, 2] + both[:, 1]])
        with np.errstate(invalid="ignore", divide="ignore"):
            rarer = np.where(known > 0, alleles.min(axis=0) / (2 * np.maximum(known, 1)), 0.0)
        passes = {
            "call_rate": known >= self.call_rate * total,
            "frequency": rarer >= self.frequency,
            "allele_count": carriers.min(axis=0) >= self.allele_count,
        }
        if self.hardy_weinberg > 0:
            p_values = np.empty(len(counts))
            hardy_weinberg(np.ascontiguousarray(counts[:, 1, :3]), p_values)
            passes["hardy_weinberg"] = p_values >= self.hardy_weinberg
        return passes


@dataclass(frozen=True)
class Passed:
    """What quality control left. Exact numbers: for the owner of the data, not for release."""

    subjects: NDArray[np.bool_]
    variants: NDArray[np.bool_]
    dropped: dict[str, int]


def named(keep: Collection[str], names: tuple[str, ...]) -> NDArray[np.bool_]:
    """The variants of a public list; a list that names none of them is a mistake."""
    wanted = set(keep)
    mask = np.fromiter((name in wanted for name in names), bool, len(names))
    if not mask.any():
        raise DataError("The study has none of the variants of the list.", "Check the list's ids.")
    return mask
