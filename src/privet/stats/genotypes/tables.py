"""Genotype counts of cases and controls, for every variant of a study at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.rows import Rows

__all__ = ["GenotypeTables"]


@dataclass(frozen=True)
class GenotypeTables(Statistic):
    """variants × (cases, controls) × (two copies of the first allele, one, none, missing).

    ``groups`` has a row of cases and one of controls: who belongs to them (public). ``kept`` marks the
    variants that are counted.

    **Sensitivity.** A subject adds 1 to one cell of each variant's table: L1 = L2² = the number of
    variants. (Noise on all tables at once is therefore useless for a genome; scores choose first.)
    """

    groups: NDArray[np.bool_] = field(compare=False)
    variants: int
    kept: NDArray[np.bool_] | None = field(default=None, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        return ("phenotype",)

    def norms(self, schema: Schema) -> Sensitivity:
        number = self.variants if self.kept is None else int(self.kept.sum())
        return Sensitivity(number, number)

    def start(self, schema: Schema) -> Answer:
        # The smallest numbers that hold a group: a genome's tables are most of what counting it keeps.
        small = self.groups.shape[1] < 1 << 16
        return np.zeros((self.variants, 2, 4), np.uint16 if small else np.uint32)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        raise NotImplementedError("Genotypes are counted from packed blocks.")

    def fold_block(self, state: Answer, start: int, data: NDArray[Any]) -> Answer:
        """Count a block of packed variants (followed by 8 readable bytes) into its rows of the state."""
        from privet.stats.genotypes.kernels import count_tables

        masks, sizes = self._masks
        count_tables(
            data.ctypes.data, len(data), data.shape[1], masks, sizes, state[start : start + len(data)]
        )
        return state

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return state if self.kept is None else state[self.kept]

    @cached_property
    def _masks(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        return _masks(self.groups)


def _masks(groups: NDArray[np.bool_]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The members of each group, one bit in the lower place of each two, 32 subjects a word."""
    subjects = groups.shape[1]
    bits = np.zeros((2, (subjects + 31) // 32 * 32, 2), np.uint8)
    bits[:, :subjects, 0] = groups
    packed = np.packbits(bits.reshape(2, -1), axis=1, bitorder="little")
    return packed.view(np.uint64), groups.sum(axis=1).astype(np.int64)
