"""``privet evaluate``: how good a model is, at a price that is shown first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from privet.cli.options import FILE, Run, public_option, run_options, verify_key
from privet.cli.output import output, shows_json
from privet.cli.plan import account_errors, go_ahead

__all__ = ["evaluate"]


@click.command()
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@click.option("--epsilon", type=click.FLOAT, help="What the scores may cost (needed unless --public).")
@click.option("--delta", type=click.FLOAT, default=0.0, show_default=True, help="The cost's delta.")
@public_option
@verify_key
@run_options
@shows_json
def evaluate(
    model: Path,
    data: Path,
    epsilon: float | None,
    delta: float,
    public: bool,
    verify_key: Path | None,
    **options: Any,
) -> None:
    """Score a released MODEL on the table DATA, which holds the true classes (or numbers).

    Scores on private data give people away like any other figure, so they are noised and paid for.
    """
    from privet import service
    from privet.model import load_model

    to, run = output(), Run(**options)
    if (epsilon is None) != public:
        raise click.UsageError("Give either --epsilon (what the scores may cost) or --public.")
    loaded = load_model(model, verify_key)
    with account_errors(data, None, run.ledger):
        book = None if public else run.opened_ledger()
        how: dict[str, Any] = {"delta": delta, "ledger": book, "engine": run.engine}

        def plan(watch: service.Watch | None) -> service.Plan:
            assert epsilon is not None
            return service.plan_evaluation(loaded, data, epsilon=epsilon, **how, watch=watch)

        if not go_ahead(None if public else plan, run):
            return
        with to.progress("Evaluating") as watch:
            found = service.evaluate(
                loaded, data, epsilon=epsilon, public=public, seed=run.seed, **how, watch=watch
            )
    to.result(found.to_dict(), lambda: click.echo(found.text()))
