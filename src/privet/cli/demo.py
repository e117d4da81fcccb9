"""``privet demo``: the whole story on generated patients."""

from __future__ import annotations

from pathlib import Path

import click

from privet.cli.options import FILE

__all__ = ["demo"]


@click.command()
@click.option("-o", "--output", "folder", type=FILE, default="privet-demo", show_default=True, metavar="FOLDER", help="Where its files go.")
@click.option("--records", type=click.IntRange(100), default=20_000, show_default=True, help="How many patients to generate.")
@click.option("--seed", type=int, help="Generate the same patients again (the noise stays secure).")
def demo(folder: Path, records: int, seed: int | None) -> None:
    """Tell Privet's story on a table of generated patients, and write a report with plots."""
    from privet.demo import main

    main(folder, records=records, **({} if seed is None else {"seed": seed}))
