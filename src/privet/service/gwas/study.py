"""Which study it is: declared once for all that is done with studies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge, Le

from privet.errors import DataError
from privet.parameters import Argument, File
from privet.service.building import name_of
from privet.service.case import UseCase
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.selection.gwas import Study
    from privet.stats.genotypes.quality import QualityControl

__all__ = ["OfStudy"]


@dataclass(frozen=True, kw_only=True)
class OfStudy(UseCase):
    """Something that is done with a study."""

    examples: ClassVar[str] = (
        "STUDY is a PLINK .bed (with .bim and .fam), a .vcf or .vcf.gz, or a folder of 23andMe-like files."
    )

    study: Annotated[Path, File(), Argument(), "The genotypes of cases and controls."]
    phenotypes: Annotated[
        Path | None, File(), "Lines of an id and control or case; needed for VCF and folders."
    ] = None
    variants: Annotated[
        Path | None,
        File(),
        "For a folder: a public list of its variants and their alleles; without one there is no guarantee.",
    ] = None
    keep: Annotated[Path | None, File(), "Look only at the variants of this public list."] = None
    dataset: Annotated[str | None, "The people's account in the ledger; by default the study's name."] = None
    subject_missing: Annotated[float, Ge(0), Le(1), "Drop subjects with more missing than this share."] = 1.0
    call_rate: Annotated[float, Ge(0), Le(1), "Drop variants known in fewer than this share."] = 0.0
    maf: Annotated[float, Ge(0), Le(0.5), "Drop variants with a rarer minor allele than this."] = 0.0
    allele_count: Annotated[int, Ge(0), "Drop variants whose rarer allele fewer people have."] = 0
    hwe: Annotated[float, Ge(0), Le(1), "Drop variants with a lower Hardy–Weinberg p-value."] = 0.0

    def foreseen(self, session: Session) -> Study:
        """The study for a plan, without quality control: a plan reads no genotype of a file.

        A folder is read as a whole: what its variants are stands among the genotypes.
        """
        if not self._quality().active:
            return self.opened(session).rehearsal()
        return self._read(session, rehearsed=True)

    def _quality(self) -> QualityControl:
        from privet.stats.genotypes.quality import QualityControl

        return QualityControl(self.subject_missing, self.call_rate, self.maf, self.allele_count, self.hwe)

    def opened(self, session: Session) -> Study:
        """The study, read and counted once."""
        if "_opened" not in self.__dict__:
            self.__dict__["_opened"] = self._read(session)
        study: Study = self.__dict__["_opened"]
        return study

    def _read(self, session: Session, *, rehearsed: bool = False) -> Study:
        """The study, watched while a folder is read, or while quality control counts."""
        from privet.selection.gwas import Study

        found = session.genotypes(self.study)
        folder = isinstance(found, Path) and found.is_dir()
        # Each file of a folder is a person's, and how many there are is an exact answer; variants are public.
        what, unit = ("Reading", "") if folder else ("Quality control", "variants")
        with session.progress(what, unit) as watch:
            how: dict[str, Any] = {
                "keep": None if self.keep is None else _listed(self.keep),
                "dataset": self.dataset or name_of(self.study),
                "quality": self._quality(),
                "rehearsed": rehearsed,
                "strata": self._strata(),
                "watch": None if folder else watch,
            }
            if isinstance(found, Path):
                study = Study.open(found, phenotypes=self.phenotypes, variants=self.variants, **how)
            else:
                study = Study(found, **how)
        for problem in getattr(study.source, "problems", ()):
            session.warn(f"{problem.file} was left out: {problem.reason}.")
        if skipped := getattr(study.source, "skipped", 0):
            session.note(f"{skipped:,} variants without two alleles or without genotypes were left out.")
        return study

    def _strata(self) -> Any:
        """The stratum of each subject; None if subjects are not compared within strata."""
        return None


def _listed(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        raise DataError(
            f"The list {path.name} cannot be read.", "It should hold one variant's id per line."
        ) from None
