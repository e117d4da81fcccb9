"""What is released of a study with a guarantee: top variants, how many are significant, tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge, Gt, Lt

from privet.errors import ParameterError
from privet.mechanisms.top_k import How
from privet.parameters import Alias, Delta, Epsilon, File
from privet.selection.gwas.top_snps import ScoreName
from privet.service.case import Shown
from privet.service.common import Force, OwnerSays, Report, SeedNumber
from privet.service.gwas.study import OfStudy
from privet.service.paying import Paid
from privet.service.reports import Reported, written
from privet.service.session import Session
from privet.service.text import columns
from privet.stats.association.distances import Test

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.release import Guarantee
    from privet.report import Chart, Page
    from privet.selection.gwas import Study
    from privet.service.plans import Plan

__all__ = ["ChooseTopSnps", "CountSignificant", "ReleaseTables"]

TestName = Annotated[Test, "The test of association."]
Tau = Annotated[float, Gt(0), Lt(1), "The p-value that counts as significant."]


@dataclass(frozen=True, kw_only=True)
class Release(Paid, OfStudy):
    """Something that is released of a study, and paid for."""

    epsilon: Epsilon
    delta: Delta = 0.0
    seed: SeedNumber = None
    owner_says: OwnerSays = None

    def plan(self, session: Session) -> Plan:
        """What it would cost, by a rehearsal on made-up tables: no genotype is counted."""
        from privet.service.plans import planned

        self._refuse()
        study = self.foreseen(session)
        guarantee = self._released(study, None).guarantee
        return planned(self._what, guarantee, study.schema, None, session.opened_ledger())

    def run(self, session: Session) -> Released:
        self._refuse()
        study = self.opened(session)
        with (
            self.paid(session, study.schema, self._what) as ledger,
            session.progress("Counting", "variants") as study.watch,
        ):
            return self._result(study, self._released(study, ledger))

    @property
    def _what(self) -> str:
        """What the ledger records of it."""
        raise NotImplementedError

    def _refuse(self) -> None:
        """Refuse what can be refused before the study is read."""

    def _released(self, study: Study, ledger: Ledger | None) -> Any:
        raise NotImplementedError

    def _result(self, study: Study, release: Any) -> Released:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Released(Reported):
    """What was released, with its guarantee."""

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        guarantee: Guarantee = self.found.guarantee
        return guarantee

    def page(self) -> Page:
        return super(Reported, self).page()


@dataclass(frozen=True, kw_only=True)
class ChooseTopSnps(Release):
    """Choose the variants most associated with the phenotype, with noisy values.

    No covariate is used unless strata declare one: population structure can make variants look associated
    that are not. Filters read the data, and the guarantee says so.
    """

    title: ClassVar[str] = "Top variants"

    k: Annotated[int, Ge(1), Alias("k"), "How many variants are chosen."] = 10
    score: Annotated[ScoreName, "What makes a variant good."] = "distance"
    test: TestName = "genotypic"
    tau: Tau = 1e-5
    mechanism: Annotated[How, "How they are chosen."] = "permute_and_flip"
    strata: Annotated[
        Path | None,
        File(),
        "Lines of an id and its public stratum: compare within strata (by chi2 of the trend test).",
    ] = None
    values: Annotated[bool, "Release noisy values, too; without them the whole budget is for the choice."] = (
        True
    )
    output: Report = None
    force: Force = False

    def _refuse(self) -> None:
        from privet.service.outputs import check_place

        if self.output is not None:
            check_place(self.output, force=self.force)

    def _strata(self) -> Any:
        from privet.sources.phenotypes import read_strata

        return None if self.strata is None else read_strata(self.strata)

    @property
    def _what(self) -> str:
        return f"gwas top-snps by {self.score} ({self.test})"

    def _released(self, study: Study, ledger: Ledger | None) -> Any:
        from privet.selection.gwas import top_snps

        return top_snps(
            study,
            self.k,
            epsilon=self.epsilon,
            delta=self.delta,
            score=self.score,
            test=self.test,
            tau=self.tau,
            mechanism=self.mechanism,
            values=self.values,
            ledger=ledger,
            random_state=self.seed,
        )

    def _result(self, study: Study, release: Any) -> ChosenSnps:
        return written(ChosenSnps(found=release, study=study, case=self), self.output)


@dataclass(frozen=True, kw_only=True)
class ChosenSnps(Released):
    """The chosen variants; its page holds public things of the study besides them."""

    study: Any
    case: ChooseTopSnps

    def text(self) -> str:
        lines = [columns(*self.found.table()), *self._words(), self.guarantee.headline]
        return "\n".join(lines)

    def _words(self) -> list[str]:
        from privet.selection.gwas.verdict import in_words

        case = self.case
        return in_words(self.study, self.found, score=case.score, test=case.test, tau=case.tau)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"in_words": self._words()}

    def in_words(self) -> str:
        """The verdict first: it is what a reader wants to know."""
        if not (words := self._words()):
            return f"The {len(self.found.snps)} variants that were chosen, without values."
        meaning, accuracy, *verdict = words
        everyone = f"All {len(self.found.snps)} of these can be told from noise."
        return "\n".join([*(verdict or [everyone]), meaning, accuracy])

    def tables(self) -> tuple[Shown, ...]:
        return (Shown("The chosen variants", *self.found.table()),)

    def charts(self) -> tuple[Chart, ...]:
        from privet.selection.gwas.report import charts

        case = self.case
        return charts(self.study, self.found, score=case.score, test=case.test, tau=case.tau)

    def page(self) -> Page:
        from privet.selection.gwas import report

        case = self.case
        return report(self.study, self.found, score=case.score, test=case.test, tau=case.tau)


@dataclass(frozen=True, kw_only=True)
class CountSignificant(Release):
    """Count the significant variants, so that k need not be guessed. No covariate is used."""

    title: ClassVar[str] = "Significant variants"

    test: TestName = "genotypic"
    tau: Tau = 1e-5
    most: Annotated[int, Ge(1), "The largest count that can be answered."] = 1000

    @property
    def _what(self) -> str:
        return f"gwas count-significant ({self.test})"

    def _released(self, study: Study, ledger: Ledger | None) -> Any:
        from privet.selection.gwas import count_significant

        return count_significant(
            study,
            tau=self.tau,
            test=self.test,
            epsilon=self.epsilon,
            delta=self.delta,
            most=self.most,
            ledger=ledger,
            random_state=self.seed,
        )

    def _result(self, study: Study, release: Any) -> CountedSnps:
        return CountedSnps(found=release)


@dataclass(frozen=True, kw_only=True)
class CountedSnps(Released):
    """How many variants are significant."""

    def text(self) -> str:
        answer = self.found
        return (
            f"{answer.count:,} variants have p < {answer.tau:g} in a study that differs from this one in at "
            f"most {answer.records:.0f} records (95 % of cases).\n{self.guarantee.headline}"
        )


@dataclass(frozen=True, kw_only=True)
class ReleaseTables(Release):
    """Release noisy genotype tables of the variants that a list names."""

    def _refuse(self) -> None:
        if self.keep is None:
            raise ParameterError(
                "Tables of all variants would be nothing but noise.",
                "Name the ones you need in a file, and keep only these.",
                "keep-some",
            )

    @property
    def _what(self) -> str:
        return "gwas tables"

    def _released(self, study: Study, ledger: Ledger | None) -> Any:
        from privet.selection.gwas import noisy_tables

        return noisy_tables(
            study, epsilon=self.epsilon, delta=self.delta, ledger=ledger, random_state=self.seed
        )

    def _result(self, study: Study, release: Any) -> ReleasedTables:
        return ReleasedTables(found=release)


@dataclass(frozen=True, kw_only=True)
class ReleasedTables(Released):
    """Noisy tables of genotypes."""

    def text(self) -> str:
        found = self.found
        rows = [
            [name, group, *map(int, row)]
            for name, table in zip(found.names, found.counts, strict=True)
            for group, row in zip(("case", "control"), table, strict=True)
        ]
        return "\n".join(
            [
                columns(["variant", "group", "a1 a1", "a1 a2", "a2 a2", "missing"], rows),
                f"Counts are off by at most {found.error:.0f} in 95 % of cases.",
                self.guarantee.headline,
            ]
        )
