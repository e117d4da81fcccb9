"""Genotypes, packed two bits each as PLINK 1 packs them: what every genotype source gives, and one in memory.

Four subjects share a byte, the first in its lowest bits: 00 two copies of the first allele, 10 one, 11 none
(two of the second allele), 01 missing. Each variant starts a new byte. Tables are counted from these bytes;
they are never spread out into a matrix of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privet.errors import DataError
from privet.schema import Schema

__all__ = [
    "CASE",
    "CONTROL",
    "UNKNOWN",
    "Block",
    "GenotypeSource",
    "GenotypeSubset",
    "PackedGenotypes",
    "pack",
    "unpack",
]

CONTROL, CASE, UNKNOWN = 0, 1, -1
#: Bytes of genotypes in a block: they stay in the processor's cache while they are counted.
BLOCK_BYTES = 1 << 19
# By PLINK's two bits: copies of the first allele, and 3 for missing.
_COPIES = np.array([2, 3, 1, 0], np.uint8)
_BITS = np.array([3, 2, 0, 1], np.uint8)


@dataclass(frozen=True)
class Block:
    """Variants from ``start`` on, one row of packed bytes each. ``data`` is followed by 8 readable bytes."""

    start: int
    data: NDArray[np.uint8]


class GenotypeSource:
    """Subjects × variants of a case-control study. Subclasses set the fields and write ``blocks``."""

    #: The name of each subject, and CASE, CONTROL or UNKNOWN.
    subjects: tuple[str, ...]
    phenotype: NDArray[np.int8]
    #: What is public about the variants: their number, and a table of chromosome, id, position and alleles.
    variant_count: int
    #: What had to be read off the data to make this a study, and is assumed public: (what, origin).
    assumed: tuple[tuple[str, str], ...] = ()
    #: Whether the variants and their alleles were fixed without looking at the subjects' genotypes. If not,
    #: which variants are candidates depends on the genotypes themselves, and no guarantee covers that.
    candidates_public: bool = True

    @property
    def variants(self) -> pa.Table:
        raise NotImplementedError

    def blocks(self) -> Iterator[Block]:
        raise NotImplementedError

    @property
    def row_bytes(self) -> int:
        return (len(self.subjects) + 3) // 4

    @cached_property
    def variant_names(self) -> tuple[str, ...]:
        """A different name for each variant: its id; where ids repeat or are '.', its place."""
        table = self.variants
        ids = table["id"]
        special = pc.is_in(ids, pa.array([".", "iid", "phenotype"]))
        if pc.count_distinct(ids).as_py() == len(ids) and not pc.any(special).as_py():
            return tuple(ids.to_pylist())
        seen: set[str] = {"iid", "phenotype", "."}
        names = []
        for place, (name, chromosome, position) in enumerate(
            zip(*(table[c].to_pylist() for c in ("id", "chromosome", "position")), strict=True)
        ):
            names.append(f"{chromosome}:{position}:{place + 1}" if name in seen else name)
            seen.add(names[-1])
        return tuple(names)

    def digest(self) -> bytes:
        """Sixteen bytes that identify the study: the ledger recognises it by them."""
        digest = blake2b(digest_size=16, person=b"privet genotype")
        for name in self.subjects:
            digest.update(name.encode() + b"\0")
        digest.update(self.phenotype.tobytes())
        for block in self.blocks():
            digest.update(np.ascontiguousarray(block.data))
        return digest.digest()

    def copies(self, subjects: NDArray[np.int64], kept: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Of these subjects and the variants that are kept: copies of the first allele, 3 for missing."""
        parts = []
        for block in self.blocks():
            rows = block.data[kept[block.start : block.start + len(block.data)]]
            pairs = (rows[:, subjects // 4] >> (2 * (subjects % 4)).astype(np.uint8)) & 3
            parts.append(_COPIES[pairs])
        return np.concatenate(parts)

    # The contract of a source of rows: one row per subject. For conversion, and for small studies.

    @property
    def names(self) -> tuple[str, ...]:
        return ("iid", "phenotype", *self.variant_names)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = set(self.names if columns is None else columns)
        arrays: dict[str, pa.Array] = {}
        if "iid" in wanted:
            arrays["iid"] = pa.array(self.subjects)
        if "phenotype" in wanted:
            labels = pa.array(["control", "case"]).take(
                pa.array(np.maximum(self.phenotype, 0), mask=self.phenotype == UNKNOWN)
            )
            arrays["phenotype"] = labels
        if wanted - {"iid", "phenotype"}:
            for block in self.blocks():
                for place, row in enumerate(block.data):
                    name = self.variant_names[block.start + place]
                    if name in wanted:
                        copies = unpack(row, len(self.subjects))
                        arrays[name] = pa.array(copies, pa.int8(), mask=copies == 3)
        yield pa.RecordBatch.from_pydict({n: arrays[n] for n in self.names if n in arrays})

    def table(self) -> Any | None:
        return None

    def declared(self) -> Schema | None:
        return None


class PackedGenotypes(GenotypeSource):
    """Genotypes in memory, as readers of text files make them: copies of the first allele, 3 for missing."""

    def __init__(
        self,
        copies: NDArray[np.uint8],
        subjects: Sequence[str],
        phenotype: NDArray[np.int8],
        variants: pa.Table,
    ) -> None:
        self._hold(pack(copies), subjects, phenotype, variants)

    def _hold(
        self,
        packed: NDArray[np.uint8],
        subjects: Sequence[str],
        phenotype: NDArray[np.int8],
        variants: pa.Table,
    ) -> None:
        """Keep genotypes that are packed already."""
        self.subjects = unique_subjects(subjects)
        self.phenotype = np.asarray(phenotype, np.int8)
        self.variant_count = len(packed)
        self._variants = variants
        self._data = np.zeros(packed.size + 8, np.uint8)
        self._data[: packed.size] = packed.ravel()

    @property
    def variants(self) -> pa.Table:
        return self._variants

    def blocks(self) -> Iterator[Block]:
        rows = max(1, BLOCK_BYTES // self.row_bytes)
        for start in range(0, self.variant_count, rows):
            stop = min(start + rows, self.variant_count)
            part = self._data[start * self.row_bytes : stop * self.row_bytes]
            yield Block(start, part.reshape(stop - start, self.row_bytes))


class GenotypeSubset(GenotypeSource):
    """Some subjects and variants of another study, packed anew block by block."""

    def __init__(
        self, source: GenotypeSource, subjects: NDArray[np.bool_], variants: NDArray[np.bool_]
    ) -> None:
        self._source, self._subjects, self._kept = source, np.flatnonzero(subjects), variants
        self.subjects = tuple(source.subjects[place] for place in self._subjects)
        self.phenotype = source.phenotype[self._subjects]
        self.variant_count = int(variants.sum())
        self.assumed = source.assumed
        self.candidates_public = source.candidates_public

    @property
    def variants(self) -> pa.Table:
        return self._source.variants.filter(pa.array(self._kept))

    def blocks(self) -> Iterator[Block]:
        start = 0
        for block in self._source.blocks():
            rows = block.data[self._kept[block.start : block.start + len(block.data)]]
            if len(rows):
                everyone = np.stack([unpack(row, len(self._source.subjects)) for row in rows])
                packed = np.zeros(len(rows) * self.row_bytes + 8, np.uint8)
                packed[:-8] = pack(everyone[:, self._subjects]).ravel()
                yield Block(start, packed[:-8].reshape(len(rows), self.row_bytes))
                start += len(rows)


def pack(copies: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Variants × subjects (copies of the first allele, 3 for missing) as packed bytes.

    >>> pack(np.array([[2, 1, 0, 3, 0]], np.uint8)).tolist()
    [[120, 3]]
    """
    variants, subjects = copies.shape
    padded = np.zeros((variants, (subjects + 3) // 4 * 4), np.uint8)
    padded[:, :subjects] = _BITS[copies]
    four = padded.reshape(variants, -1, 4)
    packed: NDArray[np.uint8] = four[:, :, 0] | four[:, :, 1] << 2 | four[:, :, 2] << 4 | four[:, :, 3] << 6
    return packed


def unpack(row: NDArray[np.uint8], subjects: int) -> NDArray[np.uint8]:
    """Copies of the first allele of one variant, 3 for missing.

    >>> unpack(np.array([120, 3], np.uint8), 5).tolist()
    [2, 1, 0, 3, 0]
    """
    pairs = (row[:, None] >> np.array([0, 2, 4, 6], np.uint8)) & 3
    copies: NDArray[np.uint8] = _COPIES[pairs.ravel()[:subjects]]
    return copies


def unique_subjects(names: Sequence[str]) -> tuple[str, ...]:
    """The subjects, each once: two samples of one person would need another unit of privacy."""
    if len(set(names)) < len(names):
        raise DataError(
            "The study names a subject twice.", "Keep one sample of each person, or give them different ids."
        )
    return tuple(names)
