"""What a command says: results on stdout (as text or as JSON), everything meant for a person on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

__all__ = ["Output", "json_option", "output"]

# How each kind of what a run says looks, and how far it is indented.
_TOLD = {
    "title": ("bold", 0),
    "step": ("bold cyan", 0),
    "command": ("green", 4),
    "output": ("dim", 6),
    "refusal": ("yellow", 6),
}


@dataclass
class Output:
    """The two streams of one command."""

    json: bool = False
    debug: bool = False
    #: What the present command was given, for the words of an error.
    given: dict[str, Any] = field(default_factory=dict)
    #: The server that commands are for, and the file of the token for it; None: this machine.
    server: str | None = None
    token_file: Path | None = None

    def result(self, data: Any, text: Callable[[], None]) -> None:
        """The command's result: ``data`` for a machine, or what ``text`` prints for a person."""
        if self.json:
            click.echo(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            text()

    def note(self, message: str) -> None:
        """Something that a person should know and a script need not."""
        click.echo(message, err=True)

    def tell(self, text: str, kind: str) -> None:
        """What a run says while it works; beside the result where that is for a machine."""
        if kind == "note":
            return self.note(text)
        if kind == "warning":
            return self.warn(text)
        from rich.console import Console
        from rich.padding import Padding
        from rich.text import Text

        console = Console(highlight=False, stderr=self.json)
        style, indent = _TOLD.get(kind, ("", 4))
        shown = Text(text, style=style)
        if kind == "step":
            console.print()
        if kind == "command":  # never broken, so that it can be copied
            console.print(Text("    $ ").append_text(shown), soft_wrap=True)
        else:
            console.print(Padding(shown, (0, 0, 0, indent), expand=False))

    def warn(self, message: str) -> None:
        click.secho(f"WARNING: {message}", err=True, fg="yellow", bold=True)

    def refuse(self, message: str, advice: str, kind: str, code: int) -> int:
        """Say why the command ends here; returns its exit code."""
        click.secho(f"Error: {message}", err=True, fg="red")
        if advice:
            click.echo(f"  What to do: {advice}", err=True)
        if self.json:
            error = {"kind": kind, "message": message, "advice": advice, "exit_code": code}
            click.echo(json.dumps({"error": error}, indent=2, ensure_ascii=False))
        return code

    def trace(self, error: BaseException | None) -> None:
        """With ``--debug``: where an error and its causes arose, without texts (they may quote data)."""
        while self.debug and error is not None:
            import traceback

            click.echo("".join(traceback.format_tb(error.__traceback__)), err=True, nl=False)
            click.echo(f"{type(error).__module__}.{type(error).__qualname__}\n", err=True)
            error = error.__cause__ or error.__context__

    @property
    def interactive(self) -> bool:
        """Whether there is a person to ask."""
        return not self.json and sys.stdin.isatty() and sys.stderr.isatty()

    def confirm(self, question: str, yes: bool, declined: str = "Nothing was spent.") -> None:
        """Ask, where there is somebody to ask; a command in a script goes ahead."""
        if yes or not self.interactive:
            return
        if not click.confirm(question, err=True):
            self.note(declined)
            raise click.exceptions.Exit(1)

    @contextmanager
    def progress(self, what: str, unit: str = "rows") -> Iterator[Callable[[int, int | None], None] | None]:
        """A bar on stderr that says how far the work is, gone when it is done; none where nobody looks.

        Without a unit nothing is counted: how many rows a private table has is not for showing.
        """
        if self.json or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            TextColumn(what, markup=False),
            BarColumn(),
            *([TextColumn("{task.completed:,.0f} " + unit)] if unit else []),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)


def output() -> Output:
    """The output of the running command."""
    found: Output = click.get_current_context().find_root().obj
    return found


def _set_json(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.find_root().obj.json |= value


def json_option() -> click.Option:
    """The option ``--json``, which every command has."""
    return click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=_set_json,
        help="Machine-readable result on stdout; messages stay on stderr.",
    )
