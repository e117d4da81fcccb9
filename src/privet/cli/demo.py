"""``privet demo``: the whole story on generated patients."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import click

from privet.cli.options import FILE
from privet.cli.output import output, shows_json

__all__ = ["demo"]


@click.command()
@click.option(
    "-o",
    "--output",
    "folder",
    type=FILE,
    default="privet-demo",
    show_default=True,
    metavar="FOLDER",
    help="Where its files go.",
)
@click.option(
    "--records",
    type=click.IntRange(1000),
    default=20_000,
    show_default=True,
    help="How many patients to generate.",
)
@click.option("--seed", type=int, help="Generate the same patients again (the noise stays secure).")
@shows_json
def demo(folder: Path, records: int, seed: int | None) -> None:
    """Tell Privet's story on a table of generated patients, and write a report with plots."""
    from privet.demo import main

    to = output()
    # The story is told on stdout; a script that asked for JSON gets it on stderr.
    with contextlib.redirect_stdout(sys.stderr) if to.json else contextlib.nullcontext():
        report = main(folder, records=records, seed=seed)
    to.result({"report": str(report)}, lambda: None)
