"""``privet compare``: what mining a perturbed table gives beside mining the original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from privet.cli.options import FILE, report_option
from privet.cli.output import output, shows_json

__all__ = ["compare"]


@click.command()
@click.argument("original", type=FILE)
@click.argument("perturbed", type=FILE, required=False)
@click.option(
    "--schema",
    "-s",
    type=FILE,
    required=True,
    metavar="FILE",
    help="The schema of the original; it names the target.",
)
@click.option(
    "--learner", "learners", multiple=True, help="Only this learner; repeat for more.  [default: all five]"
)
@click.option("--folds", type=click.IntRange(2), default=10, show_default=True, help="How many parts.")
@click.option(
    "--records", type=click.IntRange(20), default=5000, show_default=True, help="Use a sample of so many."
)
@click.option(
    "--over-noise",
    type=click.Choice(["geometric", "additive"]),
    help="Instead of PERTURBED: this method at each of --levels, mined and attacked.",
)
@click.option(
    "--levels", default="0.01,0.05,0.1,0.2,0.4", show_default=True, help="Noise levels, in half ranges."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Which sample and folds.")
@report_option("Write an HTML page with the plot.")
@shows_json
def compare(
    original: Path,
    perturbed: Path | None,
    schema: Path,
    learners: tuple[str, ...],
    folds: int,
    records: int,
    over_noise: str | None,
    levels: str,
    seed: int,
    place: Path | None,
) -> None:
    """Train five learners on ORIGINAL and on PERTURBED, with WEKA's measures. For the data's owner.

    With --over-noise, utility and attack resistance over the noise level, in one plot.
    """
    from privet.evaluation.comparison import LEARNERS
    from privet.evaluation.comparison import compare as compared
    from privet.schema import read_schema
    from privet.service.perturbations import read_table

    to = output()
    if (perturbed is None) == (over_noise is None):
        raise click.UsageError("Name the PERTURBED table, or a method with --over-noise.")
    declared = read_schema(schema)
    table = read_table(original, declared)
    found: Any
    if over_noise is not None:
        found = _over_noise(table, declared, over_noise, levels, learners, records, seed)
    else:
        assert perturbed is not None
        with to.progress("Comparing", unit="runs") as progress:
            found = compared(
                table, read_table(perturbed, None), declared, learners=learners or LEARNERS, folds=folds,
                records=records, seed=seed, progress=progress,
            )  # fmt: skip
    if place is not None:
        _page(found).write(place)
        to.note(f"The page was written to {place}.")
    to.result(found.to_dict(), lambda: click.echo(found.text()))


def _over_noise(
    table: Any, schema: Any, method: str, levels: str, learners: tuple[str, ...], records: int, seed: int
) -> Any:
    from privet.service.trade_off import trade_off

    try:
        numbers = [float(level) for level in levels.split(",")]
    except ValueError:
        raise click.UsageError("--levels are numbers with commas between them.") from None
    with output().progress("Perturbing, mining, attacking", unit="levels") as progress:
        return trade_off(
            table, schema, numbers, method=method, learner=learners[0] if learners else "logistic regression",
            records=records, seed=seed, progress=progress,
        )  # fmt: skip


def _page(found: Any) -> Any:
    if hasattr(found, "page"):
        return found.page()
    from privet.report import Page

    page = Page("Utility and resistance", "Over the noise level")
    section = page.section("Trade-off")
    section.figure(found.figure(), alt=found.text(), caption="More noise: less accuracy, more resistance.")
    section.code(found.text())
    return page
