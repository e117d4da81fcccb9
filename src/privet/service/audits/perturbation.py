"""The audit of a perturbed table: attacks with the original at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from privet.parameters import Alias, Argument, ColumnOf, File
from privet.service.case import UseCase
from privet.service.common import OriginalSchema, Report
from privet.service.reports import Reported, written
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.report import Page
    from privet.schema import Schema

__all__ = ["AuditPerturbation"]


@dataclass(frozen=True, kw_only=True)
class AuditPerturbation(UseCase):
    """Attack PERTURBED with ORIGINAL at hand, and say which column is weakest. For the owner.

    Columns that are numbers in PERTURBED are attacked as numbers; those that are texts there (generalised,
    or randomised categories) as categories.
    """

    original: Annotated[Path, File(), Argument(), "The table as it was."]
    perturbed: Annotated[Path, File(), Argument(), "The same records in the same order, perturbed."]
    schema: OriginalSchema
    columns: Annotated[
        tuple[str, ...],
        ColumnOf("original"),
        Alias("c"),
        Alias("column"),
        "Attack this column (left out: those that differ).",
    ] = ()
    released: Annotated[
        tuple[str, ...], ColumnOf("perturbed"), "A column that they became (left out: found by name)."
    ] = ()
    known: Annotated[
        int | None,
        Ge(2),
        "How many records the attacker knows (left out: two for each column, at least 20).",
    ] = None
    noise: Annotated[float | None, "Standard deviation of published additive noise, in half ranges."] = None
    records: Annotated[int, Ge(50), "Attack a sample of this many records."] = 2000
    sensitive: Annotated[
        str | None,
        ColumnOf("original"),
        "For categories: what an attacker would like to know (left out: the target).",
    ] = None
    seed: Annotated[int | None, "The same sample and attacks again."] = None
    output: Report = None

    def run(self, session: Session) -> AttackedTable:
        from privet.audit.perturbation.attack import audit_perturbation
        from privet.audit.perturbation.categories import audit_categories, changed_columns
        from privet.schema import Number, read_schema
        from privet.service.tables import read_table

        declared = read_schema(self.schema)
        before, after = read_table(self.original, None), read_table(self.perturbed, None)
        numbers, texts = (
            [name for name in side if not self.columns or name in self.columns]
            for side in changed_columns(before, after)
        )
        numbers = [name for name in numbers if isinstance(declared[name], Number)]
        reports: list[Any] = []
        with session.progress("Attacking", "attacks") as progress:
            if numbers or not texts:
                reports.append(
                    audit_perturbation(
                        self.original,
                        self.perturbed,
                        schema=declared,
                        # Beside texts only the numbers that changed; else those named, or all that changed.
                        columns=numbers if texts else self.columns or None,
                        released=self.released or None,
                        known=self.known,
                        noise=self.noise,
                        records=self.records,
                        random_state=self.seed,
                        progress=progress,
                    )
                )
            if texts:
                reports.append(
                    audit_categories(
                        before,
                        after,
                        texts,
                        sensitive=self._hidden(declared, texts),
                        records=self.records,
                        random_state=self.seed,
                    )
                )
        return self._delivered(AttackedTable(found=reports))

    def _hidden(self, schema: Schema, texts: Sequence[str]) -> str | None:
        """The category that an attacker would like to know."""
        return self.sensitive or (schema.target if schema.target not in texts else None)

    def _delivered(self, result: AttackedTable) -> AttackedTable:
        """One page per report: that of the categories stands beside that of the numbers."""
        first = written(AttackedTable(found=result.found[:1]), self.output)
        if self.output is None or len(result.found) == 1:
            return replace(first, found=result.found)
        beside = self.output.with_stem(f"{self.output.stem}-categories")
        second = written(AttackedTable(found=result.found[1:]), beside)
        return replace(
            first,
            found=result.found,
            files=(*first.files, *second.files),
            trouble=first.trouble or second.trouble,
        )


@dataclass(frozen=True, kw_only=True)
class AttackedTable(Reported):
    """A report of the attacks on numbers, or on categories, or on both."""

    found: Sequence[Any]

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = self.found[0].to_dict()
        return found | ({"categories": self.found[1].to_dict()} if len(self.found) > 1 else {})

    def text(self) -> str:
        return "\n\n".join(report.text() for report in self.found)

    def page(self) -> Page:
        page: Page = self.found[0].page()
        return page
