"""PLINK 1 files: ``.bed`` (packed genotypes, streamed), ``.bim`` (variants), ``.fam`` (subjects).

Each may be compressed by gzip (``.bed.gz``). How long a compressed ``.bed`` is shows only while it is read.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from privet.errors import DataError
from privet.sources.files import FilePath, open_input, open_text, reading
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

__all__ = ["PlinkSource", "write_fam", "write_plink"]

_MAGIC = b"\x6c\x1b"
_PHENOTYPES = {"1": CONTROL, "2": CASE, "0": UNKNOWN, "-9": UNKNOWN, "NA": UNKNOWN, "nan": UNKNOWN}


class PlinkSource(GenotypeSource):
    """A study in PLINK 1 format, named by its ``.bed`` file or by what its three files have in common.

    Nothing of the genotypes is read here but the size of the file, which must fit the other two. Phenotypes
    are PLINK's: 1 control, 2 case; 0, -9 and NA are unknown, and such subjects are in no table. A file of
    phenotypes replaces those of ``.fam``, which may then be anything (a measured trait, say). Positions may
    be unknown (0, -9).
    """

    def __init__(self, path: FilePath, phenotypes: FilePath | None = None) -> None:
        path = Path(path)
        stem = path.with_name(path.name.removesuffix(".gz").removesuffix(".bed"))
        self.path, self._bim, self._fam = (_file(stem, ending) for ending in (".bed", ".bim", ".fam"))
        self.subjects, families, codes = _read_fam(self._fam)
        if phenotypes is None:
            self.phenotype = _binary(codes, self._fam.name)
        else:
            self.phenotype = read_phenotypes(phenotypes, self.subjects, families)
        with reading(self._bim), open_input(self._bim) as file:
            self.variant_count = _count_lines(file)
        self._check()

    def _check(self) -> None:
        with reading(self.path), _opened(self.path) as file:
            head = file.read(3)
        if head[:2] != _MAGIC:
            raise DataError(f"{self.path.name} is not a PLINK 1 .bed file.", "Check what the file is.")
        if head[2:] == b"\x00":
            raise DataError(
                f"{self.path.name} is in individual-major order, which PLINK no longer writes.",
                f"plink1.9 --bfile {self.path.stem} --make-bed --out new  writes it in variant-major order.",
            )
        if head[2:] != b"\x01":
            raise DataError(f"{self.path.name} is in an order that PLINK 1 does not know.")
        size, expected = self.path.stat().st_size, 3 + self.variant_count * self.row_bytes
        if self.path.suffix != ".gz" and size != expected:
            raise self._does_not_fit("cut off" if size < expected else "too long")

    def _does_not_fit(self, state: str) -> DataError:
        return DataError(
            f"{self.path.name} is {state} for {len(self.subjects):,} subjects and "
            f"{self.variant_count:,} variants, as its .fam and .bim say.",
            "Copy it again, and make sure that the three files belong together.",
        )

    @cached_property
    def variants(self) -> pa.Table:
        return _read_bim(self._bim)

    def blocks(self) -> Iterator[Block]:
        rows = max(1, BLOCK_BYTES // self.row_bytes)
        with reading(self.path), _opened(self.path) as file:
            file.read(3)
            for start in range(0, self.variant_count, rows):
                number = min(rows, self.variant_count - start)
                buffer = np.empty(number * self.row_bytes + 8, np.uint8)
                if not _fill(file, memoryview(buffer)[:-8]):
                    if self.path.suffix == ".gz":
                        raise self._does_not_fit("cut off")
                    raise DataError(f"{self.path.name} was cut off while it was read.", "Copy it again.")
                yield Block(start, buffer[:-8].reshape(number, self.row_bytes))
            if file.read(1):
                raise self._does_not_fit("too long")


def _file(stem: Path, ending: str) -> Path:
    """The file of this ending, plain if there is one, else compressed if there is one."""
    plain, packed = (stem.with_name(stem.name + end) for end in (ending, f"{ending}.gz"))
    return packed if packed.exists() and not plain.exists() else plain


def _opened(path: Path) -> Any:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb", buffering=0)


def _fill(file: Any, buffer: memoryview) -> bool:
    """Read until the buffer is full; whether there was enough."""
    while len(buffer):
        number = file.readinto(buffer)
        if not number:
            return False
        buffer = buffer[number:]
    return True


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
    with open_text(path) as lines:
        delimiter = "\t" if "\t" in lines.readline() else " "
    table = None
    with reading(path), open_input(path) as stream, suppress(pa.ArrowInvalid):  # whose text quotes the file
        table = csv.read_csv(
            stream,
            csv.ReadOptions(column_names=names),
            csv.ParseOptions(delimiter=delimiter, quote_char=False),
            csv.ConvertOptions(column_types=kinds, strings_can_be_null=False, null_values=[]),
        )
    if table is None:
        table = _split_bim(path, names)
    return table.drop_columns(["centimorgan"]).combine_chunks()


def _split_bim(path: Path, names: list[str]) -> pa.Table:
    with open_text(path) as file:
        lines = [line.split() for line in file if line.strip()]
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


def _read_fam(path: Path) -> tuple[tuple[str, ...], list[str], list[str]]:
    """The subjects, their families, and the last entry of each line: the phenotype as it is written."""
    with open_text(path) as file:
        lines = [line.split() for line in file if line.strip()]
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
    return unique_subjects(names), families, [line[5] for line in lines]


def _binary(words: list[str], name: str) -> NDArray[np.int8]:
    codes = [_PHENOTYPES.get(word) for word in words]
    if any(code is None for code in codes):
        raise DataError(
            f"The phenotype in {name} is not binary: 1 (control), 2 (case), or 0 and -9 (unknown).",
            "Split a measured trait into cases and controls by a rule that is public, and give that split "
            "as a file of phenotypes: ids and control or case.",
            "split-phenotypes",
        )
    return np.array(codes, np.int8)


def write_plink(source: GenotypeSource, path: FilePath) -> None:
    """Write a study as ``.bed``, ``.bim`` and ``.fam``."""
    path = Path(path).with_suffix(".bed")
    with path.open("wb") as file:
        file.write(_MAGIC + b"\x01")
        for block in source.blocks():
            file.write(np.ascontiguousarray(block.data).data)
    write_fam(source, path.with_suffix(".fam"))
    columns = source.variants.to_pydict()
    with path.with_suffix(".bim").open("w", encoding="utf-8") as file:
        for chromosome, position, first, second, name in zip(
            *(columns[key] for key in ("chromosome", "position", "a1", "a2")),
            source.variant_names,
            strict=True,
        ):
            file.write(f"{chromosome}\t{name}\t0\t{position}\t{first}\t{second}\n")


def write_fam(source: GenotypeSource, path: FilePath) -> None:
    """Write the subjects of a study, with their phenotypes, as ``.fam``."""
    codes = {CONTROL: "1", CASE: "2", UNKNOWN: "-9"}
    with Path(path).open("w", encoding="utf-8") as file:
        for name, code in zip(source.subjects, source.phenotype.tolist(), strict=True):
            file.write(f"{name} {name} 0 0 0 {codes[code]}\n")
