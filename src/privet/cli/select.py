"""``privet select``: the attributes of a table that tell most about its target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from privet.cli.options import FILE, Run, run_options, schema_option
from privet.cli.output import output, shows_json
from privet.cli.plan import account_errors, go_ahead

__all__ = ["select"]

ALGORITHM = "select-k-best"
# Written out, because importing the selector to read its parameters takes longer than `privet --help` may.
CRITERIA = ("majority", "mutual_information", "chi2", "p_value", "distance", "odds_ratio", "allelic", "trend")
MECHANISMS = ("permute_and_flip", "exponential", "laplace", "gaussian")


@click.command()
@click.argument("data", type=FILE)
@schema_option
@click.option("--k", "-k", type=int, default=1, show_default=True, help="How many; 0: as many as pass tau.")
@click.option("--epsilon", type=float, required=True, help="Privacy loss of the whole run.")
@click.option("--delta", type=float, default=0.0, show_default=True, help="0 gives pure privacy.")
@click.option(
    "--criterion",
    type=click.Choice(CRITERIA),
    default=CRITERIA[0],
    show_default=True,
    help="What makes one good.",
)
@click.option(
    "--mechanism",
    type=click.Choice(MECHANISMS),
    default=MECHANISMS[0],
    show_default=True,
    help="How to choose.",
)
@click.option("--tau", type=float, default=0.05, show_default=True, help="The p-value of significance.")
@click.option(
    "--bins", type=int, default=8, show_default=True, help="Equal bins of a number without declared cuts."
)
@click.option("--public-class", is_flag=True, help="Who is in which class is public.")
@click.option("--no-values", is_flag=True, help="Choose only: the whole budget is for the choice.")
@run_options
@shows_json
def select(
    data: Path,
    schema: Path,
    k: int,
    epsilon: float,
    delta: float,
    criterion: Any,
    mechanism: Any,
    tau: float,
    bins: int,
    public_class: bool,
    no_values: bool,
    **options: Any,
) -> None:
    """Choose the attributes of DATA that tell most about its target, with noisy values."""
    from privet import service

    to, run = output(), Run(**options)
    declared = service.settled(schema)
    parameters = {
        "k": k,
        "criterion": criterion,
        "mechanism": mechanism,
        "epsilon": epsilon,
        "delta": delta,
        "tau": tau,
        "bins": bins,
        "public_class": public_class,
        "values": not no_values,
    }
    with account_errors(data, schema, run.ledger):
        how: dict[str, Any] = {"ledger": run.opened_ledger(), "seed": run.seed, "engine": run.engine}

        def plan(watch: service.Watch | None) -> service.Plan:
            return service.plan_fit(ALGORITHM, data, declared, parameters, **how, watch=watch)

        if not go_ahead(plan, run):
            return
        with to.progress("Selecting") as watch:
            selector = service.fit(ALGORITHM, data, declared, parameters, **how, watch=watch)
    values = [None] * len(selector.chosen_) if no_values else selector.values_.tolist()
    result = {
        "chosen": selector.chosen_,
        "values": values,
        "error": None if no_values else selector.values_error_,
        "guarantee": selector.guarantee_.to_dict(),
    }

    def text() -> None:
        shown = ["" if v is None else ", ".join(f"{each:.4g}" for each in v) for v in values]
        if criterion == "odds_ratio" and not no_values:
            shown = [str(ratio) for ratio in selector.odds_ratios_]
        if selector.chosen_:
            to.table(["attribute", criterion], list(zip(selector.chosen_, shown, strict=True)))
        else:  # k = 0, and none was counted
            click.echo(f"No attribute has p < {tau:g}.")
        if selector.chosen_ and not no_values:
            click.echo(f"Values are off by at most {selector.values_error_:.3g} in 95 % of cases.")
        click.echo(selector.guarantee_.headline)

    to.result(result, text)
