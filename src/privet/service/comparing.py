"""Comparing: what mining a perturbed table gives beside mining the original."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from privet.errors import ParameterError
from privet.parameters import Alias, Argument, File, When
from privet.service.case import UseCase
from privet.service.common import OriginalSchema, Report
from privet.service.reports import Reported, written
from privet.service.session import Session

__all__ = ["Compare"]


@dataclass(frozen=True, kw_only=True)
class Compare(UseCase):
    """Train five learners on ORIGINAL and on PERTURBED, with WEKA's measures. For the data's owner.

    With a perturbation over noise levels instead of PERTURBED: utility and attack resistance over the noise
    level, in one plot.
    """

    original: Annotated[Path, File(), Argument(), "The table as it was."]
    perturbed: Annotated[
        Path | None, File(), Argument(), "The same records in the same order, perturbed."
    ] = None
    schema: OriginalSchema
    learners: Annotated[tuple[str, ...], Alias("learner"), "Only this learner (left out: all five)."] = ()
    folds: Annotated[int, Ge(2), "How many parts."] = 10
    records: Annotated[int, Ge(20), "Use a sample of this many records."] = 5000
    over_noise: Annotated[
        str | None,
        "Instead of a perturbed table: this perturbation (geometric or additive) at each of the levels, "
        "mined and attacked.",
    ] = None
    levels: Annotated[tuple[float, ...], When("over_noise"), "Noise levels, in half ranges."] = (
        0.01,
        0.05,
        0.1,
        0.2,
        0.4,
    )
    seed: Annotated[int, "Draw this sample and these folds again."] = 0
    output: Annotated[Report, "Write an HTML page with the plot."] = None

    def run(self, session: Session) -> Reported:
        from privet.schema import read_schema
        from privet.service.tables import read_table

        if (self.perturbed is None) == (self.over_noise is None):
            raise ParameterError(
                "A table is compared with a perturbed one, or perturbed at several noise levels.",
                "Name the perturbed table, or a perturbation over noise levels.",
            )
        schema = read_schema(self.schema)
        found = self._found(read_table(self.original, schema), schema, session)
        return written(Reported(found=found), self.output)

    def _found(self, table: Any, schema: Any, session: Session) -> Any:
        from privet.evaluation.comparison import LEARNERS, compare
        from privet.service.tables import read_table
        from privet.service.trade_off import trade_off

        if self.over_noise is not None:
            with session.progress("Perturbing, mining, attacking", "levels") as progress:
                return trade_off(
                    table,
                    schema,
                    self.levels,
                    method=self.over_noise,
                    learner=self.learners[0] if self.learners else "logistic regression",
                    records=self.records,
                    seed=self.seed,
                    progress=progress,
                )
        assert self.perturbed is not None
        with session.progress("Comparing", "runs") as progress:
            return compare(
                table,
                read_table(self.perturbed, None),
                schema,
                learners=self.learners or LEARNERS,
                folds=self.folds,
                records=self.records,
                seed=self.seed,
                progress=progress,
            )
