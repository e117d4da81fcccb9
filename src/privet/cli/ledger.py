"""``privet ledger``: budgets, and everything that was spent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import FILE, ledger_options, schema_option
from privet.cli.output import output, shows_json

if TYPE_CHECKING:
    from privet.budget import Balance

__all__ = ["ledger"]

AMOUNT = click.FLOAT


def _limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--rho", type=AMOUNT, help="The limit as zCDP, instead of epsilon.")(command)
    command = click.option("--delta", type=AMOUNT, default=0.0, show_default=True, help="The limit's delta.")(
        command
    )
    return click.option("--epsilon", type=AMOUNT, help="The limit: all that may ever be spent.")(command)


@click.group()
def ledger() -> None:
    """Budgets and what was spent: open, show, history, limit, verify, head."""


@ledger.command("open")
@click.argument("data", type=FILE)
@schema_option
@_limit_options
@click.option("--each-analyst", type=AMOUNT, metavar="EPSILON", help="What any one analyst may spend of it.")
@click.option(
    "--analyst-limit",
    "own",
    multiple=True,
    metavar="NAME=EPSILON",
    help="What this analyst may spend of it; repeat for more.",
)
@click.option(
    "--accountant",
    type=click.Choice(["auto", "basic", "zcdp", "best"]),
    default="auto",
    show_default=True,
    help="How spends add up.",
)
@ledger_options
@shows_json
def open_(
    data: Path,
    schema: Path,
    epsilon: float | None,
    delta: float,
    rho: float | None,
    each_analyst: float | None,
    own: tuple[str, ...],
    accountant: str,
    ledger: Path,
    analyst: str | None,
) -> None:
    """Give the people in the table DATA a budget. Makes the ledger file where there is none."""
    from privet import service
    from privet.errors import ParameterError
    from privet.schema import read_schema

    to = output()
    limit = service.limit_of(epsilon, delta, rho)
    analysts = {}
    for each in own:
        name, _, amount = each.rpartition("=")
        try:
            analysts[name] = service.limit_of(float(amount), delta)
        except ValueError:
            raise ParameterError("--analyst-limit is written NAME=EPSILON.", "alice=0.5") from None
    if "" in analysts:
        raise ParameterError("--analyst-limit is written NAME=EPSILON.", "alice=0.5")
    everyone = service.limit_of(each_analyst, delta) if each_analyst is not None else None
    read = read_schema(schema)
    with to.progress("Recognising the table") as watch:
        table = service.open_table(data, read, watch=watch)
        book = service.open_ledger(ledger, analyst, create=True)
        dataset = service.open_account(
            book, table, read, limit, each_analyst=everyone, analysts=analysts, accountant=accountant
        )
    [view] = service.view_accounts(book, dataset)
    to.result(
        {"ledger": str(ledger)} | view.to_dict(),
        lambda: click.echo(
            f"Opened '{dataset}' in {ledger} with a limit of {limit}, protecting {view.unit}."
        ),
    )


@ledger.command()
@click.argument("dataset", required=False)
@ledger_options
@shows_json
def show(dataset: str | None, ledger: Path, analyst: str | None) -> None:
    """Show each account: its limit, what is spent and what is left, in all and for each analyst."""
    from privet import service
    from privet.budget import rounded_down

    views = service.view_accounts(service.open_ledger(ledger, analyst), dataset)

    def left(balance: Balance) -> Any:
        return "nothing" if balance.left is None else rounded_down(balance.left)

    def text() -> None:
        rows: list[tuple[Any, ...]] = []
        for view in views:
            balance = view.balance
            rows.append(
                (
                    view.dataset,
                    "everybody",
                    balance.limit,
                    balance.spent or "nothing",
                    left(balance),
                )
            )
            rows += [
                ("", who, own.limit, own.spent or "nothing", left(own)) for who, own in view.analysts.items()
            ]
        output().table(("Dataset", "Who", "Limit", "Spent", "Left"), rows)

    output().result({"accounts": [view.to_dict() for view in views]}, text)


@ledger.command()
@click.argument("dataset", required=False)
@click.option("--guarantees", is_flag=True, help="Show the guarantee of each release, too.")
@ledger_options
@shows_json
def history(dataset: str | None, guarantees: bool, ledger: Path, analyst: str | None) -> None:
    """Show everything that was done: who, what, when, how much, in order."""
    from privet import service

    entries = service.open_ledger(ledger, analyst).history(dataset)

    def text() -> None:
        rows = [
            (
                e.number,
                e.when,
                e.who,
                e.dataset,
                e.what,
                e.amount if e.kind == "reserve" else "",
                e.state or "",
            )
            for e in entries
        ]
        output().table(("No.", "When", "Who", "Dataset", "What", "Cost", "State"), rows)
        for entry in entries if guarantees else ():
            if entry.guarantee is not None:
                click.echo(f"\nEntry {entry.number}: {entry.guarantee.get('headline', entry.guarantee)}")

    output().result({"entries": [entry.to_dict() for entry in entries]}, text)


@ledger.command()
@click.argument("dataset")
@_limit_options
@click.option("--for", "who", metavar="NAME", help="Set the limit of this analyst, not that of the dataset.")
@ledger_options
@shows_json
def limit(
    dataset: str,
    epsilon: float | None,
    delta: float,
    rho: float | None,
    who: str | None,
    ledger: Path,
    analyst: str | None,
) -> None:
    """Raise or lower a limit. A limit below what is spent already stops all further spending."""
    from privet import service

    book = service.open_ledger(ledger, analyst)
    book.set_limit(dataset, service.limit_of(epsilon, delta, rho), who)
    [view] = service.view_accounts(book, dataset)
    balance = view.analysts[who] if who else view.balance
    output().result(view.to_dict(), lambda: click.echo(f"{who or dataset}: {balance}"))


@ledger.command()
@click.option(
    "--head", "noted", metavar="HEAD", help="A head that was noted down earlier (privet ledger head)."
)
@ledger_options
@shows_json
def verify(noted: str | None, ledger: Path, analyst: str | None) -> None:
    """Check that no entry was changed, removed or put back (with --head: since it was noted down)."""
    from privet import service
    from privet.budget import Head

    book = service.open_ledger(ledger, analyst)
    book.verify(Head.parse(noted) if noted else None)
    head = book.head()

    def text() -> None:
        click.echo(f"{ledger} is intact: {head.count} entries.")
        if noted is None:
            output().note("Entries cut off at its end show only against a head noted earlier: --head HEAD")

    output().result({"intact": True, "entries": head.count, "head": str(head)}, text)


@ledger.command()
@ledger_options
@shows_json
def head(ledger: Path, analyst: str | None) -> None:
    """Print the head: note it down elsewhere, and verify against it later."""
    from privet import service

    found = service.open_ledger(ledger, analyst).head()
    output().result({"head": str(found), "entries": found.count}, lambda: click.echo(str(found)))
