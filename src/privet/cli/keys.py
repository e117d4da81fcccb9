"""``privet keys``: a pair of keys to sign models with."""

from __future__ import annotations

from pathlib import Path

import click

from privet.cli.options import FILE
from privet.cli.output import output, shows_json

__all__ = ["keys"]


@click.command()
@click.argument("file", type=FILE)
@shows_json
def keys(file: Path) -> None:
    """Make a pair of keys: FILE, which signs models and stays with you, and FILE.pub, which checks them."""
    from privet import service, signing

    service.check_place(file)
    service.check_place(f"{file}.pub")
    private, public = signing.make_keys(file)
    output().result(
        {"private": str(private), "public": str(public)},
        lambda: click.echo(f"{private} signs (keep it secret); {public} checks (give it away)."),
    )
