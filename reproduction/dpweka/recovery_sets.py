"""The data sets of the thesis's figures on selection: simulated and real genotypes, and the UCI tables."""

from __future__ import annotations

import csv
import gzip
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from benchmarks import data
from privet.schema import Unit
from privet.stats.association import Chi2, Distance, Majority, MutualInformation
from reproduction.dpweka.recovery import (
    EPSILONS,
    GENOTYPE_CONTENDERS,
    Contender,
    Recovery,
    attribute_tables,
    recovery,
    simulated_tables,
    study_tables,
)
from reproduction.page import Cell, Results

REPETITIONS = 100
ADD_REMOVE = Unit("add_remove")
ATTRIBUTE_CONTENDERS = (
    Contender(Majority(), "permute_and_flip", unit=ADD_REMOVE),
    Contender(Majority(), "exponential", unit=ADD_REMOVE),
    Contender(Majority(), "laplace", unit=ADD_REMOVE),
    Contender(Majority(), "gaussian", 1e-6, unit=ADD_REMOVE),
    Contender(MutualInformation(), "permute_and_flip"),
    Contender(Chi2(), "permute_and_flip"),
    Contender(Chi2(), "laplace"),
)
# Attributes of two or three values and two classes: the distance score, too.
BINARY_CONTENDERS = (*ATTRIBUTE_CONTENDERS[:2], *ATTRIBUTE_CONTENDERS[4:], Contender(Distance(tau=0.05), "permute_and_flip"))  # fmt: skip
# Those of the thesis, as far as they can be kept private, and the best one.
THESIS_CONTENDERS = tuple(GENOTYPE_CONTENDERS[place] for place in (0, 1, 5))
TABLE_EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Set:
    """A data set of the experiments: how its tables are made, and who competes on it."""

    name: str
    tables: Callable[[], Any]
    contenders: tuple[Contender, ...]
    genotypes: bool = True
    epsilons: tuple[float, ...] = EPSILONS


@contextmanager
def plink_files(name: str, case: Callable[[dict[str, str]], str]) -> Iterator[tuple[Path, Path]]:
    """A genotype set beside the repository, unpacked for a while, and its phenotype by a public rule."""
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("bed", "bim", "fam", "pheno.csv"):
            packed, plain = data.FOLDER / "gwas" / f"{name}.{ending}.gz", Path(folder) / f"{name}.{ending}"
            with gzip.open(packed) as source, plain.open("wb") as target:
                shutil.copyfileobj(source, target)
        with (Path(folder) / f"{name}.pheno.csv").open() as file:
            lines = [f"{row['iid']} {case(row)}\n" for row in csv.DictReader(file)]
        phenotypes = Path(folder) / "phenotypes.txt"
        phenotypes.write_text("".join(lines))
        yield Path(folder) / f"{name}.bed", phenotypes


def _real(name: str, case: Callable[[dict[str, str]], str]) -> Callable[[], Any]:
    def tables() -> Any:
        with plink_files(name, case) as (bed, phenotypes):
            return study_tables(bed, phenotypes=phenotypes)

    return tables


def _uci(name: str, bins: int = 8) -> Callable[[], Any]:
    return lambda: attribute_tables(*data.load(name), bins)


def _eight(row: dict[str, str]) -> str:
    halves = {"0": "control", "1": "case"}
    return halves.get(row["CD8_binary_train"]) or halves.get(row["CD8_binary_test"]) or "unknown"


SETS = (
    Set("simulated, three strong signals", simulated_tables, GENOTYPE_CONTENDERS),
    Set("simulated, three strong and seven weaker signals", lambda: simulated_tables(weaker=7), THESIS_CONTENDERS, epsilons=(5.0, 10.0, 20.0, 50.0, 100.0)),
    Set("snpstats_cc1000", _real("snpstats_cc1000", lambda row: {"0": "control", "1": "case"}[row["cc"]]), GENOTYPE_CONTENDERS),
    Set("mouse_hs1940", _real("mouse_hs1940", _eight), GENOTYPE_CONTENDERS),
    Set("g1000_eur_chr2", _real("g1000_eur_chr2", lambda row: "case" if row["population"] == "FIN" else "control"), GENOTYPE_CONTENDERS),
    Set("mushroom", _uci("mushroom"), ATTRIBUTE_CONTENDERS, False),
    Set("votes", _uci("votes"), BINARY_CONTENDERS, False),
    Set("nursery", _uci("nursery"), ATTRIBUTE_CONTENDERS, False),
    Set("adult", _uci("adult"), ATTRIBUTE_CONTENDERS, False),
    Set("bank_marketing", _uci("bank_marketing"), ATTRIBUTE_CONTENDERS, False),
    Set("credit_approval", _uci("credit_approval"), ATTRIBUTE_CONTENDERS, False),
    Set("spect_heart", _uci("spect_heart", 2), BINARY_CONTENDERS, False),
)  # fmt: skip


@lru_cache(maxsize=1)
def _tables(chosen: Set) -> Any:
    return chosen.tables()


def measured(chosen: Set, contender: Contender) -> list[list[float]]:
    """The curves of one contender, without its name. On genotypes the exact χ² says what is relevant, as in the
    thesis; on other tables each score is compared with itself."""
    tables = _tables(chosen)
    if chosen.genotypes:
        how: dict[str, Any] = {"epsilons": chosen.epsilons, "repetitions": REPETITIONS}
        points = recovery(tables, contender, truth=Chi2(), **how)
        if contender.name in ("distance, exponential", "distance, permute-and-flip"):
            points += recovery(tables, contender, truth=Chi2(), ks=[5], among=10, **how)
    else:
        ks = [k for k in (3, 5, 10) if k < sum(len(group) for group in tables)]
        points = recovery(tables, contender, ks=ks, epsilons=TABLE_EPSILONS, repetitions=REPETITIONS)
    return [[p.k, p.among, p.epsilon, round(p.percentage, 2), round(p.error, 2)] for p in points]


def cells(genotypes: bool) -> Iterator[Cell]:
    """Each contender of each set."""
    for chosen in SETS:
        if chosen.genotypes == genotypes:
            for contender in chosen.contenders:
                yield Cell(f"{chosen.name}/{contender.name}", partial(measured, chosen, contender))


def curves(found: Results, genotypes: bool) -> dict[str, list[Recovery]]:
    """The stored points of each set."""
    return {
        chosen.name: [
            Recovery(contender.name, *point)
            for contender in chosen.contenders
            for point in found[f"{chosen.name}/{contender.name}"]
        ]
        for chosen in SETS
        if chosen.genotypes == genotypes
    }
