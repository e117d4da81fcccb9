"""``privet gwas``: private genome-wide association, from genotype files to a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import FILE, Run, force, ledger_options
from privet.cli.output import output, shows_json

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.selection.gwas import Study

__all__ = ["gwas"]

TESTS = ("genotypic", "allelic", "trend")
SCORES = ("distance", "chi2", "p_value", "odds_ratio")
MECHANISMS = ("permute_and_flip", "exponential", "laplace", "gaussian")


def _stacked(*decorators: Callable[..., Any]) -> Callable[..., Any]:
    def apply(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return apply


_study = _stacked(
    click.argument("study", type=FILE),
    click.option(
        "--phenotypes",
        type=FILE,
        metavar="FILE",
        help="Lines of an id and control or case; needed for VCF and folders.",
    ),
    click.option("--keep", type=FILE, metavar="FILE", help="Look only at the variants of this public list."),
    click.option("--dataset", metavar="NAME", help="The people's account in the ledger."),
    click.option(
        "--subject-missing", type=float, default=1.0, help="Drop subjects with more missing than this share."
    ),
    click.option(
        "--call-rate", type=float, default=0.0, help="Drop variants known in fewer than this share."
    ),
    click.option("--maf", type=float, default=0.0, help="Drop variants with a rarer minor allele than this."),
    click.option(
        "--allele-count", type=int, default=0, help="Drop variants whose rarer allele fewer people have."
    ),
    click.option("--hwe", type=float, default=0.0, help="Drop variants with a lower Hardy–Weinberg p-value."),
)
_pays = _stacked(
    ledger_options,
    click.option(
        "--no-ledger", is_flag=True, help="Keep no count of this run. Its guarantee says that nobody did."
    ),
    click.option("--seed", type=int, help="Repeatable noise, for tests only: it voids the guarantee."),
    click.option("--yes", "-y", is_flag=True, help="Do not ask before spending."),
)
_epsilon = click.option("--epsilon", type=float, required=True, help="Privacy loss of the whole run.")
_delta = click.option(
    "--delta", type=float, default=0.0, show_default=True, help="0 gives pure differential privacy."
)
_tau = click.option(
    "--tau", type=float, default=1e-5, show_default=True, help="The p-value that counts as significant."
)
_test = click.option(
    "--test",
    type=click.Choice(TESTS),
    default="genotypic",
    show_default=True,
    help="The test of association.",
)


@click.group()
def gwas() -> None:
    """Genome-wide association: top variants, counts and tables with a guarantee.

    \b
    STUDY is a PLINK .bed (with .bim and .fam), a .vcf or .vcf.gz, or a folder of 23andMe-like files.
      privet gwas open study.bed --epsilon 10                      a budget for its people
      privet gwas count-significant study.bed --epsilon 1          how many are there?
      privet gwas top-snps study.bed --k 10 --epsilon 5 -o report.html
    """


def _opened(
    study: Path,
    *,
    phenotypes: Path | None,
    keep: Path | None,
    dataset: str | None,
    subject_missing: float,
    call_rate: float,
    maf: float,
    allele_count: int,
    hwe: float,
    watch: Any = None,
) -> Study:
    from privet.selection.gwas import QualityControl, Study

    opened = Study.open(
        study,
        phenotypes=phenotypes,
        keep=None if keep is None else _list(keep),
        dataset=dataset,
        quality=QualityControl(subject_missing, call_rate, maf, allele_count, hwe),
        watch=watch,
    )
    problems = getattr(opened.source, "problems", ())
    for problem in problems:
        output().warn(f"{problem.file} was left out: {problem.reason}.")
    if skipped := getattr(opened.source, "skipped", 0):
        output().note(f"{skipped:,} variants without two alleles or without genotypes were left out.")
    return opened


def _list(path: Path) -> list[str]:
    from privet.errors import DataError

    try:
        return path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        raise DataError(
            f"The list {path.name} cannot be read.", "It should hold one variant's id a line."
        ) from None


def _payer(how: dict[str, Any], what: str, epsilon: float, delta: float) -> tuple[Ledger | None, int | None]:
    """The ledger and the seed of a run; asks a person at a terminal before anything is spent."""
    run = Run(
        how["ledger"], how["no_ledger"], how["analyst"], "auto", how["seed"], dry_run=False, yes=how["yes"]
    )
    ledger = run.opened_ledger()
    output().confirm(f"Spend ε = {epsilon:g}{f', δ = {delta:g}' if delta else ''} on {what}?", run.yes)
    return ledger, run.seed


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that say which study it is, and those that say who pays."""
    pays = {name: options.pop(name) for name in ("ledger", "no_ledger", "analyst", "seed", "yes")}
    return options, pays


@gwas.command("open")
@_study
@click.option("--epsilon", type=float, required=True, help="The limit: all that may ever be spent.")
@click.option("--delta", type=float, default=0.0, show_default=True, help="The limit's delta.")
@ledger_options
@shows_json
def open_(epsilon: float, delta: float, ledger: Path, analyst: str | None, **options: Any) -> None:
    """Give the people of a study a budget."""
    from privet import service

    study = _opened(**options)
    name = service.open_account(
        service.open_ledger(ledger, analyst, create=True),
        study.source,
        study.schema,
        service.limit_of(epsilon, delta),
    )
    output().result({"dataset": name}, lambda: click.echo(f"The account '{name}' is open in {ledger}."))


@gwas.command()
@_study
@shows_json
def qc(**options: Any) -> None:
    """What quality control keeps. EXACT numbers, for the owner of the data: not for release."""
    to = output()
    with to.progress("Counting", "variants") as watch:
        study = _opened(**options, watch=watch)
    passed = study.passed
    result = {
        "subjects": len(study.source.subjects),
        "subjects_kept": int(passed.subjects.sum()),
        "cases": study.cases,
        "controls": study.controls,
        "variants": study.source.variant_count,
        "variants_kept": int(passed.variants.sum()),
        "dropped": passed.dropped,
        "private": False,
    }

    def text() -> None:
        click.echo(
            f"Subjects: {result['subjects_kept']:,} of {result['subjects']:,} kept "
            f"({study.cases:,} cases, {study.controls:,} controls)."
        )
        click.echo(f"Variants: {result['variants_kept']:,} of {result['variants']:,} kept.")
        to.table(["dropped by", "number"], list(passed.dropped.items()))
        to.note("These numbers are exact: for the owner of the data, not for release.")

    to.result(result, text)


@gwas.command("top-snps")
@_study
@click.option("--k", "-k", type=int, default=10, show_default=True, help="How many variants are chosen.")
@_epsilon
@_delta
@click.option(
    "--score", type=click.Choice(SCORES), default="distance", show_default=True, help="What makes one good."
)
@_test
@_tau
@click.option(
    "--mechanism",
    type=click.Choice(MECHANISMS),
    default=MECHANISMS[0],
    show_default=True,
    help="How they are chosen.",
)
@click.option("--no-values", is_flag=True, help="Choose only: the whole budget is for the choice.")
@click.option("-o", "--output", "place", type=FILE, metavar="FILE", help="Where an HTML report goes.")
@force
@_pays
@shows_json
def top_snps_(
    k: int,
    epsilon: float,
    delta: float,
    score: Any,
    test: Any,
    tau: float,
    mechanism: Any,
    no_values: bool,
    place: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """The variants most associated with the phenotype, with noisy values."""
    from privet import service
    from privet.selection.gwas import top_snps, write_report

    to = output()
    options, pays = _split(options)
    if place is not None:  # a budget that is spent does not come back: what can fail later is tried first
        service.check_place(place, force=force)
    with to.progress("Counting", "variants") as watch:
        study = _opened(**options, watch=watch)
    ledger, seed = _payer(pays, f"the {k} top variants", epsilon, delta)
    release = top_snps(
        study,
        k,
        epsilon=epsilon,
        delta=delta,
        score=score,
        test=test,
        tau=tau,
        mechanism=mechanism,
        values=not no_values,
        ledger=ledger,
        random_state=seed,
    )

    def text() -> None:
        rows = [
            [
                s.name,
                s.chromosome,
                s.position,
                s.a1,
                s.a2,
                s.odds_ratio or ("" if s.value is None else f"{s.value:.3g}"),
            ]
            for s in release.snps
        ]
        to.table(["variant", "chromosome", "position", "a1", "a2", release.unit], rows)
        if release.error is not None:
            click.echo(f"Values are off by at most {release.error:.3g} in 95 % of cases.")
        click.echo(release.guarantee.headline)

    to.result(release.to_dict(), text)
    if place is not None:
        write_report(study, release, place, score=score, test=test, tau=tau)
        to.note(f"The report is in {place}.")


@gwas.command("count-significant")
@_study
@_epsilon
@_delta
@_test
@_tau
@click.option(
    "--most", type=int, default=1000, show_default=True, help="The largest count that can be answered."
)
@_pays
@shows_json
def count_significant_(
    epsilon: float, delta: float, test: Any, tau: float, most: int, **options: Any
) -> None:
    """How many variants are significant, so that k need not be guessed."""
    from privet.selection.gwas import count_significant

    to = output()
    options, pays = _split(options)
    with to.progress("Counting", "variants") as watch:
        study = _opened(**options, watch=watch)
    ledger, seed = _payer(pays, "a count", epsilon, delta)
    answer = count_significant(
        study, tau=tau, test=test, epsilon=epsilon, delta=delta, most=most, ledger=ledger, random_state=seed
    )

    def text() -> None:
        click.echo(
            f"{answer.count:,} variants have p < {tau:g} in a study that differs from this one in at most "
            f"{answer.records:.0f} records (95 % of cases)."
        )
        click.echo(answer.guarantee.headline)

    to.result(answer.to_dict(), text)


@gwas.command()
@_study
@_epsilon
@_delta
@_pays
@shows_json
def tables(epsilon: float, delta: float, **options: Any) -> None:
    """Noisy genotype tables of the variants that --keep names."""
    from privet.errors import ParameterError
    from privet.selection.gwas import noisy_tables

    to = output()
    options, pays = _split(options)
    if options["keep"] is None:
        raise ParameterError(
            "Tables of all variants would be nothing but noise.",
            "Name the ones you need in a file: --keep FILE.",
        )
    study = _opened(**options)
    ledger, seed = _payer(pays, f"{len(study.variant_places)} tables", epsilon, delta)
    release = noisy_tables(study, epsilon=epsilon, delta=delta, ledger=ledger, random_state=seed)

    def text() -> None:
        rows = [
            [name, group, *map(int, row)]
            for name, table in zip(release.names, release.counts, strict=True)
            for group, row in zip(("case", "control"), table, strict=True)
        ]
        to.table(["variant", "group", "a1 a1", "a1 a2", "a2 a2", "missing"], rows)
        click.echo(f"Counts are off by at most {release.error:.0f} in 95 % of cases.")
        click.echo(release.guarantee.headline)

    to.result(release.to_dict(), text)


@gwas.command()
@_study
@click.option(
    "-o", "--output", "place", type=FILE, required=True, metavar="FILE", help=".arff, .parquet, .csv or .bed"
)
@force
@shows_json
def convert(place: Path, force: bool, **options: Any) -> None:
    """Write the genotypes as a table, one row a subject. The file is as private as the study."""
    from privet import service

    service.check_place(place, force=force)
    study = _opened(**options)
    rows = service.convert_genotypes(study, place)
    output().result(
        {"file": str(place), "subjects": rows[0], "variants": rows[1], "private": False},
        lambda: click.echo(f"{rows[0]:,} subjects × {rows[1]:,} variants were written to {place}."),
    )


@gwas.command()
@_study
@click.option(
    "--k", "-k", type=int, default=10, show_default=True, help="How many odds ratios Privet releases."
)
@click.option("--epsilon", type=float, default=1.0, show_default=True, help="At which privacy loss.")
@click.option("--releases", type=int, default=20, show_default=True, help="How many releases are attacked.")
@shows_json
def homer(k: int, epsilon: float, releases: int, **options: Any) -> None:
    """Attack this study, as its owner: who is told by exact frequencies, and who by Privet's release?"""
    from privet.selection.gwas import homer as attack

    to = output()
    study = _opened(**options)
    result = attack(study, k=k, epsilon=epsilon, releases=releases)

    def text() -> None:
        to.table(
            ["released", "members told from strangers", "members found at 5 % false alarms"],
            [
                [
                    f"exact frequencies of {result.variants:,} variants",
                    f"{result.exact_area:.3f}",
                    f"{result.exact_found:.0%}",
                ],
                [
                    f"{k} odds ratios at ε = {epsilon:g}",
                    f"{result.private_area:.3f}",
                    f"{result.private_found:.0%}",
                ],
            ],
        )
        to.note("0.5 is a coin, 1 is certainty. Exact numbers: for the owner of the data, not for release.")

    to.result(result.to_dict(), text)
