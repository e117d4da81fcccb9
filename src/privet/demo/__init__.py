"""``privet demo``: a story on a table of generated patients, which ends in a report.

The patients come from a seed, so that everybody sees the same table; the noise does not, so that no two runs
are alike.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["main"]


def main(output: Path | str = "privet-demo", records: int = 20_000, seed: int | None = None) -> Path:
    """Tell the story in the folder ``output``, replacing what an earlier demonstration left there.

    ``seed`` chooses another table of patients. Returns the path of the report.
    """
    from privet.demo.figures import exact_figures
    from privet.demo.patients import SEED, patients
    from privet.demo.report import report_of
    from privet.demo.story import Files, split, tell
    from privet.demo.teller import Teller
    from privet.errors import ParameterError

    if records < 1000:
        raise ParameterError("The demonstration needs at least 1,000 patients.", "Give  --records 20000")
    if seed is not None and seed < 0:
        raise ParameterError("A seed must be a whole number of at least 0.")
    files = Files.within(Path(output))
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
        files.clear()
    except OSError as error:
        raise ParameterError(
            f"The folder {output} cannot be used: {error.strerror}.",
            "Choose another one:  privet demo -o FOLDER",
        ) from None
    table = patients(records, SEED if seed is None else seed)
    training, holdout = split(table)

    teller = Teller()
    teller.title(f"A private model of {records:,} patients. None of them exists; the privacy is real.")
    outcome = tell(files, teller, training, holdout)
    teller.step("The report")
    teller.say(
        "Plots need exact figures to compare with, which generated data may show and real data may not."
    )
    exact = exact_figures(training, holdout, outcome.schema, outcome.model)
    report_of(outcome, exact).write(files.report)
    teller.file("Open it in a browser:", files.report)
    return files.report
