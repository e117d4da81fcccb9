"""Showing what a run would cost, and saying exactly how to open the account that it lacks."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from privet.service import Plan

__all__ = ["account_errors", "show_plan"]


def show_plan(plan: Plan, err: bool = False) -> None:
    """The cost, the balance before and after, and the expected error of each step."""

    def say(line: str = "") -> None:
        click.echo(line, err=err)

    say(f"To {plan.what} would cost {plan.amount}, protecting {plan.unit}.")
    for note in plan.notes:
        say(f"It would have NO guarantee. {note}")
    say()
    say("Steps:")
    for number, step in enumerate(plan.steps, 1):
        say(f"  {number}. {step.sentence()}")
    say()
    if plan.before is not None and plan.after is not None:
        say(f"Ledger account '{plan.dataset}'")
        say(f"  now:   {plan.before}")
        say(f"  after: {plan.after}")
    else:
        say("No ledger keeps count of this run.")
    say("Nothing has been spent.")


@contextmanager
def account_errors(data: Path, schema: Path | None, ledger: Path) -> Iterator[None]:
    """Where the account (or the whole ledger) is missing, show the very command that opens it."""
    from privet.service import NoAccount

    try:
        yield
    except NoAccount as error:
        words = ["privet", "ledger", "open", str(data), "--schema", str(schema or "SCHEMA")]
        words += ["--ledger", str(ledger), "--epsilon", "LIMIT"]
        raise NoAccount(
            error.message,
            f"The owner of the data opens an account:\n      {shlex.join(words)}\n"
            "  or, to let nobody keep count, add  --no-ledger",
        ) from None
