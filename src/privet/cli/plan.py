"""Showing what a run would cost, and saying exactly how to open the account that it lacks."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privet.cli.options import Run
from privet.cli.output import output

if TYPE_CHECKING:
    from privet.service import Plan, Watch

__all__ = ["account_errors", "go_ahead", "opened_by", "show_plan"]


def go_ahead(make: Callable[[Watch | None], Plan] | None, run: Run, *, always: bool = False) -> bool:
    """Whether to run: not if this was a dry run, nor before a person at a terminal has seen the cost.

    ``make`` makes the plan; nothing stands for a run on public data, which costs nothing. ``always`` shows
    the plan where nobody is asked, too: for runs whose options do not say by themselves what they will do.
    """
    to = output()
    if make is None:
        if run.dry_run:
            free = "Scores on public data cost nothing."
            to.result({"dry_run": True, "amount": None}, lambda: click.echo(free))
        return not run.dry_run
    if not (run.dry_run or always) and (run.yes or not to.interactive):
        return True
    with to.progress("Planning") as watch:
        plan = make(watch)
    if run.dry_run:
        to.result(plan.to_dict(), lambda: show_plan(plan))
        return False
    show_plan(plan, err=True)
    to.confirm("Spend this?", run.yes)
    return True


def show_plan(plan: Plan, err: bool = False) -> None:
    """The cost, the balance before and after, and the expected error of each step."""

    from privet.release import numbered

    def say(line: str = "") -> None:
        click.echo(line, err=err)

    cost = "" if plan.amount is None else f" It would cost {plan.amount}, protecting {plan.unit}."
    say(f"Planned: {plan.what}.{cost}")
    if plan.how:
        say(f"How: {plan.how}")
    for note in plan.notes:
        say(f"It would have NO guarantee. {note}")
    if plan.search:
        for line in plan.search.lines():
            say(line)
    say()
    say("Steps, those of a trial with the first of the settings:" if plan.search else "Steps:")
    for line in numbered(plan.steps):
        say(f"  {line}")
    say()
    if plan.before is not None and plan.after is not None:
        say(f"Ledger account '{plan.dataset}'")
        say(f"  now:   {plan.before}")
        say(f"  after: {plan.after}")
    else:
        say("No ledger keeps count of this run.")
    say("Nothing has been spent yet." if err else "Nothing has been spent.")


@contextmanager
def account_errors(data: Path, schema: Path | None, ledger: Path) -> Iterator[None]:
    """Where the account (or the whole ledger) is missing, show the very command that opens it."""
    with opened_by("privet", "ledger", "open", data, "--schema", schema or "SCHEMA", "--ledger", ledger):
        yield


@contextmanager
def opened_by(*words: str | Path) -> Iterator[None]:
    """Where an account is missing, say that these words (and a limit) open it."""
    from privet.service import NoAccount

    try:
        yield
    except NoAccount as error:
        command = shlex.join([*map(str, words), "--epsilon", "LIMIT"])
        raise NoAccount(
            error.message,
            f"The owner of the data opens an account:\n      {command}\n"
            "  or, to let nobody keep count, add  --no-ledger",
        ) from None
