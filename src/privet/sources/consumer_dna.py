"""Folders of consumer DNA files, one person each: 23andMe, AncestryDNA, FamilyTreeDNA, as on openSNP.

Files differ in chip, in genome build and in quality. Variants are matched by rsid, which is the same in
every build; positions are taken from the build that most files have. A file that cannot be used is left out
and reported (``problems``), and never stops the others.

Every file is read twice: once to see which variants most people have and which alleles these have, and once
for the genotypes, which are packed at once. What is kept of a person is two bits a variant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import DataError
from privet.sources.consumer_file import ALLELES, PersonalFile, VariantNames, read_personal_file
from privet.sources.files import FilePath
from privet.sources.genotypes import UNKNOWN, PackedGenotypes, pack
from privet.sources.phenotypes import read_phenotypes

__all__ = ["ConsumerDnaSource", "Problem"]

#: Told how many files have been read, and how many readings there will be: two of each.
Watch = Callable[[int, int | None], None]

_PERSON = re.compile(r"(user\d+)", re.IGNORECASE)
# How many people's genotypes are held unpacked: a multiple of four, which share a byte.
_TOGETHER = 8


@dataclass(frozen=True)
class Problem:
    """A file that was left out, and why. The reason holds nothing of its content."""

    file: str
    reason: str


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
        self,
        folder: FilePath,
        phenotypes: FilePath | None = None,
        *,
        least_share: float = 0.5,
        watch: Watch | None = None,
    ) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError(f"There is no folder {folder.name}.", "Give the folder that holds the DNA files.")
        self.path = folder
        skip = {Path(phenotypes).resolve()} if phenotypes is not None else set()
        files = [p for p in sorted(folder.iterdir()) if p.is_file() and p.resolve() not in skip]
        files = [p for p in files if not p.name.startswith(".")]
        tell = watch or (lambda done, total: None)
        people, self.problems, census = _first_pass(files, tell)
        if not people:
            raise DataError(f"No file in {folder.name} could be used.", "They should be 23andMe-like texts.")
        self.build = census.builds.most_common(1)[0][0]
        names = list(people)
        known = (
            np.full(len(names), UNKNOWN, np.int8)
            if phenotypes is None
            else read_phenotypes(phenotypes, names)
        )
        packed, table = _second_pass(list(people.values()), census, self.build, least_share, tell)
        self._hold(packed, names, known, table)


class _Census:
    """Over all files: how many people have a variant, and which alleles were seen of it."""

    def __init__(self) -> None:
        self.names = VariantNames()
        self.builds: Counter[str] = Counter()
        self.variants = np.empty(0, np.int64)
        self.people = np.empty(0, np.int32)
        self.seen = np.empty(0, np.uint8)

    def add(self, person: PersonalFile) -> None:
        self.builds[person.build] += 1
        place = np.searchsorted(self.variants, person.variants)
        there = place < len(self.variants)
        there[there] = self.variants[place[there]] == person.variants[there]
        self.people[place[there]] += 1
        self.seen[place[there]] |= person.seen[there]
        if not there.all():
            self.variants = np.insert(self.variants, place[~there], person.variants[~there])
            self.people = np.insert(self.people, place[~there], 1)
            self.seen = np.insert(self.seen, place[~there], person.seen[~there])


def _first_pass(files: list[Path], tell: Watch) -> tuple[dict[str, Path], tuple[Problem, ...], _Census]:
    people: dict[str, Path] = {}
    problems, census = [], _Census()
    for number, path in enumerate(files):
        tell(number, 2 * len(files))
        found = _PERSON.match(path.name)
        name = found.group(1).lower() if found else path.name.split(".")[0]
        if name in people:
            problems.append(Problem(path.name, "a second file of the same person"))
            continue
        try:
            census.add(read_personal_file(path, census.names))
        except DataError as error:
            problems.append(Problem(path.name, error.message))
        else:
            people[name] = path
    return people, tuple(problems), census


def _second_pass(
    files: list[Path], census: _Census, build: str, least_share: float, tell: Watch
) -> tuple[NDArray[np.uint8], pa.Table]:
    alleles = np.unpackbits(census.seen[:, None], axis=1, bitorder="little")[:, : len(ALLELES)]
    kept = (census.people >= least_share * len(files)) & (alleles.sum(axis=1) == 2)
    if not kept.any():
        raise DataError("The files have no variant in common.", "Lower least_share, or leave odd files out.")
    variants, alleles = census.variants[kept], alleles[kept]
    first, second = alleles.argmax(axis=1), len(ALLELES) - 1 - alleles[:, ::-1].argmax(axis=1)
    chromosomes = np.full(len(variants), "", object)
    positions = np.full(len(variants), -1, np.int64)
    packed, copies = [], np.full((len(variants), _TOGETHER), 3, np.uint8)
    for number, path in enumerate(files):
        tell(len(files) + number, 2 * len(files))
        person = read_personal_file(path, census.names)
        place = np.searchsorted(variants, person.variants)
        mine = place < len(variants)
        mine[mine] = variants[place[mine]] == person.variants[mine]
        rows = place[mine]
        calls = person.calls[mine]
        one, other = np.divmod(calls.astype(np.int64) - 1, 4)
        is_first = (one == first[rows]).astype(np.uint8) + (other == first[rows])
        copies[rows, number % _TOGETHER] = np.where(calls == 0, 3, is_first)
        # Positions of the usual build win; of others they are taken where there is none yet.
        better = (positions[rows] < 0) | (person.build == build)
        positions[rows[better]] = person.positions[mine][better]
        chromosomes[rows[better]] = person.chromosomes[mine][better]
        if number % _TOGETHER == _TOGETHER - 1 or number == len(files) - 1:
            packed.append(pack(copies[:, : number % _TOGETHER + 1]))
            copies.fill(3)
    texts = census.names.texts(variants)
    names = {name: place for place, name in enumerate(sorted(set(chromosomes), key=_chromosome))}
    where = np.array([names[name] for name in chromosomes])
    order = np.lexsort((np.array(texts), positions, where))
    table = pa.table(
        {
            "chromosome": pa.array(chromosomes[order], pa.string()),
            "id": pa.array(texts, pa.string()).take(pa.array(order)),
            "position": positions[order],
            "a1": pa.array(list(ALLELES)).take(pa.array(first[order])),
            "a2": pa.array(list(ALLELES)).take(pa.array(second[order])),
        }
    )
    return np.concatenate([part[order] for part in packed], axis=1), table


def _chromosome(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (99, name)
