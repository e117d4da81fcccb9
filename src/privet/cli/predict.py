"""``privet predict``: classes or numbers for new records."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import click

from privet.cli.options import FILE, OUTPUT, force, verify_key
from privet.cli.output import output, shows_json

__all__ = ["predict"]


@click.command()
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@click.option(
    "-o",
    "--output",
    "place",
    type=OUTPUT,
    required=True,
    metavar="FILE",
    help="Where the predictions go: .csv, .parquet or .arff (- for CSV on stdout).",
)
@click.option("--probabilities", is_flag=True, help="Write the probability of each class too.")
@click.option("--keep", multiple=True, metavar="COLUMN", help="Copy this column of DATA; repeat for more.")
@verify_key
@force
@shows_json
def predict(
    model: Path,
    data: Path,
    place: Path,
    probabilities: bool,
    keep: tuple[str, ...],
    verify_key: Path | None,
    force: bool,
) -> None:
    """Predict the class (or number) of each record in DATA with a released MODEL. Costs no privacy budget.

    The predictions say something about the records in DATA, so they are as private as that file is.
    """
    from privet import service
    from privet.errors import ParameterError
    from privet.model import load_model

    to = output()
    stdout = str(place) == "-"
    if stdout and to.json:
        raise ParameterError("Predictions and --json cannot both go to stdout.", "Name a file with -o.")
    loaded = load_model(model, verify_key)
    if not stdout:
        service.check_place(place, force=force)
    with tempfile.TemporaryDirectory() as folder, to.progress("Predicting") as watch:
        file = Path(folder) / "predicted.csv" if stdout else place
        count = service.predict(loaded, data, file, probabilities=probabilities, keep=keep, watch=watch)
        if stdout:
            with file.open("rb") as stream:
                shutil.copyfileobj(stream, sys.stdout.buffer)
            return
    done = f"{count} predictions were made; they are in {place}."
    to.result({"predictions": str(place), "records": count}, lambda: click.echo(done))
