"""``privet evaluate``: how good a model is, at a price that is shown first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from privet.cli.options import FILE, opened_ledger, run_options
from privet.cli.output import output, shows_json
from privet.cli.plan import account_errors, show_plan

__all__ = ["evaluate"]


@click.command()
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@click.option("--epsilon", type=click.FLOAT, help="What the scores may cost (needed unless --public).")
@click.option("--delta", type=click.FLOAT, default=0.0, show_default=True, help="The cost's delta.")
@click.option("--public", is_flag=True, help="DATA is public: exact scores, free. Never say this of private data.")
@click.option("--verify-key", type=FILE, metavar="FILE", help="Refuse a model that the owner of this public key has not signed.")
@run_options
@shows_json
def evaluate(model: Path, data: Path, epsilon: float | None, delta: float, public: bool, verify_key: Path | None, ledger: Path, no_ledger: bool, analyst: str | None, engine: str, seed: int | None, dry_run: bool, yes: bool) -> None:  # fmt: skip
    """Score a released MODEL on the table DATA, which holds the true classes.

    Scores on private data give people away like any other figure, so they are noised and paid for.
    """
    from privet import service
    from privet.model import load_model

    to = output()
    if (epsilon is None) != public:
        raise click.UsageError("Give either --epsilon (what the scores may cost) or --public.")
    loaded = load_model(model, verify_key)
    how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "public": public, "seed": seed, "engine": engine}
    with account_errors(data, None, ledger):
        book = None if public else opened_ledger(ledger, no_ledger, analyst, seed)
        if not public and (dry_run or (to.interactive and not yes)):
            with to.progress("Planning") as watch:
                plan = service.plan_evaluation(loaded, data, epsilon=epsilon or 0.0, delta=delta, ledger=book, engine=engine, watch=watch)
            if dry_run:
                to.result(plan.to_dict(), lambda: show_plan(plan))
                return
            show_plan(plan, err=True)
            to.confirm("Spend this?", yes)
        elif dry_run:
            to.result({"dry_run": True, "amount": None}, lambda: click.echo("Scores on public data cost nothing."))
            return
        with to.progress("Evaluating") as watch:
            found = service.evaluate(loaded, data, **how, ledger=book, watch=watch)
    to.result(found.to_dict(), lambda: click.echo(found.text()))
