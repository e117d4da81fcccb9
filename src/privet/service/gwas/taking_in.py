"""A study that somebody hands over: made whole, in PLINK's form, and what is public about it.

In PLINK's form the public lists (who takes part, which variants there are) lie beside the genotypes, so that
a plan can be made without opening the genotypes at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.schema.columns import DRAFTED

if TYPE_CHECKING:
    from privet.schema import Schema
    from privet.sources import GenotypeSource

__all__ = [
    "PublicLists",
    "VariantPage",
    "draft_study",
    "foretold",
    "listed_variants",
    "made_up_like",
    "make_whole",
]

PHENOTYPES = "No file says who is a case and who a control."


@dataclass(frozen=True)
class PublicLists:
    """What is public about a study, in numbers. No genotype is read for it."""

    cases: int
    controls: int
    without: int  # subjects whose phenotype is unknown: in no table
    variants: int
    chromosomes: tuple[tuple[str, int], ...]

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"chromosomes": [list(each) for each in self.chromosomes]}


@dataclass(frozen=True)
class VariantPage:
    """Some of the variants, and how many fit what was looked for."""

    number: int
    rows: list[list[str]]


def make_whole(stem: Path, source: str, phenotypes: Path | None = None) -> Path:
    """The study as ``stem.bed``, ``.bim`` and ``.fam``, made from what was handed over; gives the first."""
    from privet.curator.study import Study
    from privet.sources import PlinkSource, VcfSource, write_plink
    from privet.sources.plink import write_fam

    bed = stem.with_name(stem.name + ".bed")
    if source == ".bed":
        missing = [ending for ending in (".bed", ".bim", ".fam") if not bed.with_suffix(ending).exists()]
        if missing:
            raise DataError(
                f"The study is not whole. Missing: {', '.join(missing)}.",
                "PLINK keeps a study in three files, .bed, .bim and .fam: choose all of them together.",
            )
        found: GenotypeSource = PlinkSource(bed, phenotypes)
        if phenotypes is not None:
            write_fam(found, bed.with_suffix(".fam"))
    else:
        if phenotypes is None:
            raise DataError(
                PHENOTYPES, "Add a text file with lines of an id and control or case (.txt or .pheno)."
            )
        found = VcfSource(stem.with_name(stem.name + source), phenotypes)
        write_plink(found, bed)
    Study(found)  # refuses a study without cases or without controls
    return bed


def draft_study(bed: Path, dataset: str) -> tuple[Schema, PublicLists]:
    """What is public about a study, for its owner to confirm, and in numbers."""
    from privet.curator.study import Study

    study = Study.open(bed, dataset=dataset)
    counted = study.source.variants.group_by("chromosome", use_threads=False).aggregate([([], "count_all")])
    lists = PublicLists(
        cases=study.cases,
        controls=study.controls,
        without=len(study.source.subjects) - study.cases - study.controls,
        variants=study.source.variant_count,
        chromosomes=tuple((str(row["chromosome"]), int(row["count_all"])) for row in counted.to_pylist()),
    )
    columns = tuple(replace(column, origin=DRAFTED) for column in study.schema.columns)
    return replace(study.schema, columns=columns), lists


def listed_variants(bed: Path, first: int, number: int, find: str = "") -> VariantPage:
    """A page of the list of variants, which is public; ``find`` is a part of an id, or a whole chromosome."""
    import pyarrow.compute as pc

    from privet.sources import PlinkSource

    table = PlinkSource(bed).variants
    if find:
        named = pc.match_substring(table["id"], find, ignore_case=True)
        table = table.filter(pc.or_(named, pc.equal(table["chromosome"], find)))
    shown = table.slice(first, number).select(["id", "chromosome", "position", "a1", "a2"])
    rows = [[str(cell) for cell in row.values()] for row in shown.to_pylist()]
    return VariantPage(len(table), rows)


def made_up_like(bed: Path) -> GenotypeSource:
    """People who do not exist, for the public lists of a study."""
    from privet.service.gwas.made_up import MadeUpGenotypes
    from privet.sources import PlinkSource

    return MadeUpGenotypes.like(PlinkSource(bed))


def foretold(bed: Path, parameters: dict[str, Any]) -> dict[str, Any]:
    """What a scan with these settings would find at each epsilon, from the public lists alone."""
    from privet.curator.study import Study
    from privet.selection.gwas.foreseen import foreseen

    names = ("k", "score", "test", "tau", "mechanism", "values")
    given = {name: parameters[name] for name in names if name in parameters}
    return foreseen(Study(made_up_like(bed)).rehearsal(), **given).to_dict()
