"""``privet model``: what a released model promises."""

from __future__ import annotations

from pathlib import Path

import click

from privet.cli.options import FILE, verify_key
from privet.cli.output import output, shows_json

__all__ = ["model"]


@click.group()
def model() -> None:
    """Look at released models."""


@model.command()
@click.argument("file", type=FILE)
@verify_key
@shows_json
def show(file: Path, verify_key: Path | None) -> None:
    """Show what a model was made with, and its guarantee in words."""
    from privet.model import load_model, model_to_dict

    loaded = load_model(file, verify_key)
    document = model_to_dict(loaded)
    schema = loaded.schema_
    summary = {key: document[key] for key in ("algorithm", "parameters", "guarantee", "schema")}

    def text() -> None:
        made = f"{document['algorithm']}, predicts '{schema.target}' from {len(schema.attributes)} attributes"
        click.echo(f"{file}: {made}.")
        click.echo("Parameters: " + ", ".join(f"{k} = {v}" for k, v in document["parameters"].items()))
        if explanation := getattr(loaded, "explanation_", ""):
            click.echo(f"How: {explanation}")
        click.echo(f"Signature: {'checked' if verify_key else 'not checked (--verify-key)'}.\n")
        click.echo(loaded.guarantee_.text())

    output().result(summary | {"signature_checked": verify_key is not None}, text)
