"""The ``privet`` command itself: its subcommands, and how every error ends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from privet import __version__
from privet.cli.commands import Suggesting, commands
from privet.cli.output import Output
from privet.cli.remedies import words_for
from privet.errors import PrivetError

__all__ = ["App", "app"]

INTERRUPTED = 130
_EPILOG = """\b
Exit codes: 0 done; 1 declined or unexpected; 2 a wrong parameter; 3 schema; 4 data; 5 the budget does not
allow it; 6 ledger; 7 model; 8 an optional part is missing; 9 the server; 130 interrupted."""


class App(Suggesting):
    """Turns every way in which a command can end into a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of the catalogue, which is that of a first day

    def main(  # type: ignore[override]  # click's overloads say which mode returns; here none does
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        typed = list(sys.argv[1:] if args is None else args)
        output = Output(json="--json" in typed, debug="--debug" in typed or "PRIVET_DEBUG" in os.environ)
        extra["standalone_mode"] = False
        try:
            code = super().main(typed, prog_name or "privet", obj=output, **extra)
        except PrivetError as error:
            output.trace(error)
            if error.rescued is not None:
                click.echo(json.dumps(error.rescued))
            words = words_for(error.remedy, output.given)
            code = output.refuse(error.message, words or error.advice, type(error).__name__, error.exit_code)
        except click.ClickException as error:
            if isinstance(error, click.UsageError) and error.ctx is not None:
                click.echo(error.ctx.get_usage(), err=True)
            message = _without_passwords(error.format_message(), typed)
            code = output.refuse(message, "", "ParameterError", error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            code = output.refuse(
                "Interrupted.",
                "Budget that was reserved counts as spent: privet ledger history  shows it.",
                "Interrupted",
                INTERRUPTED,
            )
        except BrokenPipeError:  # the reader of our output has gone: nothing is wrong, and nobody listens
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 1
        except Exception as error:
            output.trace(error)
            # The text of a foreign error may quote the data: only its kind is shown.
            code = output.refuse(
                f"Privet met an error that it did not expect ({type(error).__name__}).",
                "Please report it, with the command and what  privet --debug …  prints (no data).",
                "UnexpectedError",
                1,
            )
        sys.exit(code if isinstance(code, int) else 0)


def _without_passwords(message: str, typed: Sequence[str]) -> str:
    """The message of a wrong command, which may repeat an address that was typed."""
    from privet.service.building import said

    for word in typed:
        for place in (word, word.partition("=")[2]):
            if "://" in place:
                message = message.replace(place, said(place))
    return message


@click.group(
    cls=App,
    invoke_without_command=True,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="privet")
@click.option(
    "--debug", is_flag=True, help="Show where an error arose (never its text, which could quote data)."
)
@click.option(
    "--server",
    envvar="PRIVET_SERVER",
    metavar="URL",
    help="Do it on this server, with a dataset there for DATA. The token is in PRIVET_TOKEN, never typed.",
)
@click.option(
    "--token-file", type=click.Path(path_type=Path), metavar="FILE", help="A file with the server's token."
)
@click.pass_context
def app(context: click.Context, debug: bool, server: str | None, token_file: Path | None) -> None:
    """Mine sensitive tables, and let out only what is safe to let out.

    \b
    A first model, from a table on disk:
      privet schema draft people.csv --target ill        what is public? a draft
      privet schema confirm people.schema.toml           after you have checked it
      privet ledger open people.csv --schema people.schema.toml --epsilon 3
      privet fit naive-bayes people.csv --schema people.schema.toml -o model.json --dry-run
      privet fit naive-bayes people.csv --schema people.schema.toml -o model.json
      privet predict model.json new.csv -o predicted.csv
    """
    output: Output = context.obj
    output.server, output.token_file = server, token_file
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in commands():
    app.add_command(_command)
