"""The thesis's figures on selection, for simulated and real genotypes and for the UCI tables.

python -m benchmarks.gwas_figures [--repetitions N] [SET …]     measures these sets (all of them unless named)
                                                                and writes docs/experiments/gwas*

``python -m benchmarks gwas_recovery`` is a small form, which writes nothing. Each contender's figures are stored
as soon as they are there, so that a run that was stopped loses little.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.gwas_notes import write_notes
from privet.experiments.gwas import (
    EPSILONS,
    GENOTYPE_CONTENDERS,
    Contender,
    Recovery,
    attribute_tables,
    recovery,
    simulated_tables,
    study_tables,
)
from privet.schema import Unit
from privet.stats.association import Chi2, Distance, Majority, MutualInformation

DOCS = Path(__file__).resolve().parents[1] / "docs" / "experiments"
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


def measure(chosen: Set, repetitions: int) -> Iterator[tuple[str, list[Recovery]]]:
    """The curves of each contender of one set. On genotypes the exact χ² says what is relevant, as in the
    thesis; on other tables each score is compared with itself."""
    tables = chosen.tables()
    for contender in chosen.contenders:
        if chosen.genotypes:
            how: dict[str, Any] = {"epsilons": chosen.epsilons, "repetitions": repetitions}
            points = recovery(tables, contender, truth=Chi2(), **how)
            if contender.name in ("distance, exponential", "distance, permute-and-flip"):
                points += recovery(tables, contender, truth=Chi2(), ks=[5], among=10, **how)
        else:
            ks = [k for k in (3, 5, 10) if k < sum(len(group) for group in tables)]
            points = recovery(tables, contender, ks=ks, epsilons=TABLE_EPSILONS, repetitions=repetitions)
        yield contender.name, points


def _stored(path: Path) -> dict[str, list[Recovery]]:
    if not path.exists():
        return {}
    kinds = {"contender": str, "k": int, "among": int}
    kept: dict[str, list[Recovery]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = row.pop("set")
            kept.setdefault(name, []).append(
                Recovery(**{key: kinds.get(key, float)(value) for key, value in row.items()})
            )
    return kept


def _store(path: Path, kept: dict[str, list[Recovery]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["set", *(each.name for each in fields(Recovery))], lineterminator="\n")
        writer.writeheader()
        for chosen in SETS:
            order = [contender.name for contender in chosen.contenders]
            for point in sorted(kept.get(chosen.name, ()), key=lambda each: order.index(each.contender)):
                rounded = {"percentage": round(point.percentage, 2), "error": round(point.error, 2)}
                writer.writerow({"set": chosen.name} | asdict(point) | rounded)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help="names, or beginnings of them")
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--only", default="", help="contenders whose names contain this")
    parser.add_argument("--write-only", action="store_true", help="write the pages from the stored figures")
    asked = parser.parse_args()
    path = DOCS / "gwas.csv"
    for chosen in () if asked.write_only else SETS:
        if not asked.sets or any(chosen.name.startswith(name) for name in asked.sets):
            chosen = replace(chosen, contenders=tuple(c for c in chosen.contenders if asked.only in c.name))
            for contender, points in measure(chosen, asked.repetitions):
                kept = _stored(path)  # read again: another run may have added to it meanwhile
                others = [point for point in kept.get(chosen.name, ()) if point.contender != contender]
                kept[chosen.name] = others + points
                _store(path, kept)
                print(f"{chosen.name}: {contender}: {len(points)} figures", flush=True)
    if asked.only:  # a part: the pages are written when all of it is there
        return
    _store(path, _stored(path))  # in the order of the contenders, whichever was measured first
    kept = _stored(path)
    for kind, genotypes in (("gwas", True), ("gwas-attributes", False)):
        named = [each.name for each in SETS if each.genotypes == genotypes]
        if all(name in kept for name in named):
            write_notes(DOCS, kind, {name: kept[name] for name in named})


if __name__ == "__main__":
    main()
