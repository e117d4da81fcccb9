"""A case-control study of genotypes: what is public about it, and its exact tables behind the curator's door.

**The guarantee's terms.** Who took part, who is a case and who a control (so R and S), and which variants
were measured with which alleles: public. Protected is each subject's whole genotype: neighbouring studies
differ in the genotypes of one subject, at any number of variants (``replace`` within a phenotype group).

**Missing genotypes** count as two copies of the second allele (in PLINK's files the more frequent one).
That is a function of each subject's own record, so one subject still changes one cell of each table;
leaving missing genotypes out would make the groups' sizes differ from variant to variant, privately, and no
sensitivity below would hold.

**Covariates.** A stratum for each subject (a population, say) can be declared: it is public, and the trend
test then compares subjects within their stratum (``scores.mantel``). No other covariate is used: confounders
can make variants look associated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import Ledger, budget
from privet.curator.curator import Curator
from privet.curator.run import Run
from privet.curator.tables import as_source
from privet.engines import GenotypeEngine
from privet.errors import DataError
from privet.randomness import of as randomness_of
from privet.schema import Schema, Unit
from privet.sources import ConsumerDnaSource, PlinkSource, VcfSource
from privet.sources.genotypes import CASE, CONTROL, GenotypeSource
from privet.stats.association.candidates import Variants
from privet.stats.genotypes.quality import Passed, QualityControl, named
from privet.stats.genotypes.tables import GenotypeTables

__all__ = ["Study"]

Watch = Callable[[int, int | None], None]

NO_COVARIATES = "No covariate was used: population structure can make variants look associated that are not."
STRATA = "Subjects were compared within {number} strata; no other covariate was used."
_UNLISTED = (
    "Which variants there are, and their alleles, was read off the genotypes: one person can add or remove "
    "one. A public list of the variants gives a guarantee."
)
MISSING = "Missing genotypes were counted as two copies of the second allele."


class Study:
    """Genotypes of cases and controls, from a file or a genotype source.

    ``keep`` names the variants that are looked at: a list that is public. ``quality`` drops subjects and
    variants by what is in the data, and the guarantee then says that this was assumed public. ``strata``
    gives every subject a public stratum, within which subjects are compared. A ``rehearsed`` study reads no
    genotype: everybody and everything passes its quality control.
    """

    def __init__(
        self,
        data: Any,
        *,
        quality: QualityControl | None = None,
        keep: Collection[str] | None = None,
        strata: Mapping[str, str] | None = None,
        dataset: str | None = None,
        watch: Watch | None = None,
        rehearsed: bool = False,
    ) -> None:
        source = as_source(data) if not isinstance(data, GenotypeSource) else data
        if not isinstance(source, GenotypeSource):
            raise DataError(
                "This is no genotype file.", "Give a .bed or .vcf file, or a folder of DNA files."
            )
        self.source = source
        self.quality = quality or QualityControl()
        self.dataset = dataset
        self._keep = keep
        #: Told how many variants are done, while they are counted.
        self.watch = watch
        self._rehearsed = rehearsed
        self._strata = strata
        self.cases, self.controls = (int(n) for n in self.groups.sum(axis=1))
        if not self.cases or not self.controls:
            missing = "case" if not self.cases else "control"
            raise DataError(
                f"The study has no {missing}.",
                "Phenotypes are in the last column of .fam (1 control, 2 case), or in a file of their own.",
            )
        if strata is not None and any(
            self.source.subjects[place] not in strata for place in np.flatnonzero(self.groups.any(axis=0))
        ):
            raise DataError("A subject has no stratum.", "Give every subject one, with the same ids.")

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        phenotypes: str | Path | None = None,
        variants: str | Path | None = None,
        **how: Any,
    ) -> Study:
        """A study from a ``.bed`` or ``.vcf(.gz)`` file, or from a folder of people's files.

        ``variants`` is a public list of a folder's variants and their alleles; without one these are read off
        the genotypes, and nothing can be promised.
        """
        path = Path(path)
        if path.is_dir():
            return cls(ConsumerDnaSource(path, phenotypes, variants=variants), **how)
        if path.name.endswith((".vcf", ".vcf.gz")):
            return cls(VcfSource(path, phenotypes), **how)
        return cls(PlinkSource(path, phenotypes), **how)

    @cached_property
    def schema(self) -> Schema:
        return Schema.of(
            {"phenotype": ["control", "case"]},
            target="phenotype",
            unit=Unit("replace"),
            dataset=self.dataset,
        )

    @cached_property
    def passed(self) -> Passed:
        """Who and what passes quality control. Read off the data, exactly: assumed public by whoever asks."""
        source, quality = self.source, self.quality
        subjects = source.phenotype != -1
        dropped = {"unknown phenotype": int((~subjects).sum())}
        if quality.subject_missing < 1 and not self._rehearsed:
            from privet.stats.genotypes.kernels import count_missing

            missing = np.zeros(len(source.subjects), np.int64)
            for block in source.blocks():
                count_missing(block.data, len(missing), missing)
            good = missing <= quality.subject_missing * source.variant_count
            dropped["subject_missing"] = int((subjects & ~good).sum())
            subjects = subjects & good
        variants = np.ones(source.variant_count, bool)
        if self._keep is not None:
            variants = named(self._keep, source.variant_names)
            dropped["not in the list"] = int((~variants).sum())
        if quality.of_variants and not self._rehearsed:
            question = GenotypeTables(self._groups(subjects), source.variant_count)
            [counts] = GenotypeEngine(self.watch).answer([question], source, self.schema)
            for name, passes in quality.variants(counts).items():
                dropped[name] = int((variants & ~passes).sum())
                variants = variants & passes
        if not variants.any():
            raise DataError("No variant passes quality control.", "Lower its thresholds.")
        return Passed(subjects, variants, dropped)

    @property
    def groups(self) -> NDArray[np.bool_]:
        """Cases and controls that are used."""
        return self._groups(self.passed.subjects)

    def _groups(self, subjects: NDArray[np.bool_]) -> NDArray[np.bool_]:
        phenotype = self.source.phenotype
        return np.stack([(phenotype == CASE) & subjects, (phenotype == CONTROL) & subjects])

    @property
    def variant_places(self) -> NDArray[np.int64]:
        """The places, among all variants of the file, of those that are used."""
        return np.flatnonzero(self.passed.variants)

    @property
    def question(self) -> GenotypeTables:
        """The genotype tables of the whole study."""
        return self._tables(self.groups)

    @property
    def candidates(self) -> Variants:
        """The variants to choose among, by the tables of each stratum, or of the whole study."""
        return Variants(tuple(self._tables(groups) for groups in self._by_stratum()))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cases and controls of each stratum in turn."""
        return tuple(int(size) for groups in self._by_stratum() for size in groups.sum(axis=1))

    @property
    def stratified(self) -> bool:
        return self._strata is not None

    def _by_stratum(self) -> list[NDArray[np.bool_]]:
        if self._strata is None:
            return [self.groups]
        own = np.array([self._strata.get(name, "") for name in self.source.subjects])
        used = self.groups.any(axis=0)
        return [self.groups & (own == name) for name in np.unique(own[used])]

    def _tables(self, groups: NDArray[np.bool_]) -> GenotypeTables:
        kept = self.passed.variants
        return GenotypeTables(groups, self.source.variant_count, None if kept.all() else kept)

    def rehearsal(self) -> Study:
        """This study with tables that say nothing: to see what a run would cost, no genotype is read."""
        twin = copy(self)
        twin._rehearsed = True
        return twin

    def curator(
        self, epsilon: float, delta: float, ledger: Ledger | None, random_state: Any, what: str
    ) -> Curator:
        """The door to this study, with what is assumed about it written on it."""
        amount, randomness = budget(epsilon, delta), randomness_of(random_state)
        if self._rehearsed:
            curator = Curator.rehearsal(self.schema, amount, randomness=randomness, genotypes=self.source)
        else:
            run = Run(
                self.schema,
                amount,
                ledger=ledger,
                randomness=randomness,
                what=what,
            )
            curator = Curator.within(run, self.source, watch=self.watch)
        curator.assume(
            f"who took part, and who is a case ({self.cases}) or a control ({self.controls})",
            "the study's design",
        )
        if self.source.candidates_public:
            curator.assume("the variants, their positions and alleles", "the variants' file")
        else:
            curator.void(_UNLISTED)
        for entry in self.source.assumed:
            curator.assume(*entry)
        if self._keep is not None:
            curator.assume("the list of variants to look at", "given with the request")
        for words in self.quality.describe():
            curator.assume(f"which are the {words}", "READ OFF THE DATA, and assumed public")
        if self.quality.active:
            curator.admit(
                "Quality control looked at the data: what passing or failing it reveals is not protected."
            )
        curator.admit(MISSING)
        if self.stratified:
            curator.assume("the stratum of every subject", "given with the request")
        curator.admit(STRATA.format(number=len(self.sizes) // 2) if self.stratified else NO_COVARIATES)
        return curator
