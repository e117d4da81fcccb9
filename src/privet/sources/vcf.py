"""VCF files, plain or gzip: diploid genotypes of variants with two alleles, packed as they are read."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import DataError
from privet.sources.files import FilePath, open_text
from privet.sources.genotypes import UNKNOWN, PackedGenotypes, pack
from privet.sources.phenotypes import read_phenotypes

__all__ = ["VcfSource"]

# Copies of the alternative allele. A haploid call counts as two equal copies, as in PLINK; a half call is
# missing.
_COPIES = {f"{a}{bar}{b}": int(a) + int(b) for a in "01" for b in "01" for bar in "/|"} | {"0": 0, "1": 2}
_MISSING = 3
# How many variants are held unpacked, one byte a genotype.
_TOGETHER = 1024


class VcfSource(PackedGenotypes):
    """A study in VCF. The first allele is the alternative one, the second the reference.

    Variants with more than two alleles, and those without ``GT``, are left out; ``skipped`` says how many.
    Phenotypes come from a file of their own (``read_phenotypes``).
    """

    def __init__(self, path: FilePath, phenotypes: FilePath | None = None) -> None:
        path = Path(path)
        self.path = path
        with open_text(path) as file:
            subjects, packed, entries, self.skipped = _read(file, path.name)
        names = ["chromosome", "id", "position", "a1", "a2"]
        columns = zip(*entries, strict=True) if entries else [()] * 5
        table = pa.table({name: list(column) for name, column in zip(names, columns, strict=True)})
        phenotype = (
            np.full(len(subjects), UNKNOWN, np.int8)
            if phenotypes is None
            else read_phenotypes(phenotypes, subjects)
        )
        self._hold(packed, subjects, phenotype, table)


def _read(
    file: IO[str], name: str
) -> tuple[list[str], NDArray[np.uint8], list[tuple[str, str, int, str, str]], int]:
    subjects: list[str] | None = None
    parts: list[NDArray[np.uint8]] = []
    rows: list[bytes] = []
    entries, skipped = [], 0
    for number, line in enumerate(file, 1):
        if line.startswith("##"):
            continue
        cells = line.rstrip("\n").split("\t")
        if line.startswith("#CHROM"):
            subjects = cells[9:]
            if not subjects:
                raise DataError(f"{name} names no subject.", "A VCF without genotypes cannot be used.")
            continue
        if subjects is None:
            raise DataError(f"{name} is not VCF: its header is missing.", "Check what the file is.")
        if len(cells) != 9 + len(subjects):
            raise DataError(f"Line {number} of {name} is cut off, or has too many entries.", "Copy it again.")
        chromosome, position, identifier, reference, alternative = cells[:5]
        form = cells[8].split(":")
        if "," in alternative or alternative in (".", "*") or form[0] != "GT":
            skipped += 1
            continue
        if not position.isdigit():
            raise DataError(f"The position in line {number} of {name} is not a whole number.")
        rows.append(_copies(cells[9:]))
        entries.append((chromosome, identifier, int(position), alternative, reference))
        if len(rows) == _TOGETHER:
            parts.append(_packed(rows))
            rows = []
    if subjects is None:
        raise DataError(f"{name} is not VCF: its header is missing.", "Check what the file is.")
    if not entries:
        raise DataError(f"{name} has no variant with two alleles.")
    return subjects, np.concatenate([*parts, _packed(rows)] if rows else parts), entries, skipped


def _packed(rows: list[bytes]) -> NDArray[np.uint8]:
    return pack(np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1))


def _copies(cells: list[str]) -> bytes:
    return bytes(_COPIES.get(cell.partition(":")[0], _MISSING) for cell in cells)
