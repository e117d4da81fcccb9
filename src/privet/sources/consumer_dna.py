"""Folders of consumer DNA files, one person each: 23andMe, AncestryDNA, FamilyTreeDNA, as on openSNP.

Files differ in chip, in genome build and in quality. Variants are matched by rsid, which is the same in
every build; positions are taken from the build that most files have. A file that cannot be used is left out
and reported (``problems``), and never stops the others.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from privet.errors import DataError
from privet.sources.files import FilePath
from privet.sources.genotypes import UNKNOWN, PackedGenotypes
from privet.sources.phenotypes import read_phenotypes

__all__ = ["ConsumerDnaSource", "Problem"]

_BUILD = re.compile(r"(?:build|grch|hg)\s*(3[678]|1[89])", re.IGNORECASE)
_PERSON = re.compile(r"(user\d+)", re.IGNORECASE)
_ALLELES = frozenset("ACGT")
_HG = {"18": "36", "19": "37"}
#: A real file has hundreds of thousands of variants; one with fewer lines than this is damaged or something
#: else.
FEWEST_VARIANTS = 2


@dataclass(frozen=True)
class Problem:
    """A file that was left out, and why. The reason holds nothing of its content."""

    file: str
    reason: str


@dataclass(frozen=True)
class _Person:
    name: str
    build: str
    calls: dict[str, tuple[str, int, str]]  # rsid: chromosome, position, the two letters


class ConsumerDnaSource(PackedGenotypes):
    """A study from a folder of DNA files and a file of phenotypes.

    ``least_share``: a variant is kept if at least this share of the people have a line for it (files of
    different chips have different variants). The two alleles of a variant are those that are seen, in the
    order of the alphabet; a variant with one or with more than two is left out. Both read the data:
    ``assumed`` says so in the guarantee.
    """

    assumed = (
        (
            "which variants most files hold, and which two alleles each has",
            "READ OFF THE DATA, and assumed public",
        ),
    )

    def __init__(
        self, folder: FilePath, phenotypes: FilePath | None = None, *, least_share: float = 0.5
    ) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError(f"There is no folder {folder.name}.", "Give the folder that holds the DNA files.")
        self.path = folder
        skip = {Path(phenotypes).resolve()} if phenotypes is not None else set()
        files = [p for p in sorted(folder.iterdir()) if p.is_file() and p.resolve() not in skip]
        people, self.problems = _read_all([p for p in files if not p.name.startswith(".")])
        if not people:
            raise DataError(f"No file in {folder.name} could be used.", "They should be 23andMe-like texts.")
        self.build = Counter(person.build for person in people).most_common(1)[0][0]
        copies, table = _matrix(people, self.build, least_share)
        names = [person.name for person in people]
        known = (
            np.full(len(names), UNKNOWN, np.int8)
            if phenotypes is None
            else read_phenotypes(phenotypes, names)
        )
        super().__init__(copies, names, known, table)


def _read_all(files: list[Path]) -> tuple[list[_Person], tuple[Problem, ...]]:
    people: dict[str, _Person] = {}
    problems = []
    for path in files:
        found = _PERSON.match(path.name)
        name = found.group(1).lower() if found else path.name.split(".")[0]
        if name in people:
            problems.append(Problem(path.name, "a second file of the same person"))
            continue
        try:
            people[name] = _read(path, name)
        except DataError as error:
            problems.append(Problem(path.name, error.message))
    return list(people.values()), tuple(problems)


def _read(path: Path, name: str) -> _Person:
    try:
        raw = path.read_bytes()
        text = (zlib.decompress(raw, 31) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError, zlib.error):
        raise DataError("cannot be read as text") from None
    build, calls, bad, lines = "unknown", {}, 0, 0
    for line in text.splitlines():
        if line.startswith("#"):
            if build == "unknown" and (found := _BUILD.search(line)):
                build = _HG.get(found.group(1), found.group(1))
            continue
        cells = [cell.strip('" ') for cell in re.split(r"[\t,]", line)]
        if not line.strip() or cells[0].lower() == "rsid":
            continue
        lines += 1
        letters = cells[3] + cells[4] if len(cells) == 5 else cells[3] if len(cells) == 4 else ""
        if len(cells) not in (4, 5) or not cells[2].isdigit():
            bad += 1
            continue
        calls[cells[0]] = (cells[1], int(cells[2]), letters.upper())
    if lines < FEWEST_VARIANTS or bad > lines // 10:
        raise DataError("is not a DNA file of a known kind, or is damaged")
    return _Person(name, build, calls)


def _matrix(people: list[_Person], build: str, least_share: float) -> tuple[np.ndarray, pa.Table]:
    seen: Counter[str] = Counter()
    letters: dict[str, set[str]] = {}
    places: dict[str, tuple[str, int]] = {}
    for person in people:
        seen.update(person.calls.keys())
        for rsid, (chromosome, position, call) in person.calls.items():
            letters.setdefault(rsid, set()).update(_ALLELES.intersection(call))
            if person.build == build or rsid not in places:
                places[rsid] = (chromosome, position)
    kept = [r for r, n in seen.items() if n >= least_share * len(people) and len(letters[r]) == 2]
    if not kept:
        raise DataError("The files have no variant in common.", "Lower least_share, or leave odd files out.")
    kept.sort(key=lambda rsid: (_chromosome(places[rsid][0]), places[rsid][1], rsid))
    pairs = [tuple(sorted(letters[rsid])) for rsid in kept]
    copies = np.full((len(kept), len(people)), 3, np.uint8)
    for column, person in enumerate(people):
        for row, (rsid, (first, second)) in enumerate(zip(kept, pairs, strict=True)):
            call = person.calls.get(rsid, ("", 0, ""))[2]
            if len(call) == 1:  # one copy, on the sex chromosomes of men: two equal ones, as in PLINK
                call *= 2
            if len(call) == 2 and set(call) <= {first, second}:
                copies[row, column] = call.count(first)
    table = pa.table(
        {
            "chromosome": [places[r][0] for r in kept],
            "id": kept,
            "position": [places[r][1] for r in kept],
            "a1": [first for first, _ in pairs],
            "a2": [second for _, second in pairs],
        }
    )
    return copies, table


def _chromosome(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (99, name)
