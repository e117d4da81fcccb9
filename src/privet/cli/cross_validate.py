"""``privet cross-validate``: how good an algorithm is on a table, before a model is released."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from privet.cli.forms import AlgorithmGroup
from privet.cli.options import FILE, Run, public_option, run_options, schema_option
from privet.cli.output import output, shows_json
from privet.cli.plan import account_errors, go_ahead

__all__ = ["cross_validate"]


@click.argument("data", type=FILE)
@schema_option
@click.option("--folds", type=click.IntRange(2), default=10, show_default=True, help="How many parts.")
@click.option(
    "--repeats", type=click.IntRange(1), default=1, show_default=True, help="How often, with new folds."
)
@click.option("--score-epsilon", type=click.FLOAT, help="What the scores may cost (needed unless --public).")
@click.option("--score-delta", type=click.FLOAT, default=0.0, show_default=True, help="Their delta.")
@public_option
@run_options
@shows_json
def _body(
    algorithm: str,
    parameters: dict[str, Any],
    *,
    data: Path,
    schema: Path,
    folds: int,
    repeats: int,
    score_epsilon: float | None,
    score_delta: float,
    public: bool,
    **options: Any,
) -> None:
    from privet import service

    to, run = output(), Run(**options)
    if (score_epsilon is None) != public:
        raise click.UsageError("Give either --score-epsilon (what the scores may cost) or --public.")
    with account_errors(data, schema, run.ledger):
        how: dict[str, Any] = {
            "folds": folds,
            "repeats": repeats,
            "epsilon": score_epsilon,
            "delta": score_delta,
            "ledger": None if public else run.opened_ledger(),
            "engine": run.engine,
        }

        def plan(watch: service.Watch | None) -> service.Plan:
            return service.plan_cross_validation(algorithm, data, schema, parameters, **how, watch=watch)

        if not go_ahead(None if public else plan, run):
            return
        with to.progress(f"Cross-validating {algorithm}", unit="fits") as progress:
            found = service.cross_validate(
                algorithm, data, schema, parameters, **how, public=public, seed=run.seed, progress=progress
            )
    to.result(found.to_dict(), lambda: click.echo(found.text()))


cross_validate = AlgorithmGroup(
    "cross-validate",
    _body,
    help="Learn from all parts of a table but one and score on that one, in turn. Each model is paid for.",
    families=("classify", "regress"),
)
