"""``privet perturb input``: noise on every value of every record, with local differential privacy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import FILE, force, schema_option
from privet.cli.output import output, shows_json

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["perturb_input"]


@click.command("input")
@click.argument("data", type=FILE, metavar="IN")
@click.argument("out", type=FILE, metavar="OUT")
@schema_option
@click.option(
    "--epsilon", type=float, default=1.0, show_default=True, help="The local privacy loss; see --per."
)
@click.option(
    "--per",
    type=click.Choice(["record", "attribute"]),
    default="record",
    show_default=True,
    help="Whether epsilon is for a whole record, or for each of its attributes.",
)
@click.option(
    "--target/--no-target",
    default=False,
    show_default=True,
    help="Randomise the class too; else it leaves in the clear.",
)
@click.option("--statistics", is_flag=True, help="Show mean and deviation of the perturbed numbers: free.")
@click.option(
    "--public",
    is_flag=True,
    help="IN is public: show its exact statistics beside the perturbed ones. Never say this of private data.",
)
@click.option("--seed", type=int, help="Repeatable draws, for tests only: voids the guarantee.")
@force
@shows_json
def perturb_input(
    data: Path,
    out: Path,
    schema: Path,
    epsilon: float,
    per: Any,
    target: bool,
    statistics: bool,
    public: bool,
    seed: int | None,
    force: bool,
) -> None:
    """Laplace noise on numbers, randomised response for categories: every record hides by itself.

    The guarantee is local differential privacy of what a record says, for the columns that the schema names;
    a column in the clear voids it, and is named. Reads IN and writes OUT (.csv, .arff, .parquet).
    """
    from privet.perturbation.local import InputPerturbation
    from privet.service import check_place
    from privet.service.perturbations import perturb_table

    to = output()
    check_place(out, force=force)
    if seed is not None:
        to.warn("whoever knows the seed can take the noise away: there is NO privacy guarantee.")
    model = InputPerturbation(schema=schema, epsilon=epsilon, per=per, target=target, random_state=seed)
    watched = _Watched(model)
    rows = perturb_table(watched, data, out, schema)
    table = watched.compared(public) if statistics or public else []
    guarantee = model.guarantee_

    def show() -> None:
        click.echo(f"{guarantee.text()}\n\n{rows} records were written to {out}.")
        if table:
            to.table(list(table[0]), [[_shown(cell) for cell in row.values()] for row in table])

    result = {"output": str(out), "records": rows, "guarantee": guarantee.to_dict()}
    to.result(result | ({"statistics": table} if table else {}), show)


class _Watched:
    """The transformer, and the tables that went in and came out, for the statistics of both."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit_transform(self, table: pa.Table) -> pa.Table:
        self._original, self._perturbed = table, self._model.fit_transform(table)
        return self._perturbed

    def compared(self, public: bool) -> list[dict[str, Any]]:
        from privet.perturbation.local import beside, statistics
        from privet.schema import Number

        declared = self._model.schema_
        names = [name for name in self._model.mechanisms_ if isinstance(declared[name], Number)]
        return (
            beside(self._original, self._perturbed, names) if public else statistics(self._perturbed, names)
        )


def _shown(cell: Any) -> str:
    if isinstance(cell, tuple):  # before and after
        return " → ".join(_shown(part) for part in cell)
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
