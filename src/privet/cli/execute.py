"""How a use case becomes a command: a session from the options, the cost first, then the run."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from privet.cli.output import output
from privet.cli.remedies import words_for
from privet.parameters import Consent, File, parameters_of
from privet.service.case import Preview, UseCase
from privet.service.catalogue import Command
from privet.service.session import Session

__all__ = ["execute"]


def execute(entry: Command, given: dict[str, Any], options: dict[str, Any]) -> None:
    """Run the use case with these parameters, as the options about its session say."""
    to = output()
    to.given = {**given, **options}
    found = _output_of(entry.load())
    if found is not None and found[1].kept and given[found[0]] is None and not options.get("dry_run"):
        raise click.UsageError("Name the file for the result: -o FILE (or ask for a --dry-run).")
    with _standard_streams(entry.load(), given) as (values, piped):
        case = entry.load()(**values)
        if to.server is not None:
            _remotely(entry, case, to.server, options)
            return
        session = _session(case, options)
        if agreed := _agreed(case, session):
            case, given = replace(case, **agreed), given | agreed
        ahead = not case.spends or _go_ahead(case, session, options)
        result = case.run(session) if ahead else None
        # Without what stands for stdout, which is not a file that another run could name.
        _save_run(entry, entry.load()(**given), session, options.get("save_run"))
    if result is None:
        return
    if not piped:
        to.result(result.to_dict(), lambda: click.echo(result.text()))
    elif result.guarantee is not None and not case.filters:  # a filter has said it before its first record
        to.note(result.guarantee.headline)
    for note in result.notes:
        to.note(note)
    if result.remedy and not piped and not to.json:
        named = {name: value for name, value in result.to_dict().items() if isinstance(value, str)}
        to.note(words_for(result.remedy, {**to.given, **named}))
    if result.exit_code:
        raise click.exceptions.Exit(result.exit_code)


def _remotely(entry: Command, case: UseCase, server: str, options: dict[str, Any]) -> None:
    """Do it on a server, which plans it and holds the data."""
    from privet.service.remote import run_remotely

    to = output()

    def go_ahead(plan: Preview) -> bool:
        if options.get("dry_run"):
            to.result(plan.to_dict(), lambda: click.echo(f"{plan.text()}\nNothing has been spent."))
            return False
        to.note(f"{plan.text()}\nNothing has been spent yet.")
        if to.interactive and not options.get("yes"):
            to.confirm("Spend this?", False)
        return True

    session = Session(progress=to.progress, tell=to.tell)
    result = run_remotely(entry.name, case, server, to.token_file, session, go_ahead)
    if result is not None:
        to.result(result.to_dict(), lambda: click.echo(result.text()))
        if result.exit_code:
            raise click.exceptions.Exit(result.exit_code)


def _session(case: UseCase, options: dict[str, Any]) -> Session:
    to = output()
    if getattr(case, "seed", None) is not None and case.spends:
        to.warn("whoever knows the seed can take the noise away: this run has NO privacy guarantee.")
    ledger, idle = options.get("ledger"), None
    if options.get("no_ledger"):
        to.warn("no ledger keeps count of this run: what else was released is not added up.")
        ledger, idle = None, ledger
    return Session(ledger, options.get("analyst"), progress=to.progress, tell=to.tell, idle=idle)


def _agreed(case: UseCase, session: Session) -> dict[str, bool]:
    """The consent that a person at a terminal has just given, having seen what it is about."""
    to = output()
    for parameter in parameters_of(type(case)):
        consent = parameter.marker(Consent)
        if consent is None or getattr(case, parameter.name) or not to.interactive:
            continue
        if (plan := case.plan(session)) is not None:
            to.note(plan.text())
            to.confirm(consent.question, False, consent.declined)
            return {parameter.name: True}
    return {}


def _go_ahead(case: UseCase, session: Session, options: dict[str, Any]) -> bool:
    """Whether to run: not if this was a dry run, nor before a person at a terminal has seen the cost."""
    to = output()
    dry, asked = options["dry_run"], to.interactive and not options["yes"]
    if not (dry or asked or case.always_planned):
        return True
    plan = case.plan(session)
    if plan is None:
        if dry:
            free = "This costs no privacy budget."
            to.result({"dry_run": True, "amount": None}, lambda: click.echo(free))
        return not dry
    if dry:
        to.result(plan.to_dict(), lambda: click.echo(f"{plan.text()}\nNothing has been spent."))
        return False
    to.note(f"{plan.text()}\nNothing has been spent yet.")
    to.confirm("Spend this?", options["yes"])
    return True


def _output_of(case: type[UseCase]) -> tuple[str, File] | None:
    """The parameter that names the file of the result, if it may go to stdout or must be kept."""
    for parameter in parameters_of(case):
        file = parameter.marker(File)
        if file is not None and file.role == "out" and (file.stdout or file.kept):
            return parameter.name, file
    return None


@contextmanager
def _standard_streams(case: type[UseCase], given: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    """The parameters with ``-`` for an output exchanged for a file, which goes to stdout afterwards.

    The other value says whether stdout is taken. A filter writes there itself, while it runs.
    """
    place, _ = _output_of(case) or ("", None)
    if str(given.get(place)) != "-":
        yield given, False
        return
    if output().json:
        raise click.UsageError("The result and --json cannot both go to stdout: name a file.")
    if case.filters:
        yield given, True
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / case.stdout_name
        yield given | {place: file}, True
        if file.exists():
            with file.open("rb") as stream:
                sys.stdout.flush()
                shutil.copyfileobj(stream, sys.stdout.buffer)
                sys.stdout.flush()


def _save_run(entry: Command, case: UseCase, session: Session, place: Path | None) -> None:
    if place is not None:
        from privet.service.document import RunDocument

        RunDocument.of(entry.name, case, session).write(place)
        output().note(f"The run's document was written to {place}.")
