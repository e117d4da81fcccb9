"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privet.cli.output import output

if TYPE_CHECKING:
    from privet.budget import Ledger

__all__ = [
    "FILE",
    "OUTPUT",
    "Run",
    "force",
    "ledger_options",
    "public_option",
    "report_option",
    "run_options",
    "schema_option",
    "verify_key",
]

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FILE = click.Path(path_type=Path)  # that it exists is checked by its reader, whose errors have exit codes
OUTPUT = click.Path(path_type=Path, allow_dash=True)
# Written out, and not imported from the service, because importing that would take the time of a whole run.
ENGINES = ("auto", "memory", "duckdb")

schema_option = click.option(
    "--schema", "-s", type=FILE, required=True, metavar="FILE", help="What is public about the table."
)
force = click.option("--force", is_flag=True, help="Replace the output file if it is there already.")
verify_key = click.option(
    "--verify-key",
    type=FILE,
    metavar="FILE",
    help="Refuse a model that the owner of this public key has not signed.",
)
public_option = click.option(
    "--public",
    is_flag=True,
    help="DATA is public: exact scores, free. Never say this of private data.",
)


def report_option(help: str) -> Decorator:
    """Where something to look at goes, if it is wanted."""
    return click.option("-o", "--output", "place", type=FILE, metavar="FILE", help=help)


_ledger = click.option(
    "--ledger",
    type=FILE,
    envvar="PRIVET_LEDGER",
    show_envvar=True,
    default="privet-ledger.db",
    show_default=True,
    metavar="FILE",
    help="The ledger that keeps count.",
)
_analyst = click.option(
    "--analyst",
    envvar="PRIVET_ANALYST",
    show_envvar=True,
    metavar="NAME",
    help="Who is asking.  [default: the login name]",
)


def _stacked(*decorators: Decorator) -> Decorator:
    def apply(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return apply


ledger_options = _stacked(_ledger, _analyst)

run_options = _stacked(
    _ledger,
    click.option(
        "--no-ledger", is_flag=True, help="Keep no count of this run. Its guarantee says that nobody did."
    ),
    _analyst,
    click.option(
        "--engine",
        type=click.Choice(ENGINES),
        default="auto",
        show_default=True,
        help="Who reads the table: Privet itself (memory), or DuckDB for CSV and Parquet files.",
    ),
    click.option(
        "--seed",
        type=int,
        help="Repeatable noise, for tests only: it voids the guarantee and needs --no-ledger.",
    ),
    click.option("--dry-run", is_flag=True, help="Show cost and expected errors. Nothing is spent."),
    click.option("--yes", "-y", is_flag=True, help="Do not ask before spending."),
)


@dataclass(frozen=True)
class Run:
    """The values of ``run_options``: who reads, who pays, and whether anybody is asked."""

    ledger: Path
    no_ledger: bool
    analyst: str | None
    engine: str
    seed: int | None
    dry_run: bool
    yes: bool

    def opened_ledger(self) -> Ledger | None:
        """The ledger that pays, with the warnings that the options call for."""
        from privet.service import open_ledger

        if self.seed is not None:
            output().warn(
                "whoever knows the seed can take the noise away: this run has NO privacy guarantee."
            )
        if self.no_ledger:
            output().warn("no ledger keeps count of this run: what else was released is not added up.")
            return None
        return open_ledger(self.ledger, self.analyst)
