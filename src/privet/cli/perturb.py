"""``privet perturb`` hides the values of a table; ``privet audit perturbation`` attacks it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from privet.cli.forms import option_for
from privet.cli.options import FILE, OUTPUT, force, report_option
from privet.cli.output import output, shows_json
from privet.cli.perturb_input import perturb_input

__all__ = ["attack_report", "perturb"]

# Written out so that `privet --help` need not import what they need.
METHODS = {
    "additive": "Add noise to each value; its distribution can be reconstructed.",
    "condensation": "Replace records by ones drawn from groups of k, keeping the covariance.",
    "geometric": "Turn, move and blur the columns together.",
    "projection": "Mix the columns into fewer ones.",
    "rotation": "Turn the columns together; all distances stay.",
}


class PerturbationGroup(click.Group):
    """One subcommand a method, with options from the parameters that it declares."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*METHODS, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in METHODS:
            return super().get_command(ctx, cmd_name)
        from privet.parameters import parameters_of
        from privet.perturbation import METHODS as CLASSES

        options = {p.name: o for p in parameters_of(CLASSES[cmd_name]) if (o := option_for(p))}

        def run(**values: Any) -> None:
            _run(cmd_name, {name: values.pop(name) for name in options}, **values)

        common = list(reversed(getattr(_run, "__click_params__", [])))
        about = (
            f"{METHODS[cmd_name]} Guarantee: none.\n\nReads IN and writes OUT (.csv, .arff, .parquet); "
            "without them, or with -, it filters CSV from stdin to stdout and can run without end."
        )
        return click.Command(cmd_name, callback=run, params=[*common, *options.values()], help=about)


def in_and_out(command: Any) -> Any:
    """The two files; without them the command is a filter."""
    for name in ("out", "data"):  # the last one comes first on the command line
        metavar = "[IN]" if name == "data" else "[OUT]"
        command = click.argument(name, metavar=metavar, type=OUTPUT, default="-", required=False)(command)
    return command


row_by_row = click.option(
    "--row-by-row", is_flag=True, help="In a pipe: write each row before the next one is read."
)


@in_and_out
@click.option("--schema", "-s", type=FILE, metavar="FILE", help="The public bounds (not needed with a key).")
@click.option(
    "--column",
    "-c",
    "columns",
    multiple=True,
    help="Perturb this column; repeat for more.  [default: all numbers]",
)
@click.option(
    "--key",
    type=FILE,
    metavar="FILE",
    help="Use this key; where there is none yet, draw it and keep it there.",
)
@row_by_row
@click.option(
    "--rekey-every", type=click.IntRange(1), metavar="ROWS", help="In a pipe: a new key after so many rows."
)
@click.option(
    "--delimiter",
    metavar="CHARACTER",
    help="In a pipe: what is between cells.  [default: found in the header]",
)
@click.option("--seed", type=int, help="Repeatable draws, for tests only: whoever knows it has the key.")
@force
@shows_json
def _run(
    method: str,
    parameters: dict[str, Any],
    *,
    data: Path,
    out: Path,
    schema: Path | None,
    columns: tuple[str, ...],
    key: Path | None,
    row_by_row: bool,
    rekey_every: int | None,
    delimiter: str | None,
    seed: int | None,
    force: bool,
) -> None:
    from privet.service import check_place
    from privet.service.perturbations import build_perturbation, perturb_file, perturb_pipe

    to = output()
    piped = str(data) == "-" and str(out) == "-"
    if not piped and "-" in (str(data), str(out)):
        raise click.UsageError("Name both IN and OUT, or neither to filter stdin to stdout.")
    if not piped and (row_by_row or rekey_every or delimiter):
        raise click.UsageError("--row-by-row, --rekey-every and --delimiter are for pipes.")
    if piped and to.json:
        raise click.UsageError("In a pipe stdout is for the rows: leave --json out.")
    model = build_perturbation(
        method, schema=schema, columns=columns or None, key=key, seed=seed, parameters=parameters
    )
    keeper = _Keeper(key, fresh=model.key is None, continued=rekey_every is not None)
    if seed is not None:
        to.warn("whoever knows the seed can draw the same key.")
    if piped:
        keeper.announce(model)
        try:
            perturb_pipe(
                model, sys.stdin.fileno(), sys.stdout.fileno(), row_by_row=row_by_row,
                rekey_every=rekey_every, delimiter=delimiter, keep=keeper.keep,
            )  # fmt: skip
        finally:  # also where the stream was interrupted, or broke off at a bad row
            keeper.settle(model)
        return
    check_place(out, force=force)
    with to.progress(f"Perturbing ({method})") as watch:
        rows = perturb_file(model, data, out, watch=watch)
    keeper.keep(0, model.key_)
    guarantee = model.guarantee_
    result = {
        "output": str(out),
        "records": rows,
        "columns": list(model.columns_),
        "key": str(key) if key is not None else None,
        "guarantee": guarantee.to_dict(),
    }
    to.result(result, lambda: click.echo(f"{guarantee.text()}\n\n{rows} records were written to {out}."))


class _Keeper:
    """Keeps keys where the owner wants them: nowhere, in a file, or in one file a window."""

    def __init__(self, path: Path | None, *, fresh: bool, continued: bool) -> None:
        from privet.service.perturbations import key_path

        self._path, self._fresh, self._first = path, fresh, 0
        self._window: int | None = None
        if path is not None and continued and not fresh:
            # A stream that is taken up again goes on with the next number, and never uses an old window's
            # key.
            while key_path(path, self._first + 1).exists():
                self._first += 1

    def announce(self, model: Any) -> None:
        from privet.perturbation.promise import MEASURED

        output().note(f"Guarantee: NONE. {model.title} is not differential privacy. {MEASURED}")
        if self._path is None:
            output().note("The key is thrown away at the end.")

    def keep(self, window: int, key: Any) -> None:
        from privet.service.perturbations import key_path

        self._window = window
        if self._path is not None and (self._fresh or window > 0):
            key.save(key_path(self._path, self._first + window))

    def settle(self, model: Any) -> None:
        """Keep what a stream has taught the method, so that it can be taken up again."""
        from privet.service.perturbations import key_path

        if self._path is None or self._window is None or not hasattr(model, "key_"):
            return
        now = model.current_key()
        if now is not model.key_:
            now.save(key_path(self._path, self._first + self._window), replace=True)


perturb = PerturbationGroup(
    "perturb",
    help="Hide the values of a table or a stream. The guarantee is none: resistance is measured.",
)


@click.command("perturbation")
@click.argument("original", type=FILE)
@click.argument("perturbed", type=FILE)
@click.option("--schema", "-s", type=FILE, required=True, metavar="FILE", help="The schema of the original.")
@click.option(
    "--column",
    "-c",
    "columns",
    multiple=True,
    help="Attack this column; repeat for more.  [default: those that differ]",
)
@click.option(
    "--released", multiple=True, help="A column that they became; repeat for more.  [default: found by name]"
)
@click.option(
    "--known",
    type=click.IntRange(2),
    help="How many records the attacker knows.  [default: 2 a column, at least 20]",
)
@click.option("--noise", type=float, help="Standard deviation of published additive noise, in half ranges.")
@click.option(
    "--records", type=click.IntRange(50), default=2000, show_default=True, help="Attack a sample of so many."
)
@click.option(
    "--sensitive", help="For categories: what an attacker would like to know.  [default: the target]"
)
@click.option("--seed", type=int, help="The same sample and attacks again.")
@report_option("Write an HTML report.")
@shows_json
def attack_report(
    original: Path,
    perturbed: Path,
    schema: Path,
    columns: tuple[str, ...],
    released: tuple[str, ...],
    known: int | None,
    noise: float | None,
    records: int,
    sensitive: str | None,
    seed: int | None,
    place: Path | None,
) -> None:
    """Attack PERTURBED with ORIGINAL at hand, and say which column is weakest. For the owner.

    Columns that are numbers in PERTURBED are attacked as numbers; those that are texts there (generalised,
    or randomised categories) as categories.
    """
    from privet.audit.perturbation.attack import audit_perturbation
    from privet.audit.perturbation.categories import audit_categories, changed_columns
    from privet.schema import Number, read_schema
    from privet.service.perturbations import read_table

    to = output()
    declared, before, after = read_schema(schema), read_table(original, None), read_table(perturbed, None)
    numbers, texts = (
        [name for name in side if not columns or name in columns] for side in changed_columns(before, after)
    )
    reports: list[Any] = []
    with to.progress("Attacking", unit="attacks") as progress:
        if [name for name in numbers if isinstance(declared[name], Number)] or not texts:
            reports.append(audit_perturbation(
                original, perturbed, schema=declared, columns=_attacked(columns, texts, numbers, declared),
                released=released or None, known=known, noise=noise, records=records, random_state=seed,
                progress=progress,
            ))  # fmt: skip
        if texts:
            hidden = sensitive or (declared.target if declared.target not in texts else None)
            reports.append(audit_categories(
                before, after, texts, sensitive=hidden, records=records, random_state=seed
            ))  # fmt: skip
    if place is not None:
        for report, there in zip(reports, (place, place.with_stem(f"{place.stem}-categories")), strict=False):
            report.page().write(there)
            to.note(f"The report was written to {there}.")
    found = reports[0].to_dict() | ({"categories": reports[1].to_dict()} if len(reports) > 1 else {})
    to.result(found, lambda: click.echo("\n\n".join(report.text() for report in reports)))


def _attacked(columns: tuple[str, ...], texts: list[str], numbers: list[str], schema: Any) -> Any:
    """The columns to attack as numbers: those named, or, beside texts, the other numbers that changed."""
    from privet.schema import Number

    if not texts:
        return columns or None
    return [name for name in numbers if isinstance(schema[name], Number)]


@click.command("k-anonymity")
@in_and_out
@click.option(
    "--hierarchies",
    type=FILE,
    required=True,
    metavar="FILE",
    help="TOML: for each column, widths or ancestors of values.",
)
@click.option(
    "--k",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="The least number of records that look the same.",
)
@click.option(
    "--suppression",
    type=click.FloatRange(0, 1),
    default=0.02,
    show_default=True,
    help="The largest share of records that may be hidden.",
)
@click.option("--sensitive", help="The column that --diversity and --closeness are about.")
@click.option(
    "--diversity",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Different sensitive values in each group (l).",
)
@click.option(
    "--closeness",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="How far a group's shares may be from all (t).",
)
@click.option(
    "--recoding",
    type=FILE,
    metavar="FILE",
    help="Keep the levels and groups there; a pipe takes them from there.",
)
@row_by_row
@force
@shows_json
def k_anonymity(
    data: Path, out: Path, hierarchies: Path, recoding: Path | None, row_by_row: bool, force: bool, **how: Any
) -> None:
    """Generalise columns until every record looks like k − 1 others. Guarantee: none.

    Without IN and OUT it filters CSV from stdin to stdout, by the --recoding of a table that was
    generalised before; records that fall into none of its groups are suppressed.
    """
    from privet.perturbation.nominal import KAnonymity, Recoding, read_hierarchies

    model = KAnonymity(hierarchies=read_hierarchies(hierarchies), **how)
    if _is_pipe(data, out, row_by_row):
        if recoding is None:
            raise click.UsageError("In a pipe, --recoding names the levels and groups of a table.")
        model.take_up(Recoding.load(recoding))
        output().note("Guarantee: NONE. k-anonymity is not differential privacy.")
        _filtered(model, row_by_row)
        return
    _whole_table(
        model, data, out, None, force, lambda: {"levels": model.levels_, "suppressed": model.suppressed_}
    )
    if recoding is not None:
        model.recoding_.save(recoding)


@click.command("randomised-response")
@in_and_out
@click.option("--schema", "-s", type=FILE, required=True, metavar="FILE", help="The public domains.")
@click.option(
    "--column",
    "-c",
    "columns",
    multiple=True,
    help="Randomise this category; repeat for more.  [default: all]",
)
@click.option(
    "--epsilon",
    type=float,
    default=1.0,
    show_default=True,
    help="Local privacy loss of a record's chosen categories together.",
)
@click.option("--seed", type=int, help="Repeatable draws, for tests only: voids the guarantee.")
@row_by_row
@force
@shows_json
def randomised_response(
    data: Path,
    out: Path,
    schema: Path,
    columns: tuple[str, ...],
    epsilon: float,
    seed: int | None,
    row_by_row: bool,
    force: bool,
) -> None:
    """Randomise categories, record by record: local differential privacy for the chosen columns.

    Without IN and OUT it filters CSV from stdin to stdout, and can run without end.
    """
    from privet.perturbation.nominal import RandomisedColumns

    model = RandomisedColumns(schema=schema, columns=columns or None, epsilon=epsilon, random_state=seed)
    if _is_pipe(data, out, row_by_row):
        output().note(f"Local ε = {epsilon:g} for what one record says in the chosen columns, and no others.")
        if seed is not None:
            output().warn("whoever knows the seed can take the randomness away: the guarantee is NONE.")
        _filtered(model, row_by_row)
        return
    _whole_table(model, data, out, schema, force, dict)


def _is_pipe(data: Path, out: Path, row_by_row: bool) -> bool:
    piped = str(data) == "-" and str(out) == "-"
    if not piped and "-" in (str(data), str(out)):
        raise click.UsageError("Name both IN and OUT, or neither to filter stdin to stdout.")
    if not piped and row_by_row:
        raise click.UsageError("--row-by-row is for pipes.")
    if piped and output().json:
        raise click.UsageError("In a pipe stdout is for the rows: leave --json out.")
    return piped


def _filtered(model: Any, row_by_row: bool) -> None:
    from privet.service.perturbations import perturb_pipe

    perturb_pipe(model, sys.stdin.fileno(), sys.stdout.fileno(), row_by_row=row_by_row)


def _whole_table(model: Any, data: Path, out: Path, schema: Path | None, force: bool, more: Any) -> None:
    from privet.service import check_place
    from privet.service.perturbations import perturb_table

    check_place(out, force=force)
    rows = perturb_table(model, data, out, schema)
    guarantee = model.guarantee_
    output().result(
        {"output": str(out), "records": rows, "guarantee": guarantee.to_dict(), **more()},
        lambda: click.echo(f"{guarantee.text()}\n\n{rows} records were written to {out}."),
    )


perturb.add_command(k_anonymity)
perturb.add_command(randomised_response)
perturb.add_command(perturb_input)
