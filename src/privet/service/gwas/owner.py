"""What the owner of a study does with it: give it a budget, look at it, convert it, attack it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from annotated_types import Ge

from privet.errors import ParameterError
from privet.parameters import Alias, Delta, Epsilon, File
from privet.service.case import Result
from privet.service.common import Force
from privet.service.gwas.study import OfStudy
from privet.service.session import Session
from privet.service.text import columns

__all__ = ["AttackStudy", "ControlQuality", "ConvertGenotypes", "OpenStudy"]


@dataclass(frozen=True, kw_only=True)
class OpenStudy(OfStudy):
    """Give the people of a study a budget."""

    uses_ledger: ClassVar[bool] = True

    epsilon: Annotated[Epsilon, "The limit: all that may ever be spent."]
    delta: Annotated[Delta, "The limit's delta."] = 0.0
    each_analyst: Annotated[float | None, "What any one analyst may spend of it, as an epsilon."] = None

    def run(self, session: Session) -> OpenedStudy:
        from privet.service.accounts import limit_of, open_account

        study = self.opened(session)
        ledger = session.opened_ledger(create=True)
        if ledger is None:
            raise ParameterError("An account is opened in a ledger.", "Name the ledger.")
        name = open_account(
            ledger,
            study.source,
            study.schema,
            limit_of(self.epsilon, self.delta),
            each_analyst=None if self.each_analyst is None else limit_of(self.each_analyst, self.delta),
            scope=session.scope,
        )
        return OpenedStudy(name, session.ledger_place)


@dataclass(frozen=True)
class OpenedStudy(Result):
    """The name of the account that was opened."""

    dataset: str
    ledger: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"dataset": self.dataset}

    def text(self) -> str:
        where = f" in {self.ledger}" if self.ledger else ""
        return f"The account '{self.dataset}' is open{where}."


@dataclass(frozen=True, kw_only=True)
class ControlQuality(OfStudy):
    """Show what quality control keeps. EXACT numbers, for the owner of the data: not for release."""

    def run(self, session: Session) -> Quality:
        study = self.opened(session)
        passed = study.passed
        return Quality(
            subjects=len(study.source.subjects),
            subjects_kept=int(passed.subjects.sum()),
            cases=study.cases,
            controls=study.controls,
            variants=study.source.variant_count,
            variants_kept=int(passed.variants.sum()),
            dropped=passed.dropped,
        )


@dataclass(frozen=True, kw_only=True)
class Quality(Result):
    """Who and what passes quality control, in exact numbers."""

    notes = ("These numbers are exact: for the owner of the data, not for release.",)

    subjects: int
    subjects_kept: int
    cases: int
    controls: int
    variants: int
    variants_kept: int
    dropped: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "private": False}

    def text(self) -> str:
        return "\n".join(
            [
                f"Subjects: {self.subjects_kept:,} of {self.subjects:,} kept "
                f"({self.cases:,} cases, {self.controls:,} controls).",
                f"Variants: {self.variants_kept:,} of {self.variants:,} kept.",
                columns(["dropped by", "number"], list(self.dropped.items())),
            ]
        )


@dataclass(frozen=True, kw_only=True)
class ConvertGenotypes(OfStudy):
    """Write the genotypes as a table, one row per subject. The file is as private as the study."""

    output: Annotated[Path, File("out"), Alias("o"), "The file to write: .arff, .parquet, .csv or .bed."]
    force: Force = False

    def run(self, session: Session) -> Converted:
        from privet.service.gwas.conversion import convert_genotypes
        from privet.service.outputs import check_place

        check_place(self.output, force=self.force)
        return Converted(self.output, *convert_genotypes(self.opened(session), self.output))


@dataclass(frozen=True)
class Converted(Result):
    """How many subjects and variants were written, and where."""

    place: Path
    subjects: int
    variants: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.place),
            "subjects": self.subjects,
            "variants": self.variants,
            "private": False,
        }

    def text(self) -> str:
        return f"{self.subjects:,} subjects × {self.variants:,} variants were written to {self.place}."


@dataclass(frozen=True, kw_only=True)
class AttackStudy(OfStudy):
    """Attack a study, as its owner: who is recognised in exact frequencies, and who in Privet's release?"""

    k: Annotated[int, Ge(1), Alias("k"), "How many odds ratios Privet releases."] = 10
    epsilon: Annotated[Epsilon, "At which privacy loss."] = 1.0
    releases: Annotated[int, Ge(1), "How many releases are attacked."] = 20

    def run(self, session: Session) -> Attacked:
        from privet.audit.membership.homer import homer

        found = homer(self.opened(session), k=self.k, epsilon=self.epsilon, releases=self.releases)
        return Attacked(found)


@dataclass(frozen=True)
class Attacked(Result):
    """How well members can be distinguished from strangers."""

    notes = ("0.5 is a coin, 1 is certainty. Exact numbers: for the owner of the data, not for release.",)

    found: Any

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = self.found.to_dict()
        return found

    def text(self) -> str:
        found = self.found
        rows = [
            [f"exact frequencies of {found.variants:,} variants", found.exact_area, found.exact_found],
            [f"{found.k} odds ratios at ε = {found.epsilon:g}", found.private_area, found.private_found],
        ]
        heads = ["released", "members distinguished from strangers", "members found at 5 % false alarms"]
        return columns(heads, [[what, f"{area:.3f}", f"{share:.0%}"] for what, area, share in rows])
