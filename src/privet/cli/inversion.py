"""``privet audit inversion``: what a fitted model gives away about a sensitive attribute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from privet.cli.options import FILE, report_option, verify_key
from privet.cli.output import output, shows_json

__all__ = ["inversion"]


@click.command("inversion")
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@click.option(
    "--attribute",
    "-a",
    required=True,
    metavar="NAME",
    help="The sensitive attribute that the attacker infers.",
)
@click.option(
    "--others", type=FILE, metavar="FILE", help="Records that the model did not learn from, to compare with."
)
@click.option(
    "--beside",
    type=click.Choice(["logistic", "linear", "tree", "none"]),
    help="A model without privacy, fitted on DATA here, to show side by side: linear or tree for a number as "
    "the target, else logistic or tree.  [default: logistic or linear]",
)
@click.option(
    "--records", type=click.IntRange(30), default=5000, show_default=True, help="Attack a sample of so many."
)
@click.option(
    "--bins",
    type=click.IntRange(2, 50),
    default=5,
    show_default=True,
    help="Into how many parts a number is cut.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
@click.option("--seed", type=click.IntRange(0), help="The same sample again.")
@report_option("Write an HTML report, and a JSON file beside it.")
@verify_key
@shows_json
def inversion(
    model: Path,
    data: Path,
    attribute: str,
    others: Path | None,
    beside: str | None,
    records: int,
    bins: int,
    confidence: float,
    seed: int | None,
    place: Path | None,
    verify_key: Path | None,
) -> None:
    """Infer a sensitive attribute of known people from a released MODEL and the rest of their records.

    DATA is the table that the model learned from; --others are records put aside before. The result is
    computed from these records and is NOT private: it is for the owner of the data. Nothing is spent.
    """
    from privet.audit.inversion.attack import audit_inversion, non_private_model
    from privet.audit.inversion.target import target_of
    from privet.model import load_model

    to = output()
    loaded = load_model(model, verify_key)
    name = type(loaded).__name__
    target_of(loaded.schema_).require(name, loaded)
    words = f"{name}, {loaded.guarantee_.amount}" if loaded.guarantee_.holds else f"{name}, no guarantee"
    models = {words: loaded}
    if beside != "none":
        kind: Any = beside
        plain = non_private_model(data, loaded.schema_, kind, seed)
        models[f"{_words(plain)} without privacy"] = plain
    with to.progress("Attacking", unit="attacks") as progress:
        found = audit_inversion(
            models, data, attribute=attribute, others=others, schema=loaded.schema_, records=records,
            bins=bins, confidence=confidence, random_state=seed, progress=progress,
        )  # fmt: skip
    if place is not None:
        found.page().write(place)
        beside_it = place.with_suffix(".json")
        beside_it.write_text(
            json.dumps(found.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        to.note(f"The report was written to {place}, and its figures to {beside_it}.")
    to.result(found.to_dict(), lambda: click.echo(found.text()))


def _words(pipeline: Any) -> str:
    """``LinearRegression`` at the end of a pipeline is a linear regression."""
    name = type(pipeline[-1]).__name__
    return "decision tree" if name.startswith("DecisionTree") else name.replace("Reg", " reg").lower()
