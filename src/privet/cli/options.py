"""Options that belong to the command line itself: who pays, what is shown, and whether anybody is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from privet.cli.output import json_option
from privet.service.case import UseCase

__all__ = ["options_of"]

FILE = click.Path(path_type=Path)


class FileOrAddress(click.ParamType):
    """A file, or the address of a database."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, Path) or "://" in value else Path(value)


def options_of(case: type[UseCase]) -> list[click.Parameter]:
    """The options of a use case's session."""
    options: list[click.Parameter] = []
    if case.uses_ledger:
        options.append(
            click.Option(
                ["--ledger"],
                type=FileOrAddress(),
                envvar="PRIVET_LEDGER",
                show_envvar=True,
                default="privet-ledger.db",
                show_default=True,
                metavar="FILE",
                help="The ledger that keeps count: a file, or postgresql://USER@HOST/DATABASE.",
            )
        )
        options.append(
            click.Option(
                ["--analyst"],
                envvar="PRIVET_ANALYST",
                show_envvar=True,
                metavar="NAME",
                help="Who is asking.  [default: the login name]",
            )
        )
    if case.spends:
        options += [
            click.Option(
                ["--no-ledger"],
                is_flag=True,
                help="Keep no count of this run. Its guarantee says that nobody did.",
            ),
            click.Option(["--dry-run"], is_flag=True, help="Show cost and errors. Nothing is spent."),
            click.Option(["--yes", "-y"], is_flag=True, help="Do not ask before spending."),
        ]
    options.append(
        click.Option(
            ["--save-run"],
            type=FILE,
            metavar="FILE",
            help="Write what was run as a small document; privet export turns it into a script.",
        )
    )
    return [*options, json_option()]
