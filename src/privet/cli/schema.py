"""``privet schema``: what is public about a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from privet.cli.options import FILE, OUTPUT, force, schema_option
from privet.cli.output import output, shows_json

if TYPE_CHECKING:
    from privet.schema import Column, Schema

__all__ = ["schema"]


@click.group()
def schema() -> None:
    """Declare what is public about a table: draft, confirm, show, check."""


@schema.command()
@click.argument("data", type=FILE)
@click.option(
    "-o",
    "--output",
    "place",
    type=OUTPUT,
    metavar="FILE",
    help="Where the schema goes (- for stdout).  [default: NAME.schema.toml beside DATA]",
)
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--ignore", multiple=True, metavar="COLUMN", help="A column to leave out; repeat for more.")
@click.option(
    "--id",
    "id_",
    metavar="COLUMN",
    help="The column that says who a person is: people are protected, not records.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many records of one person count at most (with --id); surplus ones are dropped.",
)
@click.option(
    "--neighbours",
    type=click.Choice(["add_remove", "replace"]),
    default="add_remove",
    show_default=True,
    help="Protect whether somebody is in the table, or (their number being public) what they are.",
)
@click.option(
    "--dataset",
    metavar="NAME",
    help="A name for the people in the table: tables of one name share one budget.",
)
@click.option(
    "--declare-public",
    is_flag=True,
    help="Declare everything that was read off the data public, unseen. Every guarantee will say so.",
)
@force
@shows_json
def draft(
    data: Path,
    place: Path | None,
    target: str | None,
    ignore: tuple[str, ...],
    id_: str | None,
    most: int,
    neighbours: str,
    dataset: str | None,
    declare_public: bool,
    force: bool,
) -> None:
    """Draft a schema from the table DATA, for a person to check.

    Bounds and domains that are read off the data are marked, and nothing private runs before they are
    confirmed. The nominal domains of an ARFF header are public by declaration.
    """
    from privet import service
    from privet.schema import schema_text, write_schema

    to = output()
    place = place or data.with_name(f"{data.name.split('.')[0] or 'table'}.schema.toml")
    if str(place) != "-":
        service.check_place(place, force=force)
    with to.progress("Reading") as watch:
        drafted = service.draft_schema(
            data,
            target=target,
            ignore=ignore,
            id=id_,
            most=most,
            neighbours=neighbours,  # type: ignore[arg-type]
            dataset=dataset,
            declare_public=declare_public,
            watch=watch,
        )
    if declare_public:
        to.warn(
            "bounds and domains read off the data are declared public wholesale; every guarantee says so."
        )
    if str(place) == "-":
        to.result(_summary(drafted, None), lambda: click.echo(schema_text(drafted), nl=False))
        return
    write_schema(drafted, place)
    to.result(_summary(drafted, place), lambda: _say_draft(drafted, place))


def _say_draft(drafted: Schema, place: Path) -> None:
    click.echo(f"{place}: {len(drafted.columns)} columns, {len(drafted.drafted)} of them to be confirmed.")
    if drafted.drafted:
        output().note(f'Check each entry marked "read off the data", then:  privet schema confirm {place}')


def _summary(schema: Schema, place: Path | None) -> dict[str, object]:
    return {
        "file": str(place) if place else None,
        "confirmed": not schema.drafted,
        "unconfirmed": list(schema.drafted),
        "schema": schema.to_dict(),
    }


@schema.command()
@click.argument("file", type=FILE)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="COLUMN",
    help="Confirm this column only; repeat for more.  [default: all]",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask: you have looked at every entry.")
@shows_json
def confirm(file: Path, columns: tuple[str, ...], yes: bool) -> None:
    """Confirm, as a person, that entries read off the data are public knowledge. Look at them first."""
    from privet import service
    from privet.errors import ParameterError
    from privet.schema import read_schema, write_schema

    to = output()
    before = read_schema(file)
    after = service.confirm_schema(before, columns)
    left = set(after.drafted)
    rows = [_row(column) for column in before.columns if column.name in set(before.drafted) - left]
    if rows and not yes:
        if not to.interactive:
            raise ParameterError(
                "There is nobody to ask whether these entries are public knowledge; nothing was confirmed.",
                "Look at them (privet schema show FILE), then say that you have with --yes.",
            )
        to.table(("Column", "Kind", "Public", "Origin"), rows)
        to.confirm(
            "Would you know all of this without the data?", yes, "Nothing was confirmed: correct the file."
        )
    service.check_place(file, force=True)
    write_schema(after, file)
    to.result(
        _summary(after, file),
        lambda: click.echo(f"{file}: {len(rows)} confirmed, {len(left)} left to confirm."),
    )


def _row(column: Column) -> tuple[str, str, str, str]:
    """A column for a person to read: kind, bounds or domain, and where they came from."""
    from privet.schema import Number

    if isinstance(column, Number):
        cuts = f", {len(column.cuts)} cuts" if column.cuts else ""
        kind = "integer" if column.integer else "number"
        return column.name, kind, f"{column.low:g} to {column.high:g}{cuts}", column.origin
    shown = ", ".join(str(value) for value in column.labels[:8])
    more = f", … ({column.size})" if column.size > 8 else ""
    return column.name, "category", shown + more, column.origin


@schema.command()
@click.argument("file", type=FILE)
@shows_json
def show(file: Path) -> None:
    """Show a schema: each column, what is public about it, and where that came from."""
    from privet.schema import read_schema

    read = read_schema(file)

    def text() -> None:
        click.echo(f"Target: {read.target or 'none'}. Missing cells: {read.missing}.")
        click.echo(f"Dataset: {read.dataset or 'recognised by its content'}.")
        click.echo(f"Protects {read.unit.describe()}.\n")
        output().table(("Column", "Kind", "Public", "Origin"), [_row(column) for column in read.columns])

    output().result(_summary(read, file), text)


@schema.command()
@click.argument("data", type=FILE)
@schema_option
@shows_json
def check(data: Path, schema: Path) -> None:
    """Check that the table DATA fits its schema. Names columns, never values; spends nothing."""
    from privet import service
    from privet.errors import DataError
    from privet.schema import read_schema

    to = output()
    with to.progress("Checking") as watch:
        found = service.check_schema(data, read_schema(schema), watch=watch)

    def text() -> None:
        for column, fault in found.faults:
            click.echo(f"{column}: {fault}")
        if found.fits:
            click.echo(f"{data} fits {schema}.")
        if found.unread:
            to.note(f"Never read, because the schema does not name them: {', '.join(found.unread)}")
        if found.unconfirmed:
            to.note(f"Not confirmed yet: {', '.join(found.unconfirmed)}")

    to.result(found.to_dict(), text)
    if not found.fits:
        raise click.exceptions.Exit(DataError.exit_code)
