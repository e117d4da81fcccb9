"""The demonstration's report: what happened, what it cost, and what the noise did."""

from __future__ import annotations

from typing import Any

from privet.budget import Entry
from privet.demo.patients import DATASET
from privet.report import Page, bars, error_bars, lines, stacked
from privet.schema import Category, Column
from privet.service.demonstration.figures import Exact
from privet.service.demonstration.story import FIT_EPSILON, LIMIT, Outcome

__all__ = ["curve_figure", "report_of"]

_OWNER_ONLY = (
    "Computed on generated data, on which nobody's privacy depends. The owner of real data could not show "
    "this without paying for it."
)


def report_of(outcome: Outcome, exact: Exact) -> Page:
    """The whole report."""
    page = Page(
        f"A private model of {exact.records:,} patients",
        "The story that privet demo has just told: what was learned, what it cost, and what the noise did. "
        "The patients are generated; the privacy is real.",
    )
    _summary(page, outcome, exact)
    _accuracy(page, exact)
    _classes(page, outcome, exact)
    _budget(page, outcome)
    _ledger(page, outcome)
    _schema(page, outcome)
    _guarantee(page, outcome)
    return page


def _summary(page: Page, outcome: Outcome, exact: Exact) -> None:
    section = page.section("What happened")
    evaluation = outcome.evaluation
    section.note(
        f"A naive Bayes model, private with {outcome.model.guarantee_.amount}, predicts "
        f"{_percent(evaluation.accuracy.value)} ± {_percent(evaluation.accuracy.error)} of the holdout right."
        f" Measuring that cost {evaluation.guarantee.amount} more. The analyst who asked next was refused.",
        "good",
    )
    section.table(
        ["figure", "released", "exact, for comparison"],
        [
            ["accuracy", str(evaluation.accuracy), str(exact.evaluation.accuracy)],
            ["kappa", str(evaluation.kappa), str(exact.evaluation.kappa)],
            ["records in the holdout", str(evaluation.records), f"{exact.holdout:,}"],
        ],
        caption="The private evaluation. ± covers the privacy noise in 95 % of cases.",
    )
    section.text(f"The column on the right: {_OWNER_ONLY[0].lower()}{_OWNER_ONLY[1:]}")


def curve_figure(exact: Exact) -> Any:
    """Accuracy against epsilon."""
    curve = exact.curve
    return lines(
        curve.epsilons,
        {"private naive Bayes": curve.mean},
        xlabel="ε (smaller is more private)",
        ylabel="accuracy on the holdout",
        bands={"private naive Bayes": (curve.lowest, curve.highest)},
        references={"without noise": curve.not_private, "always the largest class": curve.largest_class},
        log_x=True,
    )


def _accuracy(page: Page, exact: Exact) -> None:
    section = page.section("How much accuracy does privacy cost?")
    section.text("The same model, fitted again and again with different privacy. " + _OWNER_ONLY)
    curve = exact.curve
    points = ", ".join(f"{m:.2f} at ε = {e:g}" for e, m in zip(curve.epsilons, curve.mean, strict=True))
    section.figure(
        curve_figure(exact),
        alt=f"Accuracy rises with epsilon: {points}; without noise {curve.not_private:.2f}.",
        caption=f"The line is the mean of {curve.repeats} fits for each ε; the band spans worst to best.",
    )


def _classes(page: Page, outcome: Outcome, exact: Exact) -> None:
    model = outcome.model
    labels = [str(label) for label in model.classes_]
    released = [float(count) for count in model.class_count_]
    error = float(model.class_count_error_)
    section = page.section("How many patients in each class?")
    section.text(
        "Nobody asked for this count by itself. Each attribute's noisy table adds up to it, so the model "
        "takes the weighted mean of all of them, and it costs nothing further.",
        _OWNER_ONLY,
    )
    described = "; ".join(
        f"{label}: released {count:,.0f}, exact {truth:,}"
        for label, count, truth in zip(labels, released, exact.counts, strict=True)
    )
    section.figure(
        error_bars(
            labels,
            released,
            [error] * len(labels),
            ylabel="patients",
            truth=exact.counts,
            name="released, with 95 % error bar",
            truth_name="exact",
        ),
        alt=f"Patients in each class. {described}.",
        caption=f"The error bars of ± {error:.0f} patients are hard to see beside these counts.",
    )
    differences = [count - truth for count, truth in zip(released, exact.counts, strict=True)]
    section.figure(
        error_bars(labels, differences, [error] * len(labels), ylabel="released minus exact, patients"),
        alt="Differences: " + ", ".join(f"{n} {d:+.0f}" for n, d in zip(labels, differences, strict=True)),
        caption="The same, magnified. The bars are meant to hold zero in 95 % of cases.",
    )


def _budget(page: Page, outcome: Outcome) -> None:
    steps = outcome.model.guarantee_.steps
    section = page.section("Where the model's budget went")
    section.text(
        "A patient appears in one cell of each attribute's table. So a whole table costs one share, however "
        "many cells it has, and larger tables get a larger share."
    )
    labels = [step.what.split("'")[1] for step in steps]
    shares = [float(step.amount.epsilon) for step in steps]
    section.figure(
        bars(labels, shares, xlabel="share of ε", form="{:.3f}"),
        alt="; ".join(f"{label} {share:.3f}" for label, share in zip(labels, shares, strict=True)),
        caption=f"The shares add up to exactly {outcome.model.guarantee_.amount}.",
    )
    section.table(
        ["measurement", "noise", "ε", "off by at most, in 95 % of cases"],
        [[s.what, s.mechanism, float(s.amount.epsilon), f"{s.error:.3g} {s.unit}"] for s in steps],
        caption="Every measurement that the model is made of.",
    )


def _ledger(page: Page, outcome: Outcome) -> None:
    ledger = outcome.ledger
    spends = [entry for entry in ledger.history(DATASET) if entry.kind == "reserve" and entry.amount]
    parts = {f"{entry.who}: {entry.what}": _epsilon(entry.amount) for entry in spends}
    section = page.section("The ledger")
    section.text(f"The owner set a limit of ε = {LIMIT:g} for everybody together.")
    section.figure(
        stacked(parts, LIMIT, xlabel="ε", refused={"ben: refused": FIT_EPSILON}),
        alt="; ".join(f"{name} {value:g}" for name, value in parts.items()) + f"; limit {LIMIT:g}.",
        caption=f"{ledger.balance(DATASET)}.",
    )
    section.note(f"Ben asked for ε = 1: {outcome.budget_refusal.message}", "warning")
    section.table(
        ["entry", "when", "who", "what", "cost", "state"],
        [
            [str(e.number), _moment(e), e.who, e.what, str(e.amount) if e in spends else "", e.state or ""]
            for e in ledger.history(DATASET)
        ],
        caption="What was done, in order, each entry sealed with the one before. Commits show as a state.",
    )


def _schema(page: Page, outcome: Outcome) -> None:
    section = page.section("What was taken to be public")
    section.text(
        "The draft read bounds and domains off the data, and nothing private was allowed to run on it. "
        "A person then declared what is known without looking."
    )
    drafted = {column.name: column for column in outcome.drafted.columns}
    section.table(
        ["column", "draft, read off the data", "declared"],
        [[c.name, _described(drafted[c.name]), _described(c)] for c in outcome.schema.columns],
        caption="The schema before and after a person looked at it.",
    )
    section.note(f"On the draft: {outcome.draft_refusal.message}", "warning")


def _guarantee(page: Page, outcome: Outcome) -> None:
    section = page.section("The guarantee, in full")
    section.code(outcome.model.guarantee_.text(), label="It travels inside model.json.")
    section.note(f"On a copy with a prettier guarantee: {outcome.alteration.message}", "warning")


def _described(column: Column) -> str:
    if isinstance(column, Category):
        return ", ".join(map(str, column.labels))
    return f"{column.low:g} to {column.high:g}"


def _epsilon(amount: Any) -> float:
    return float(amount.epsilon)


def _moment(entry: Entry) -> str:
    return entry.when[:19].replace("T", " ")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
