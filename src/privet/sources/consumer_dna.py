"""Folders of consumer DNA files, one person each: 23andMe, AncestryDNA, FamilyTreeDNA, as on openSNP.

Files differ in chip, in genome build and in quality. Variants are matched by rsid, which is the same in
every build; positions are taken from the build that most files have. A file that cannot be used is left out
and reported (``problems``), and never stops the others.

Every file is read twice: once to see whether it can be used (and, without a public list, which variants most
people have and which alleles these have), and once for the genotypes, which are packed at once. What is kept
of a person is two bits a variant.
"""

from __future__ import annotations

import re
from collections import Counter
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
from privet.sources.variant_list import read_variants

__all__ = ["ConsumerDnaSource", "Problem"]

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

    ``variants`` is a public list of the variants to look at, with both alleles of each (``read_variants``).
    These are the candidates, whatever the files hold; a call with any other letter is missing.

    Without a list the candidates are read off the genotypes, so ``candidates_public`` is false: one person's
    file can add a variant to the study or take one away. Then ``least_share`` is the share of people who must
    have a line for a variant (files of different chips have different variants), and the two alleles are the
    ones that are seen, in the order of the alphabet; a variant with one or with more than two is left out.
    """

    def __init__(
        self,
        folder: FilePath,
        phenotypes: FilePath | None = None,
        *,
        variants: FilePath | None = None,
        least_share: float = 0.5,
    ) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError(f"There is no folder {folder.name}.", "Give the folder that holds the DNA files.")
        self.path = folder
        skip = {Path(path).resolve() for path in (phenotypes, variants) if path is not None}
        files = [p for p in sorted(folder.iterdir()) if p.is_file() and p.resolve() not in skip]
        files = [p for p in files if not p.name.startswith(".")]
        declared = None if variants is None else read_variants(variants)
        people, self.problems, census = _first_pass(files, counted=declared is None)
        if not people:
            raise DataError(f"No file in {folder.name} could be used.", "They should be 23andMe-like texts.")
        self.build = census.builds.most_common(1)[0][0]
        names = list(people)
        known = (
            np.full(len(names), UNKNOWN, np.int8)
            if phenotypes is None
            else read_phenotypes(phenotypes, names)
        )
        if declared is None:
            self.candidates_public = False
            self.assumed = (
                (
                    "which variants most files hold, and which two alleles each has",
                    "READ OFF THE DATA, and assumed public",
                ),
            )
            candidates = _found(census, len(people), least_share)
        else:
            candidates = _declared(census.names, declared)
        packed, places = _second_pass(list(people.values()), census.names, candidates, self.build)
        if declared is None:
            order, table = _sorted(census.names, candidates, places)
        else:
            order, table = np.argsort(candidates.listed), declared
        self._hold(packed[order], names, known, table)


class _Census:
    """Over all files: how many people have a variant, and which alleles were seen of it."""

    def __init__(self) -> None:
        self.names = VariantNames()
        self.builds: Counter[str] = Counter()
        self.variants = np.empty(0, np.int64)
        self.people = np.empty(0, np.int32)
        self.seen = np.empty(0, np.uint8)

    def add(self, person: PersonalFile, counted: bool) -> None:
        self.builds[person.build] += 1
        if not counted:
            return
        place = np.searchsorted(self.variants, person.variants)
        there = place < len(self.variants)
        there[there] = self.variants[place[there]] == person.variants[there]
        self.people[place[there]] += 1
        self.seen[place[there]] |= person.seen[there]
        if not there.all():
            self.variants = np.insert(self.variants, place[~there], person.variants[~there])
            self.people = np.insert(self.people, place[~there], 1)
            self.seen = np.insert(self.seen, place[~there], person.seen[~there])


def _first_pass(files: list[Path], counted: bool) -> tuple[dict[str, Path], tuple[Problem, ...], _Census]:
    people: dict[str, Path] = {}
    problems, census = [], _Census()
    for path in files:
        found = _PERSON.match(path.name)
        name = found.group(1).lower() if found else path.name.split(".")[0]
        if name in people:
            problems.append(Problem(path.name, "a second file of the same person"))
            continue
        try:
            census.add(read_personal_file(path, census.names), counted)
        except DataError as error:
            problems.append(Problem(path.name, error.message))
        else:
            people[name] = path
    return people, tuple(problems), census


@dataclass(frozen=True)
class _Candidates:
    """The numbers of the variants, rising, with both alleles of each and its place in the list."""

    variants: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    listed: NDArray[np.int64]


def _found(census: _Census, people: int, least_share: float) -> _Candidates:
    """The variants that enough people have, with the alleles that were seen: read off the genotypes."""
    alleles = np.unpackbits(census.seen[:, None], axis=1, bitorder="little")[:, : len(ALLELES)]
    kept = (census.people >= least_share * people) & (alleles.sum(axis=1) == 2)
    if not kept.any():
        raise DataError("The files have no variant in common.", "Lower least_share, or leave odd files out.")
    alleles = alleles[kept]
    second = len(ALLELES) - 1 - alleles[:, ::-1].argmax(axis=1)
    return _Candidates(census.variants[kept], alleles.argmax(axis=1), second, np.empty(0, np.int64))


def _declared(names: VariantNames, table: pa.Table) -> _Candidates:
    numbers = names.numbers(table["id"].combine_chunks())
    order = np.argsort(numbers)
    first, second = (np.array([ALLELES.index(a) for a in table[c].to_pylist()])[order] for c in ("a1", "a2"))
    return _Candidates(numbers[order], first, second, order)


@dataclass
class _Places:
    """Where the variants are, as the files say: positions of the usual build win."""

    chromosomes: NDArray[np.object_]
    positions: NDArray[np.int64]


def _second_pass(
    files: list[Path], names: VariantNames, candidates: _Candidates, build: str
) -> tuple[NDArray[np.uint8], _Places]:
    variants, first, second = candidates.variants, candidates.first, candidates.second
    where = _Places(np.full(len(variants), "", object), np.full(len(variants), -1, np.int64))
    packed, copies = [], np.full((len(variants), _TOGETHER), 3, np.uint8)
    for number, path in enumerate(files):
        person = read_personal_file(path, names)
        place = np.searchsorted(variants, person.variants)
        mine = place < len(variants)
        mine[mine] = variants[place[mine]] == person.variants[mine]
        rows = place[mine]
        calls = person.calls[mine]
        one, other = np.divmod(calls.astype(np.int64) - 1, 4)
        is_first = (one == first[rows]).astype(np.uint8) + (other == first[rows])
        is_second = (one == second[rows]).astype(np.uint8) + (other == second[rows])
        copies[rows, number % _TOGETHER] = np.where((calls == 0) | (is_first + is_second < 2), 3, is_first)
        # Positions of the usual build win; of others they are taken where there is none yet.
        better = (where.positions[rows] < 0) | (person.build == build)
        where.positions[rows[better]] = person.positions[mine][better]
        where.chromosomes[rows[better]] = person.chromosomes[mine][better]
        if number % _TOGETHER == _TOGETHER - 1 or number == len(files) - 1:
            packed.append(pack(copies[:, : number % _TOGETHER + 1]))
            copies.fill(3)
    return np.concatenate(packed, axis=1), where


def _sorted(
    names: VariantNames, candidates: _Candidates, places: _Places
) -> tuple[NDArray[np.int64], pa.Table]:
    """The variants in the order of chromosome and position, and their table in that order."""
    texts = names.texts(candidates.variants)
    ranks = {name: rank for rank, name in enumerate(sorted(set(places.chromosomes), key=_chromosome))}
    order = np.lexsort(
        (np.array(texts), places.positions, np.array([ranks[name] for name in places.chromosomes]))
    )
    table = pa.table(
        {
            "chromosome": pa.array(places.chromosomes[order], pa.string()),
            "id": pa.array(texts, pa.string()).take(pa.array(order)),
            "position": places.positions[order],
            "a1": pa.array(list(ALLELES)).take(pa.array(candidates.first[order])),
            "a2": pa.array(list(ALLELES)).take(pa.array(candidates.second[order])),
        }
    )
    return order, table


def _chromosome(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (99, name)
