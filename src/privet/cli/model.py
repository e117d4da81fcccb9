"""``privet model``: what a released model promises."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from privet.cli.options import FILE, report_option, verify_key
from privet.cli.output import output, shows_json

if TYPE_CHECKING:
    from privet.report.weights import Weights

__all__ = ["model"]

MOST_WEIGHTS = 20


@click.group()
def model() -> None:
    """Look at released models."""


@model.command()
@click.argument("file", type=FILE)
@verify_key
@click.option("--all", "every", is_flag=True, help=f"All weights, not only the {MOST_WEIGHTS} largest.")
@report_option("Draw the weights of a linear model: a drawing (.svg) or a report with it (.html).")
@shows_json
def show(file: Path, verify_key: Path | None, every: bool, place: Path | None) -> None:
    """Show what a model was made with, its weights if it is linear, and its guarantee in words."""
    from privet.errors import ParameterError
    from privet.model import load_model, model_to_dict
    from privet.report.weights import Weights

    to, loaded = output(), load_model(file, verify_key)
    document = model_to_dict(loaded)
    schema, name = loaded.schema_, document["algorithm"]
    summary = {key: document[key] for key in ("algorithm", "parameters", "guarantee", "schema")}
    weights = Weights.of(loaded, schema.target)
    if weights is not None:
        summary["weights"] = weights.to_dict()
    if place is not None:
        if weights is None:
            raise ParameterError(f"A model of {name} has no weights to draw.", "Leave out --output.")
        shown = weights.first(None if every else MOST_WEIGHTS)
        shown.write(place, f"{file.name}: {name}", loaded.guarantee_.text())
        to.note(f"The weights were drawn in {place}.")

    def text() -> None:
        made = f"{name}, predicts '{schema.target}' from {len(schema.attributes)} attributes"
        click.echo(f"{file}: {made}.")
        click.echo("Parameters: " + ", ".join(f"{k} = {v}" for k, v in document["parameters"].items()))
        if explanation := getattr(loaded, "explanation_", ""):
            click.echo(f"How: {explanation}")
        click.echo(f"Signature: {'checked' if verify_key else 'not checked (--verify-key)'}.\n")
        if weights is not None:
            _show(weights, every)
        click.echo(loaded.guarantee_.text())

    to.result(summary | {"signature_checked": verify_key is not None}, text)


def _show(weights: Weights, every: bool) -> None:
    from privet.report.weights import NO_ERROR_BARS

    shown = weights.first(None if every else MOST_WEIGHTS)
    title = "Weights, the largest first" + ("" if weights.errors is None else " (± for the noise, 95 %)")
    rows = [[name, *shown.cells(row)] for row, name in enumerate(shown.names)]
    click.echo(f"{title}:")
    output().table(["coordinate", *shown.heads], rows)
    if more := len(weights.names) - len(shown.names):
        click.echo(f"… and {more:,} more: --all shows them.")
    click.echo(weights.meaning)
    if weights.errors is None:
        click.echo(NO_ERROR_BARS)
    click.echo()
