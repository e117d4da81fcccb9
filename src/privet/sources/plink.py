"""PLINK 1 files: ``.bed`` (packed genotypes, streamed), ``.bim`` (variants), ``.fam`` (subjects)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from privet.errors import DataError
from privet.sources.files import FilePath, reading
from privet.sources.genotypes import (
    BLOCK_BYTES,
    CASE,
    CONTROL,
    UNKNOWN,
    Block,
    GenotypeSource,
    unique_subjects,
)
from privet.sources.phenotypes import read_phenotypes

__all__ = ["PlinkSource", "write_plink"]

_MAGIC = b"\x6c\x1b"
_PHENOTYPES = {"1": CONTROL, "2": CASE, "0": UNKNOWN, "-9": UNKNOWN, "NA": UNKNOWN, "nan": UNKNOWN}


class PlinkSource(GenotypeSource):
    """A study in PLINK 1 format, named by its ``.bed`` file or by what its three files have in common.

    Nothing of the genotypes is read here but the size of the file, which must fit the other two. Phenotypes
    are PLINK's: 1 control, 2 case; 0, -9 and NA are unknown, and such subjects are in no table. A file of
    phenotypes replaces those of ``.fam``, which may then be anything (a measured trait, say).
    """

    def __init__(self, path: FilePath, phenotypes: FilePath | None = None) -> None:
        path = Path(path)
        self.path = path if path.suffix == ".bed" else path.with_name(path.name + ".bed")
        self._bim, self._fam = self.path.with_suffix(".bim"), self.path.with_suffix(".fam")
        self.subjects, codes = _read_fam(self._fam)
        if phenotypes is None:
            self.phenotype = _binary(codes, self._fam.name)
        else:
            self.phenotype = read_phenotypes(phenotypes, self.subjects)
        with reading(self._bim), self._bim.open("rb") as file:
            self.variant_count = _count_lines(file)
        self._check()

    def _check(self) -> None:
        with reading(self.path), self.path.open("rb") as file:
            head, size = file.read(3), self.path.stat().st_size
        if head[:2] != _MAGIC:
            raise DataError(f"{self.path.name} is not a PLINK 1 .bed file.", "Check what the file is.")
        if head[2:] == b"\x00":
            raise DataError(
                f"{self.path.name} is in individual-major order, which PLINK no longer writes.",
                f"plink1.9 --bfile {self.path.stem} --make-bed --out new  writes it in variant-major order.",
            )
        if head[2:] != b"\x01":
            raise DataError(f"{self.path.name} is in an order that PLINK 1 does not know.")
        expected = 3 + self.variant_count * self.row_bytes
        if size != expected:
            state = "cut off" if size < expected else "too long"
            raise DataError(
                f"{self.path.name} is {state} for {len(self.subjects):,} subjects and "
                f"{self.variant_count:,} variants, as its .fam and .bim say.",
                "Copy it again, and make sure that the three files belong together.",
            )

    @cached_property
    def variants(self) -> pa.Table:
        return _read_bim(self._bim)

    def blocks(self) -> Iterator[Block]:
        rows = max(1, BLOCK_BYTES // self.row_bytes)
        with reading(self.path), self.path.open("rb", buffering=0) as file:
            file.seek(3)
            for start in range(0, self.variant_count, rows):
                number = min(rows, self.variant_count - start)
                buffer = np.empty(number * self.row_bytes + 8, np.uint8)
                if file.readinto(memoryview(buffer)[:-8]) != number * self.row_bytes:
                    raise DataError(f"{self.path.name} was cut off while it was read.", "Copy it again.")
                yield Block(start, buffer[:-8].reshape(number, self.row_bytes))


def _count_lines(file: object) -> int:
    lines, last = 0, b"\n"
    for part in iter(lambda: file.read(1 << 20), b""):  # type: ignore[attr-defined]
        lines += part.count(b"\n")
        last = part[-1:]
    return lines + (last != b"\n")


def _read_bim(path: Path) -> pa.Table:
    """The variants: by Arrow's reader where one sign separates the entries, else by Python's."""
    names = ["chromosome", "id", "centimorgan", "position", "a1", "a2"]
    kinds = dict.fromkeys(names, pa.string()) | {"position": pa.int64()}
    with reading(path), path.open("rb") as file:
        delimiter = "\t" if b"\t" in file.readline() else " "
        table = None
        with suppress(pa.ArrowInvalid):  # whose text would quote the file
            table = csv.read_csv(
                path,
                csv.ReadOptions(column_names=names),
                csv.ParseOptions(delimiter=delimiter, quote_char=False),
                csv.ConvertOptions(column_types=kinds, strings_can_be_null=False, null_values=[]),
            )
        if table is None:
            table = _split_bim(path, names)
    return table.drop_columns(["centimorgan"]).combine_chunks()


def _split_bim(path: Path, names: list[str]) -> pa.Table:
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if any(len(line) != 6 for line in lines):
        raise DataError(f"A line of {path.name} has not six entries.", "Write it again with PLINK.")
    columns = dict(zip(names, zip(*lines, strict=True), strict=True))
    try:
        positions = [int(place) for place in columns["position"]]
    except ValueError:
        raise DataError(f"A position in {path.name} is not a whole number.") from None
    return pa.table({name: pa.array(columns[name], pa.string()) for name in names}).set_column(
        3, "position", pa.array(positions, pa.int64())
    )


def _read_fam(path: Path) -> tuple[tuple[str, ...], list[str]]:
    """The subjects, and the last entry of each line: the phenotype as it is written."""
    with reading(path):
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not lines:
        raise DataError(f"{path.name} names no subject.")
    if any(len(line) != 6 for line in lines):
        raise DataError(f"A line of {path.name} has not six entries.", "Write it again with PLINK.")
    families = [line[0] for line in lines]
    plain = [line[1] for line in lines]
    # Within-family ids repeat from family to family; then the pair is the name.
    names = (
        plain if len(set(plain)) == len(plain) else [f"{f}:{i}" for f, i in zip(families, plain, strict=True)]
    )
    return unique_subjects(names), [line[5] for line in lines]


def _binary(words: list[str], name: str) -> NDArray[np.int8]:
    codes = [_PHENOTYPES.get(word) for word in words]
    if any(code is None for code in codes):
        raise DataError(
            f"The phenotype in {name} is not binary: 1 (control), 2 (case), or 0 and -9 (unknown).",
            "Split a measured trait into cases and controls by a rule that is public, and give that split "
            "as a file of ids and control or case.",
        )
    return np.array(codes, np.int8)


def write_plink(source: GenotypeSource, path: FilePath) -> None:
    """Write a study as ``.bed``, ``.bim`` and ``.fam``."""
    path = Path(path).with_suffix(".bed")
    with path.open("wb") as file:
        file.write(_MAGIC + b"\x01")
        for block in source.blocks():
            file.write(np.ascontiguousarray(block.data).data)
    codes = {CONTROL: "1", CASE: "2", UNKNOWN: "-9"}
    with path.with_suffix(".fam").open("w", encoding="utf-8") as file:
        for name, code in zip(source.subjects, source.phenotype.tolist(), strict=True):
            file.write(f"{name} {name} 0 0 0 {codes[code]}\n")
    columns = source.variants.to_pydict()
    with path.with_suffix(".bim").open("w", encoding="utf-8") as file:
        for chromosome, position, first, second, name in zip(
            *(columns[key] for key in ("chromosome", "position", "a1", "a2")),
            source.variant_names,
            strict=True,
        ):
            file.write(f"{chromosome}\t{name}\t0\t{position}\t{first}\t{second}\n")
