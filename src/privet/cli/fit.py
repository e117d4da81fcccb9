"""``privet fit``: a private model from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from privet.cli.forms import AlgorithmGroup
from privet.cli.options import FILE, OUTPUT, force, opened_ledger, run_options, schema_option
from privet.cli.output import output, shows_json
from privet.cli.plan import account_errors, show_plan

__all__ = ["fit"]


@click.argument("data", type=FILE)
@schema_option
@click.option("-o", "--output", "place", type=OUTPUT, metavar="FILE", help="Where the model goes (- for stdout).")
@force
@click.option("--sign-key", type=FILE, metavar="FILE", help="Sign the model with this private key.")
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
    ledger: Path,
    no_ledger: bool,
    analyst: str | None,
    engine: str,
    seed: int | None,
    dry_run: bool,
    yes: bool,
) -> None:
    from privet import service
    from privet.service.runs import settled

    to = output()
    if place is None and not dry_run:
        raise click.UsageError("Name the file for the model: -o MODEL (or ask for a --dry-run).")
    declared = settled(schema)
    # A budget that is spent does not come back: everything that can fail later is tried first.
    if place is not None and not dry_run and str(place) != "-":
        service.check_place(place, force=force)
    if sign_key is not None:
        service.check_key(sign_key)
    with account_errors(data, schema, ledger):
        book = opened_ledger(ledger, no_ledger, analyst, seed)
        how: dict[str, Any] = {"ledger": book, "seed": seed, "engine": engine}
        if dry_run or (to.interactive and not yes):
            with to.progress("Planning") as watch:
                plan = service.plan_fit(algorithm, data, declared, parameters, **how, watch=watch)
            if dry_run:
                to.result(plan.to_dict(), lambda: show_plan(plan))
                return
            show_plan(plan, err=True)
            to.confirm("Spend this?", yes)
        with to.progress(f"Fitting {algorithm}") as watch:
            model = service.fit(algorithm, data, declared, parameters, **how, watch=watch)
    _deliver(model, place, sign_key, algorithm)


def _deliver(model: Any, place: Path | None, sign_key: Path | None, algorithm: str) -> None:
    import json

    from privet import service

    to = output()
    try:
        if str(place) == "-":
            import tempfile

            with tempfile.TemporaryDirectory() as folder:
                document = service.save(model, Path(folder) / "model.json", key=sign_key)
        else:
            assert place is not None
            document = service.save(model, place, key=sign_key)
    except service.Unsaved as error:
        if error.document is not None:  # the last place left
            click.echo(json.dumps(error.document))
        raise
    guarantee = model.guarantee_
    if str(place) == "-":
        click.echo(json.dumps(document, indent=1, ensure_ascii=False))
        to.note(guarantee.headline)
        return
    result = {
        "algorithm": algorithm,
        "model": str(place),
        "digest": document["digest"],
        "signed": "signature" in document,
        "guarantee": guarantee.to_dict(),
    }

    def text() -> None:
        click.echo(f"{algorithm} was fitted and written to {place}.")
        click.echo(guarantee.headline)
        to.note(f"privet model show {place}  says what that means.")

    to.result(result, text)



fit = AlgorithmGroup(
    "fit", _body, help="Learn a private model from a table: privet fit ALGORITHM DATA --schema FILE -o MODEL."
)
