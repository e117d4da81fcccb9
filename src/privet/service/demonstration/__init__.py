"""The demonstration: a story on a table of generated patients, which ends in a report.

The patients come from a seed, so that everybody sees the same table; the noise does not, so that no two runs
are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from privet.errors import ParameterError
from privet.parameters import Alias, File
from privet.service.case import Result, UseCase
from privet.service.session import Session

__all__ = ["Demonstrate", "Demonstrated"]


@dataclass(frozen=True, kw_only=True)
class Demonstrate(UseCase):
    """Tell Privet's story on a table of generated patients, and write a report with plots.

    What an earlier demonstration left in the folder is replaced.
    """

    output: Annotated[Path, File("out"), Alias("o"), "The folder that its files go to."] = Path("privet-demo")
    records: Annotated[int, Ge(1000), "How many patients to generate."] = 20_000
    seed: Annotated[int | None, Ge(0), "Generate other patients (the noise stays secure)."] = None

    def run(self, session: Session) -> Demonstrated:
        from privet.demo.patients import SEED, patients
        from privet.service.demonstration.figures import exact_figures
        from privet.service.demonstration.report import report_of
        from privet.service.demonstration.story import Files, split, tell
        from privet.service.demonstration.teller import Teller

        files = Files.within(self.output)
        try:
            self.output.mkdir(parents=True, exist_ok=True)
            files.clear()
        except OSError as error:
            raise ParameterError(
                f"The folder {self.output} cannot be used: {error.strerror}.", "Choose another one."
            ) from None
        table = patients(self.records, SEED if self.seed is None else self.seed)
        training, holdout = split(table)
        teller = Teller(session.tell)
        teller.title(
            f"A private model of {self.records:,} patients. None of them exists; the privacy is real."
        )
        outcome = tell(files, teller, training, holdout)
        teller.step("The report")
        teller.say(
            "Plots need exact figures to compare with, which generated data may show and real data may not."
        )
        exact = exact_figures(training, holdout, outcome.schema, outcome.model)
        report_of(outcome, exact).write(files.report)
        return Demonstrated(files.report)


@dataclass(frozen=True)
class Demonstrated(Result):
    """Where the report is."""

    report: Path

    def to_dict(self) -> dict[str, Any]:
        return {"report": str(self.report)}

    def text(self) -> str:
        return f"    Open it in a browser: {self.report}"
