"""Genotypes of people who do not exist: for practice, forecasts and the example study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.sources.genotypes import BLOCK_BYTES, CASE, CONTROL, Block, GenotypeSource, pack

__all__ = ["PLANTED", "MadeUpGenotypes", "example_study", "planted"]

#: How many variants are given an effect, and how often their allele is among cases, and among controls.
PLANTED = 5
EFFECT = (0.6, 0.3)
_LENGTHS = (240, 230, 190, 180, 170, 160, 150, 140, 130, 120)  # of chromosomes, about, in millions


def planted(variants: int) -> NDArray[np.int64]:
    """The places of the variants with an effect: spread evenly over all of them."""
    number = min(PLANTED, variants)
    return (np.arange(1, number + 1) * variants) // (number + 1)


class MadeUpGenotypes(GenotypeSource):
    """Drawn genotypes for lists that are public: who takes part, who is a case, and which variants there are.

    A few variants are given a strong effect, so that there is something to find. For everybody the same.

    >>> study = example_study(subjects=40, variants=100)
    >>> sum(len(block.data) for block in study.blocks())
    100
    """

    def __init__(self, subjects: Sequence[str], phenotype: NDArray[np.int8], variants: pa.Table) -> None:
        self.subjects, self.phenotype = tuple(subjects), phenotype
        self._variants = variants
        self.variant_count = len(variants)

    @classmethod
    def like(cls, study: GenotypeSource) -> MadeUpGenotypes:
        """Other people's genotypes for the lists of a study. Not one genotype of the study is read."""
        return cls(study.subjects, study.phenotype, study.variants)

    @property
    def variants(self) -> pa.Table:
        return self._variants

    def blocks(self) -> Iterator[Block]:
        draw = np.random.default_rng(1)  # people who do not exist: nothing is hidden by this
        groups = (self.phenotype == CASE).astype(np.int64)
        strong = planted(self.variant_count)
        rows = max(1, BLOCK_BYTES // max(self.row_bytes, len(self.subjects)))
        for start in range(0, self.variant_count, rows):
            number = min(rows, self.variant_count - start)
            shares = np.repeat(draw.uniform(0.05, 0.5, number)[:, None], 2, axis=1)  # of controls, of cases
            shares[strong[(strong >= start) & (strong < start + number)] - start] = EFFECT[::-1]
            limits = (256 * shares).astype(np.uint8)[:, groups]
            shape = (2, number, len(self.subjects))
            alleles = draw.integers(0, 256, shape, np.uint8) < limits
            packed = pack(alleles.sum(axis=0, dtype=np.uint8))
            data = np.zeros(packed.size + 8, np.uint8)
            data[:-8] = packed.ravel()
            yield Block(start, data[:-8].reshape(packed.shape))


def example_study(subjects: int = 1_500, variants: int = 20_000) -> MadeUpGenotypes:
    """A study of people who do not exist: half of them cases."""
    names = [f"person-{number + 1}" for number in range(subjects)]
    phenotype = np.where(np.arange(subjects) % 2, CASE, CONTROL).astype(np.int8)
    ends = np.cumsum(_LENGTHS) / sum(_LENGTHS)
    places = (np.arange(variants) + 0.5) / variants
    chromosome = np.searchsorted(ends, places)
    starts = np.concatenate([[0.0], ends[:-1]])
    position = ((places - starts[chromosome]) * sum(_LENGTHS) * 1_000_000).astype(np.int64) + 1
    table = pa.table(
        {
            "chromosome": pa.array([str(one + 1) for one in chromosome]),
            "id": pa.array([f"rs{number + 1}" for number in range(variants)]),
            "position": pa.array(position),
            "a1": pa.array(["A"] * variants),
            "a2": pa.array(["G"] * variants),
        }
    )
    return MadeUpGenotypes(names, phenotype, table)
