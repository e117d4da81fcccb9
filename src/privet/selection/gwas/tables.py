"""Noisy genotype tables of named variants: for replication of known findings, whose list is public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import Ledger
from privet.curator import Measure
from privet.curator.study import Study
from privet.errors import ParameterError
from privet.release import Guarantee

__all__ = ["NoisyTables", "noisy_tables"]


@dataclass(frozen=True)
class NoisyTables:
    """variants × (cases, controls) × (two copies of the first allele, one, none, missing), with noise.

    Negative counts are cut to 0.
    """

    names: tuple[str, ...]
    counts: NDArray[np.int64]
    error: float
    guarantee: Guarantee

    def to_dict(self) -> dict[str, Any]:
        return {
            "tables": {
                name: {"case": table[0].tolist(), "control": table[1].tolist()}
                for name, table in zip(self.names, self.counts, strict=True)
            },
            "cells": ["two copies of a1", "one copy", "no copy", "missing"],
            "error": self.error,
            "guarantee": self.guarantee.to_dict(),
        }


def noisy_tables(
    study: Study,
    *,
    epsilon: float = 1.0,
    delta: float = 0.0,
    ledger: Ledger | None = None,
    random_state: Any = None,
) -> NoisyTables:
    """The tables of the study's variants (``Study(keep=…)`` names them), with noise for all of them together.

    **Sensitivity.** One subject leaves one cell and enters another in each of n tables: L1 = 2n, squared L2
    = 2n. The noise grows with n (with √n for δ > 0), so ask for few.
    """
    if study.stratified:
        raise ParameterError("Tables are of the whole study.", "Leave the strata out.")
    curator = study.curator(epsilon, delta, ledger, random_state, "gwas tables")
    names: Sequence[str] = [study.source.variant_names[place] for place in study.variant_places]
    with curator:
        what = f"genotype tables of {len(names):,} variants"
        release = curator.ask(Measure(study.question, what), Fraction(1))
    counts = np.maximum(release.value, 0)  # no count is negative: post-processing
    return NoisyTables(tuple(names), counts, release.error, curator.guarantee)
