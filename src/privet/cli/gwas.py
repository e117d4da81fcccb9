"""``privet gwas``: private genome-wide association, from genotype files to a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from privet.cli.options import FILE, Run, force, ledger_options, report_option
from privet.cli.output import output, shows_json
from privet.cli.plan import go_ahead, opened_by

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.release import Guarantee
    from privet.selection.gwas import Study
    from privet.service import Plan


class _Guaranteed(Protocol):
    @property
    def guarantee(self) -> Guarantee: ...


Released = TypeVar("Released", bound=_Guaranteed)

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
    click.option("--dry-run", is_flag=True, help="Show cost and expected errors. Nothing is spent."),
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
    strata: Path | None = None,
    watch: Any = None,
    reading: Any = None,
) -> Study:
    from privet.selection.gwas import QualityControl, Study
    from privet.sources.phenotypes import read_strata

    opened = Study.open(
        study,
        phenotypes=phenotypes,
        keep=None if keep is None else _list(keep),
        dataset=dataset,
        quality=QualityControl(subject_missing, call_rate, maf, allele_count, hwe),
        strata=None if strata is None else read_strata(strata),
        watch=watch,
        reading=reading,
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


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], Run]:
    """The options that say which study it is, and those that say who pays."""
    pays = {name: options.pop(name) for name in ("ledger", "no_ledger", "analyst", "seed", "dry_run", "yes")}
    return options, Run(engine="auto", **pays)


def _counted(options: dict[str, Any]) -> Study:
    """The study, with a bar while a folder is read, or while quality control counts."""
    if options["study"].is_dir():
        with output().progress("Reading", "of the files, twice each") as reading:
            return _opened(**options, reading=reading)
    with output().progress("Quality control", "variants") as watch:
        return _opened(**options, watch=watch)


def _released(
    study: Study, path: Path, run: Run, what: str, make: Callable[[Study, Ledger | None], Released]
) -> Released | None:
    """What ``make`` releases; nothing for a dry run, which rehearses it on made-up tables."""
    from privet.errors import LedgerError
    from privet.service.accounts import account_of
    from privet.service.genotypes import plan_release

    with opened_by("privet", "gwas", "open", path, "--ledger", run.ledger):
        ledger = run.opened_ledger()

        def plan(watch: Any) -> Plan:
            return plan_release(what, make(study.rehearsal(), None).guarantee, study, ledger)

        if not go_ahead(plan, run):
            return None
        try:
            with output().progress("Counting", "variants") as study.watch:
                return make(study, ledger)
        except LedgerError:
            if ledger is not None:
                account_of(ledger, study.source, study.schema)  # says how to open one
            raise


@gwas.command("open")
@_study
@click.option("--epsilon", type=float, required=True, help="The limit: all that may ever be spent.")
@click.option("--delta", type=float, default=0.0, show_default=True, help="The limit's delta.")
@ledger_options
@shows_json
def open_(epsilon: float, delta: float, ledger: Path, analyst: str | None, **options: Any) -> None:
    """Give the people of a study a budget."""
    from privet import service

    study = _counted(options)
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
    study = _counted(options)
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
@click.option(
    "--strata",
    type=FILE,
    metavar="FILE",
    help="Lines of an id and its public stratum: compare within strata (--score chi2 --test trend).",
)
@click.option("--no-values", is_flag=True, help="Choose only: the whole budget is for the choice.")
@report_option("Where an HTML report goes.")
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
    """The variants most associated with the phenotype, with noisy values.

    No covariate is used unless --strata declares one: population structure can make variants look associated
    that are not. Filters read the data, and the guarantee says so.
    """
    from privet import service
    from privet.selection.gwas import top_snps, write_report

    to = output()
    options, run = _split(options)
    if place is not None and not run.dry_run:  # what can fail is tried before spending
        service.check_place(place, force=force)
    study = _counted(options)
    release = _released(
        study,
        options["study"],
        run,
        f"gwas top-snps by {score} ({test})",
        lambda study, ledger: top_snps(
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
            random_state=run.seed,
        ),
    )
    if release is None:
        return

    def text() -> None:
        to.table(*release.table())
        if (accuracy := release.accuracy()) is not None:
            click.echo(accuracy)
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
    """How many variants are significant, so that k need not be guessed. No covariate is used."""
    from privet.selection.gwas import count_significant

    to = output()
    options, run = _split(options)
    answer = _released(
        _counted(options),
        options["study"],
        run,
        f"gwas count-significant ({test})",
        lambda study, ledger: count_significant(
            study,
            tau=tau,
            test=test,
            epsilon=epsilon,
            delta=delta,
            most=most,
            ledger=ledger,
            random_state=run.seed,
        ),
    )
    if answer is None:
        return

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
    options, run = _split(options)
    if options["keep"] is None:
        raise ParameterError(
            "Tables of all variants would be nothing but noise.",
            "Name the ones you need in a file: --keep FILE.",
        )
    release = _released(
        _counted(options),
        options["study"],
        run,
        "gwas tables",
        lambda study, ledger: noisy_tables(
            study, epsilon=epsilon, delta=delta, ledger=ledger, random_state=run.seed
        ),
    )
    if release is None:
        return

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
    study = _counted(options)
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
@click.option(
    "--releases",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many releases are attacked.",
)
@shows_json
def homer(k: int, epsilon: float, releases: int, **options: Any) -> None:
    """Attack this study, as its owner: who is told by exact frequencies, and who by Privet's release?"""
    from privet.audit.membership.homer import homer as attack

    to = output()
    study = _counted(options)
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
