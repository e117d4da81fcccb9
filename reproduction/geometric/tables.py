"""Tables 7.1 and 7.2 of the geometric-perturbation work, measured again beside the published values.

Each perturbed column is mined three ways: with the work's own formula (which protects nothing, kept apart in
``as_published``), with geometric perturbation of that column alone, and of all numeric columns.
Each release is attacked as well, which the work did not do. Learners are a *judge*'s: scikit-learn's here
(naive Bayes, and a decision tree with at least ten records in a leaf), or anything that gives the same six
measures of a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from privet.audit.perturbation.attack import audit_perturbation
from privet.audit.perturbation.report import AttackReport
from privet.evaluation.comparison import compare
from privet.perturbation import Geometric
from privet.schema import Number, Schema
from reproduction import markdown
from reproduction.geometric import as_published

__all__ = ["LEARNERS", "MEASURES", "PUBLISHED", "VARIANTS", "Measured", "attacked", "attacks_table",
           "measures_table", "mined", "released"]  # fmt: skip

LEARNERS = ("naive Bayes", "decision tree")
MEASURES = (
    "accuracy",
    "kappa",
    "mean_absolute_error",
    "root_mean_squared_error",
    "relative_absolute_error",
    "root_relative_squared_error",
)
#: (table, column, learner) → the six measures on the original, and the same on the perturbed table.
PUBLISHED: dict[tuple[str, str, str], tuple[tuple[float, ...], tuple[float, ...]]] = {
    ("adult", "age", "naive Bayes"): (
        (0.8342, 0.4993, 0.1735, 0.3723, 0.4745, 0.8706),
        (0.8318, 0.4905, 0.1759, 0.3756, 0.4809, 0.8783),
    ),
    ("adult", "age", "decision tree"): (
        (0.8621, 0.6004, 0.1942, 0.3196, 0.5309, 0.7474),
        (0.8573, 0.5805, 0.2009, 0.3246, 0.5495, 0.7592),
    ),
    ("adult", "education-num", "naive Bayes"): (
        (0.8342, 0.4993, 0.1735, 0.3723, 0.4745, 0.8706),
        (0.8291, 0.475, 0.1771, 0.3152, 0.4844, 0.8772),
    ),
    ("adult", "education-num", "decision tree"): (
        (0.8621, 0.6004, 0.1942, 0.3196, 0.5309, 0.7474),
        (0.8562, 0.5721, 0.2031, 0.3297, 0.5553, 0.7711),
    ),
    ("bank_marketing", "age", "naive Bayes"): (
        (0.8807, 0.4391, 0.1532, 0.3088, 0.7416, 0.9606),
        (0.8805, 0.4346, 0.1542, 0.3075, 0.7464, 0.9567),
    ),
    ("bank_marketing", "age", "decision tree"): (
        (0.9031, 0.4839, 0.1269, 0.2773, 0.6142, 0.8628),
        (0.903, 0.4846, 0.1276, 0.2781, 0.6175, 0.8653),
    ),
    ("bank_marketing", "duration", "naive Bayes"): (
        (0.88, 0.4391, 0.1532, 0.3088, 0.7416, 0.9606),
        (0.866, 0.3413, 0.1681, 0.3305, 0.8135, 1.028),
    ),
    ("bank_marketing", "duration", "decision tree"): (
        (0.9031, 0.4839, 0.1269, 0.2773, 0.6142, 0.8628),
        (0.8924, 0.3354, 0.157, 0.2986, 0.7596, 0.9289),
    ),
}  # fmt: skip
VARIANTS = ("as published", "geometric, this column", "geometric, all numbers")

#: For each learner and each repetition the six measures.
Values = dict[str, list[list[float]]]


@dataclass(frozen=True)
class Measured:
    """One release of one column: what a judge's learners say of D and of D′, for each repetition."""

    table: str
    column: str
    variant: str
    judge: str
    records: int
    original: Values
    perturbed: Values

    def joined(self, other: Measured) -> Measured:
        """The same release by more learners."""
        return replace(
            self, original=self.original | other.original, perturbed=self.perturbed | other.perturbed
        )

    def published(self, learner: str) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """What the work printed, where it printed something."""
        return PUBLISHED.get((self.table, self.column, learner))

    def shown(self, learner: str, measure: int, *, perturbed: bool) -> str:
        """A mean over the repetitions, and its standard error where there are several."""
        values = (self.perturbed if perturbed else self.original).get(learner)
        if values is None:
            return "–"
        every = np.array(values)[:, measure]
        if len(every) == 1:
            return f"{every[0]:.4f}"
        return f"{every.mean():.4f} ± {every.std(ddof=1) / np.sqrt(len(every)):.4f}"


def released(
    table: pa.Table, schema: Schema, column: str, variant: str, *, noise: float = 0.05, seed: int = 0
) -> tuple[pa.Table, list[str]]:
    """The release of a variant, and the columns that it perturbs."""
    if variant == "as published":
        place = table.column_names.index(column)
        values = np.asarray(table[column].cast(pa.float64()))
        return table.set_column(place, column, pa.array(as_published.perturb(values))), [column]
    numeric = [c.name for c in schema.attributes if isinstance(c, Number)]
    chosen = [column] if variant == "geometric, this column" else numeric
    model = Geometric(schema=schema, columns=chosen, noise=noise, missing="middle", random_state=seed)
    return model.fit_transform(table), chosen


def mined(
    name: str,
    table: pa.Table,
    schema: Schema,
    column: str,
    variant: str,
    *,
    noise: float = 0.05,
    learners: Sequence[str] = LEARNERS,
    folds: int = 10,
    repetitions: int = 3,
) -> Measured:
    """A variant by scikit-learn's learners: each repetition has another key and other folds.

    >>> from privet.evaluation.comparison import Scores
    >>> [name for name in MEASURES if name not in Scores.__dataclass_fields__]
    []
    """
    original: Values = {learner: [] for learner in learners}
    perturbed: Values = {learner: [] for learner in learners}
    for seed in range(repetitions):
        release, _ = released(table, schema, column, variant, noise=noise, seed=seed)
        found = compare(table, release, schema, learners=learners, folds=folds, records=None, seed=seed)
        for learner, (before, after) in found.scores.items():
            for side, scores in ((original, before), (perturbed, after)):
                side[learner].append([getattr(scores, measure) for measure in MEASURES])
    return Measured(name, column, variant, "scikit-learn", table.num_rows, original, perturbed)


def attacked(
    table: pa.Table,
    schema: Schema,
    column: str,
    variant: str,
    *,
    noise: float = 0.05,
    records: int = 2000,
    seed: int = 0,
) -> AttackReport:
    """The attack report of a variant."""
    release, chosen = released(table, schema, column, variant, noise=noise, seed=seed)
    return audit_perturbation(
        table, release, schema=schema, columns=chosen, random_state=seed, records=records
    )


def measures_table(found: Sequence[Measured]) -> str:
    """The releases of one column by one judge, as a Markdown table: a row for each learner and measure."""
    rows = []
    for learner in LEARNERS:
        mined_by = [each for each in found if learner in each.original]
        if not mined_by:
            continue
        printed = found[0].published(learner)
        for place, measure in enumerate(MEASURES):
            cells = ["–", "–"] if printed is None else [f"{side[place]:.4f}" for side in printed]
            cells.append(mined_by[0].shown(learner, place, perturbed=False))
            cells += [each.shown(learner, place, perturbed=True) for each in found]
            rows.append([learner, measure.replace("_", " "), *cells])
    heads = ["learner", "measure", "published D", "published D′", "measured D"]
    return markdown.table([*heads, *(each.variant for each in found)], rows)


def attacks_table(found: Mapping[tuple[str, str, str], AttackReport]) -> str:
    """The attack reports, as a Markdown table: each attack's error on the column that it recovers best."""
    rows = []
    for (table, column, variant), report in found.items():
        # Beyond 2 an attack is simply wrong, and by how much says nothing.
        errors = [
            "–" if not a.applies else f"{a.weakest:.3f}" if a.weakest <= 2 else "> 2" for a in report.attacks
        ]
        rows.append([table, column, variant, *errors, report.weakest, f"{report.reidentified:.1%}"])
    names = [attack.name for attack in next(iter(found.values())).attacks]
    return markdown.table(["table", "column", "variant", *names, "weakest column", "found again"], rows)
