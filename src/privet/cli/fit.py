"""``privet fit``: a private model from a table."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import click

from privet.cli.forms import AlgorithmGroup
from privet.cli.options import FILE, OUTPUT, Run, force, run_options, schema_option
from privet.cli.output import output, shows_json
from privet.cli.plan import account_errors, go_ahead

__all__ = ["fit"]


@click.argument("data", type=FILE)
@schema_option
@click.option(
    "-o", "--output", "place", type=OUTPUT, metavar="FILE", help="Where the model goes (- for stdout)."
)
@force
@click.option("--sign-key", type=FILE, metavar="FILE", help="Sign the model with this private key.")
@click.option(
    "--tune", is_flag=True, help="Try several settings, keep the best; epsilon and delta pay for all of it."
)
@click.option(
    "--try",
    "tried",
    multiple=True,
    metavar="NAME=VALUE,…",
    help="With --tune: values to try. Repeatable; without it, the algorithm's own.",
)
@click.option("--trials", type=click.FloatRange(1, 5000), help="With --tune: how many trials on average.")
@run_options
@shows_json
def _body(
    algorithm: str,
    parameters: dict[str, Any],
    *,
    data: Path,
    schema: Path,
    place: Path | None,
    force: bool,
    sign_key: Path | None,
    tune: bool,
    tried: tuple[str, ...],
    trials: float | None,
    **options: Any,
) -> None:
    from privet import service

    to, run = output(), Run(**options)
    if (tried or trials is not None) and not tune:
        raise click.UsageError("--try and --trials say how to tune: add --tune.")
    if place is None and not run.dry_run:
        raise click.UsageError("Name the file for the model: -o MODEL (or ask for a --dry-run).")
    declared = service.settled(schema)
    # A budget that is spent does not come back: everything that can fail later is tried first.
    if place is not None and not run.dry_run and str(place) != "-":
        service.check_place(place, force=force)
    if sign_key is not None:
        service.check_key(sign_key)
    with account_errors(data, schema, run.ledger):
        how: dict[str, Any] = {"ledger": run.opened_ledger(), "seed": run.seed, "engine": run.engine}
        planner = service.plan_fit
        if tune:
            planner = service.plan_tuning
            how |= {"grid": service.read_grid(algorithm, tried), "trials": trials}

        def plan(watch: service.Watch | None) -> service.Plan:
            return planner(algorithm, data, declared, parameters, **how, watch=watch)

        if not go_ahead(plan, run, always=tune):
            return
        tuned = None
        if tune:  # without a progress bar: how many trials there are must stay secret
            found = service.tune(algorithm, data, declared, parameters, **how)
            model, (name_of_figure, figure) = found.best_estimator_, found.best_figure
            tuned = {"chosen": found.best_parameters_, name_of_figure: figure.to_dict()}
            chosen = ", ".join(f"{name} = {value}" for name, value in found.best_parameters_.items())
            to.note(f"Chosen: {chosen}. On the records kept apart, {name_of_figure} = {figure}.")
        else:
            with to.progress(f"Fitting {algorithm}") as watch:
                model = service.fit(algorithm, data, declared, parameters, **how, watch=watch)
    assert place is not None
    _deliver(model, place, sign_key, algorithm, tuned)


def _deliver(
    model: Any, place: Path, sign_key: Path | None, algorithm: str, tuned: dict[str, Any] | None
) -> None:
    """Write the model, which is paid for now; whatever happens, it is not lost."""
    from privet import service

    to, guarantee = output(), model.guarantee_
    try:
        if str(place) == "-":
            with tempfile.TemporaryDirectory() as folder:
                document = service.save(model, Path(folder) / "model.json", key=sign_key)
            click.echo(json.dumps(document, indent=1, ensure_ascii=False))
            to.note(guarantee.headline)
            return
        document = service.save(model, place, key=sign_key)
    except service.Unsaved as error:
        if error.document is not None:  # no disk takes it: stdout is the last place left
            click.echo(json.dumps(error.document))
        raise
    result = {
        "algorithm": algorithm,
        "model": str(place),
        "digest": document["digest"],
        "signed": "signature" in document,
        "guarantee": guarantee.to_dict(),
    } | ({"tuned": tuned} if tuned else {})

    def text() -> None:
        click.echo(f"{algorithm} was fitted and written to {place}.")
        if explanation := getattr(model, "explanation_", ""):
            click.echo(f"How: {explanation}")
        click.echo(guarantee.headline)
        to.note(f"privet model show {place}  says what that means.")

    to.result(result, text)


fit = AlgorithmGroup(
    "fit",
    _body,
    help="Learn a private model from a table: privet fit ALGORITHM DATA --schema FILE -o MODEL.",
    families=("classify", "regress"),
)
