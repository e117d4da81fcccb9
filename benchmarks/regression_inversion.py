"""Model inversion on adult: private and non-private models side by side; writes docs/experiments/regression_inversion.md."""

from __future__ import annotations

from pathlib import Path

from benchmarks import data
from benchmarks.figures import Figure
from privet import LogisticRegression
from privet.audit.inversion.attack import audit_inversion, non_private_model
from privet.audit.inversion.report import MEANING, TRAINING, InversionReport
from privet.experiments.regression import split

PAGE = Path(__file__).resolve().parents[1] / "docs" / "experiments" / "regression_inversion.md"
ATTRIBUTES = ("sex", "marital-status", "race", "age")
EPSILONS = (0.1, 1.0, 10.0)
TREE = "decision tree, not private"

HEAD = f"""# Model inversion on adult

*Written by `python -m benchmarks regression_inversion`; do not edit by hand.*

**What was done.** Models of the income class were fitted on four fifths of the adult table (39,073 records, split 0). An attacker who holds a model and
knows all of a person's record but one attribute guesses that attribute (`privet.audit.inversion.attack`; the reference is Fredrikson et al. 2014), for 5,000
records that the model learned from and for those of 4,884 that it never saw. The other half of the held-out fifth is what an attacker without the model
learned from. Age is guessed as one of five parts of 0 to 100. One run; intervals are 95 %.

{MEANING}
"""


def run() -> list[Figure]:
    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    table, schema = data.load("adult")
    training, others = (table.take(part) for part in split(table.num_rows, 0))
    models = {
        f"LogisticRegression, ε = {epsilon:g}": LogisticRegression(
            epsilon=epsilon, schema=schema, records=40_000
        ).fit(training)
        for epsilon in EPSILONS
    }
    models["logistic regression, not private"] = non_private_model(training, schema)
    models[TREE] = non_private_model(training, schema, "tree", 0)
    found = {
        attribute: audit_inversion(
            models, training, others=others, attribute=attribute, schema=schema, random_state=0
        )
        for attribute in ATTRIBUTES
        if attribute in table.column_names
    }
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(_page(found), encoding="utf-8")
    return [
        Figure(f"{attribute}: points due to being in the data, {name}", 100 * extra.value, unit="")
        for attribute, report in found.items()
        for name, extra in report.memorised.items()
    ]


def _page(found: dict[str, InversionReport]) -> str:
    lines = [HEAD]
    for attribute, report in found.items():
        mine = next(a for a in report.attempts if a.group == TRAINING)
        lines.append(
            f"\n## {attribute} ({report.values} values)\n\nBase rate {100 * mine.base_rate:.1f} %; an attacker without the model, "
            f"who learned from other people's records: {100 * (mine.without_model or 0):.1f} %.\n"
        )
        lines.append(
            "| model | right (%) | over the base rate | same, records never seen | due to being in the data | model and others' "
            "records (%) | over others' records alone |"
        )
        lines.append("|---|---|---|---|---|---|---|")
        for name, extra in report.memorised.items():
            own, new = (a for a in report.attempts if a.model == name)
            right = f"{100 * own.accuracy.value:.1f}"
            both = f"{100 * (own.with_others or 0):.1f} | {own.over_without_model}"
            lines.append(
                f"| {name} | {right} | {own.over_base_rate} | {new.over_base_rate} | {extra} | {both} |"
            )
    return "\n".join([*lines, LEARNED])


LEARNED = """
## What one learns

* Income says little about these attributes, and a model of income cannot say more: an attacker who knows the model and how common each value is does no better than the
  base rate, private model or not. (Worse for marital status: how common a value is *in general* is a poor start when the record says "husband".) Somebody who has
  other people's records and no model does far better, and having the model as well adds next to nothing.
* What a logistic regression shows about its own records it shows about strangers as well: with 39,000 records to 105 weights there is nothing to
  memorise, and privacy has nothing to take away. The full-grown tree is different: it has stored its records, and the attack finds them.
* So an attacker's success on the training records alone is not a measure of a privacy loss; the column "due to being in the data" is.
"""
