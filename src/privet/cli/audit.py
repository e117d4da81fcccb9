"""``privet audit``: put an algorithm's claim of privacy to the test."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import FILE, report_option
from privet.cli.output import output, shows_json

if TYPE_CHECKING:
    from privet.audit import Audit
    from privet.schema import Schema

__all__ = ["audit"]

VIOLATED = 1
QUICK, DEEP = 4_000, 40_000


@click.command()
@click.argument("name", required=False)
@click.option("--all", "every", is_flag=True, help="Audit every registered algorithm.")
@click.option(
    "--deep", is_flag=True, help="Several schemas for each algorithm, (ε, δ) too, and ten times the runs."
)
@click.option("--epsilon", type=float, default=1.0, show_default=True, help="The claim to test.")
@click.option("--delta", type=float, default=0.0, show_default=True, help="The claim to test.")
@click.option(
    "--runs", type=click.IntRange(40), help=f"Runs on the final pair.  [default: {QUICK}; --deep: {DEEP}]"
)
@click.option(
    "--search-runs",
    type=click.IntRange(8),
    default=100,
    show_default=True,
    help="Runs on each table of every candidate pair, before that.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.999,
    show_default=True,
    help="Probability that no false alarm is raised, over all audits together.",
)
@click.option(
    "--schema", "-s", type=FILE, metavar="FILE", help="Audit on tables of this schema; none is read."
)
@click.option(
    "--jobs", type=click.IntRange(1), default=2, show_default=True, help="Processes that work at once."
)
@click.option(
    "--folder", type=FILE, metavar="FOLDER", help="Keep the runs there: an audit that was stopped goes on."
)
@report_option("Write an HTML report (or into a FOLDER/).")
@shows_json
def audit(name: str | None, every: bool, deep: bool, place: Path | None, **how: Any) -> None:
    """Search for a violation of the privacy that the algorithm NAME claims.

    Neighbouring tables are made from the schema, the algorithm is run on both many times, and the event that
    tells them apart best gives a lower bound on the true ε. No private data is read, nothing is spent. Ends
    with exit code 1 if a claim was refuted.
    """
    from privet.audit.page import write_report
    from privet.registry import ALGORITHMS, algorithm

    if every == (name is not None):
        raise click.UsageError("Name one algorithm, or say --all.")
    if name is not None:
        _refuse_file(name, [entry.name for entry in ALGORITHMS])
    names = [entry.name for entry in ALGORITHMS] if every else [algorithm(str(name)).name]
    found = _audited(names, deep, **how)
    to = output()
    if place is not None:
        page = place / "audit.html" if not place.suffix else place
        write_report(found, page)
        to.note(f"The report was written to {page}, and all that repeats it to {page.with_suffix('.json')}.")

    def text() -> None:
        for key, each in found.items():
            click.echo(f"{key}\n{each.text()}\n")

    to.result({key: each.to_dict() for key, each in found.items()}, text)
    if any(each.violated for each in found.values()):
        raise click.exceptions.Exit(VIOLATED)


def _refuse_file(name: str, known: list[str]) -> None:
    """Where somebody names a file instead of an algorithm, say what can be done with it."""
    from privet.errors import ParameterError

    if name not in known and (Path(name).suffix == ".json" or Path(name).is_file()):
        file = shlex.quote(name)
        model = (
            "With a model's file:\n"
            f"      privet audit inversion {file} DATA --attribute NAME   shows what it gives away;\n"
            f"      privet model show {file}   names its algorithm, which  privet audit ALGORITHM  tests."
        )
        table = f"For a perturbed table:  privet audit perturbation ORIGINAL {file} --schema FILE"
        raise ParameterError(
            f"'{name}' is a file, and what is audited here is an algorithm, by its name.",
            model if Path(name).suffix == ".json" else table,
        )


def _audited(
    names: list[str],
    deep: bool,
    *,
    epsilon: float,
    delta: float,
    runs: int | None,
    search_runs: int,
    confidence: float,
    schema: Path | None,
    jobs: int,
    folder: Path | None,
) -> dict[str, Audit]:
    from privet.audit import audit
    from privet.registry import algorithm
    from privet.schema import read_schema

    declared = None if schema is None else read_schema(schema)
    plans = [
        (f"{name}, {words}" if words else name, algorithm(name).load(), claim, public)
        for name in names
        for words, claim, public in _plans(algorithm(name).load(), deep, declared, (epsilon, delta))
    ]
    found = {}
    for key, kind, (claimed, slack), public in plans:
        estimator = kind(epsilon=claimed, delta=slack, schema=public)
        with output().progress(f"Auditing {key}", "runs") as watch:
            found[key] = audit(
                estimator,
                runs=runs or (DEEP if deep else QUICK),
                search_runs=search_runs,
                # Each audit gets its share of the probability of a false alarm (Bonferroni).
                confidence=1 - (1 - confidence) / len(plans),
                jobs=jobs,
                folder=folder,
                progress=watch,
            )
    return found


def _plans(
    kind: type[Any], deep: bool, declared: Schema | None, claim: tuple[float, float]
) -> list[tuple[str, tuple[float, float], Schema]]:
    """What to audit of one algorithm: words for it, the claim, the schema."""
    from privet.audit.examples import deep_schemas, quick_schema

    if declared is not None:
        return [("", claim, declared)]
    quick = quick_schema(kind())
    if not deep:
        return [("", claim, quick)]
    epsilon, delta = claim
    plans = [(words, claim, schema) for words, schema in deep_schemas(kind()).items()]
    return [
        *plans,
        ("(ε, δ)", (epsilon, delta or 1e-3), quick),
        ("four times ε", (4 * epsilon, delta), quick),
    ]
