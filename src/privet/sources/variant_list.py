"""A public list of variants: which are looked at, and which two alleles each has."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from privet.errors import DataError
from privet.sources.files import FilePath, open_text

__all__ = ["read_variants"]

_LETTERS = frozenset("ACGT")
_FIRST = {"rsid", "id", "snp", "variant", "chr", "chrom", "chromosome"}


def read_variants(path: FilePath) -> pa.Table:
    """Chromosome, id, position and both alleles of each variant, from a ``.bim`` or from lines ``id A1 A2``.

    A ``.bim`` may come from a chip's manifest or from a reference panel. Entries whose alleles are not two
    different letters (insertions, deletions) are left out. Where no position is given, it is 0: unknown.
    """
    path = Path(path)
    rows: dict[str, tuple[str, str, int, str, str]] = {}
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            parts = line.replace(",", " ").split()
            if not parts or line.startswith("#"):
                continue
            if number == 1 and parts[0].lower() in _FIRST:
                continue
            if len(parts) not in (3, 6):
                raise DataError(
                    f"Line {number} of {path.name} is not an id and two alleles, nor a line of a .bim file.",
                    "Write: rs123 A G",
                )
            chromosome, name, position = ("0", parts[0], "0") if len(parts) == 3 else (*parts[:2], parts[3])
            first, second = (allele.upper() for allele in parts[-2:])
            if name in rows:
                raise DataError(
                    f"{path.name} names a variant twice (line {number}).", "Keep one line for each."
                )
            if not position.lstrip("-").isdigit():
                raise DataError(f"The position in line {number} of {path.name} is not a whole number.")
            if first != second and {first, second} <= _LETTERS:
                rows[name] = (chromosome, name, int(position), first, second)
    if not rows:
        raise DataError(f"{path.name} names no variant with two alleles.", "Write lines such as: rs123 A G")
    names = ["chromosome", "id", "position", "a1", "a2"]
    return pa.table(
        {key: list(column) for key, column in zip(names, zip(*rows.values(), strict=True), strict=True)}
    )
