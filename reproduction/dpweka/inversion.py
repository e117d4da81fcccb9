"""Model inversion on adult: private and non-private models side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.figures import Figure
from privet import LogisticRegression
from privet.audit.inversion.attack import audit_inversion, non_private_model
from privet.audit.inversion.report import MEANING, TRAINING, Estimate
from reproduction import markdown
from reproduction.page import Cell, Page, Results

ATTRIBUTES = ("sex", "marital-status", "race", "age")
EPSILONS = (0.1, 1.0, 10.0)
TREE = "decision tree, not private"

HEAD = f"""# Model inversion on adult

*Written by `python -m reproduction regression_inversion`; do not edit by hand.*

**What was done.** Models of the income class were fitted on four fifths of the adult table (39,073 records, split 0). An attacker who holds a model and
knows all of a person's record but one attribute guesses that attribute (`privet.audit.inversion.attack`; the reference is Fredrikson et al. 2014), for 5,000
records that the model learned from and for those of 4,884 that it never saw. The other half of the held-out fifth is what an attacker without the model
learned from. Age is guessed as one of five parts of 0 to 100. One run; intervals are 95 %.

{MEANING}
"""


HEADS = (
    "model", "right (%)", "over the base rate", "same, records never seen", "due to being in the data",
    "model and others' records (%)", "over others' records alone",
)  # fmt: skip


def _inverted() -> dict[str, Any]:
    """The report of each attribute; the same models are attacked for all of them."""
    table, schema = data.load("adult")
    order = np.random.default_rng(0).permutation(table.num_rows)
    training, others = (table.take(part) for part in np.split(order, [table.num_rows * 4 // 5]))
    models: dict[str, Any] = {
        f"LogisticRegression, ε = {epsilon:g}": LogisticRegression(
            epsilon=epsilon, schema=schema, records=40_000
        ).fit(training)
        for epsilon in EPSILONS
    }
    models["logistic regression, not private"] = non_private_model(training, schema)
    models[TREE] = non_private_model(training, schema, "tree", 0)
    how: dict[str, Any] = {"others": others, "schema": schema, "random_state": 0}
    return {name: asdict(audit_inversion(models, training, attribute=name, **how)) for name in ATTRIBUTES}


def cells() -> Iterator[Cell]:
    yield Cell("adult", _inverted)


def write(found: Results, folder: Path) -> list[Figure]:
    parts = [HEAD]
    for attribute, report in found["adult"].items():
        attempts = {
            (attempt["model"], attempt["group"] == TRAINING): attempt for attempt in report["attempts"]
        }
        rows = []
        for name, extra in report["memorised"].items():
            own, new = attempts[name, True], attempts[name, False]
            over = (own["over_base_rate"], new["over_base_rate"], extra)
            both = [f"{100 * (own['with_others'] or 0):.1f}", str(Estimate(**own["over_without_model"]))]
            right = f"{100 * own['accuracy']['value']:.1f}"
            rows.append([name, right, *(str(Estimate(**each)) for each in over), *both])
        parts.append(
            f"\n## {attribute} ({report['values']} values)\n\nBase rate {100 * own['base_rate']:.1f} %; an attacker without the model, "
            f"who learned from other people's records: {100 * (own['without_model'] or 0):.1f} %.\n"
        )
        parts.append(markdown.table(HEADS, rows))
    (folder / "regression_inversion.md").write_text("\n".join([*parts, LEARNED]), encoding="utf-8")
    return [
        Figure(f"{attribute}: points due to being in the data, {name}", 100 * extra["value"], unit="")
        for attribute, report in found["adult"].items()
        for name, extra in report["memorised"].items()
    ]


LEARNED = """
## What one learns

* Income says little about these attributes, and a model of income cannot say more: an attacker who knows the model and how common each value is does no better than the
  base rate, private model or not. (Worse for marital status: how common a value is *in general* is a poor start when the record says "husband".) Somebody who has
  other people's records and no model does far better, and having the model as well adds next to nothing.
* What a logistic regression shows about its own records it shows about strangers as well: with 39,000 records to 105 weights there is nothing to
  memorise, and privacy has nothing to take away. The full-grown tree is different: it has stored its records, and the attack finds them.
* So an attacker's success on the training records alone is not a measure of a privacy loss; the column "due to being in the data" is.
"""

PAGES = (Page("dpweka", "regression_inversion", "Model inversion on adult", cells, write),)
