"""Diagnoses of one released model on test records: one table, which takes the whole budget.

**Privacy.** The model is fixed (it was released before) and so are the bins, so what is asked is one count
table of sensitivity 1 (``stats.score_table``, ``stats.residual_counts``). All curves, figures and error bars
are computed from its release.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sklearn.utils.validation import check_is_fitted

from privet.budget import Ledger
from privet.curator import Measure
from privet.errors import ParameterError
from privet.estimator import numeric_target
from privet.evaluation.diagnosis.of_classes import ClassDiagnosis, log_odds_cuts
from privet.evaluation.diagnosis.of_numbers import BINS, ResidualDiagnosis
from privet.evaluation.figures import Measured
from privet.evaluation.holdout import cost_of, measured_on, require_records, within
from privet.evaluation.measures import Asked, measures_of
from privet.release import Guarantee
from privet.schema import Number, Schema
from privet.stats import NoModel, Predictor
from privet.stats.residual_counts import ResidualCounts
from privet.stats.score_table import ScoreTable

__all__ = ["asked_of", "diagnose", "diagnosis_cost", "place_of"]


def diagnose(
    model: Any,
    data: Any,
    y: Any = None,
    *,
    positive: Any = None,
    bins: int = 32,
    epsilon: float | None = None,
    delta: float = 0.0,
    ledger: Ledger | None = None,
    public: bool = False,
    random_state: Any = None,
    owner_says: str | None = None,
    until: float | None = None,
) -> ClassDiagnosis | ResidualDiagnosis:
    """ROC curve, AUC, calibration and lift of a classifier; of a regression the histogram of its residuals.

    All of it comes from one table and one payment. ``positive`` is the class that the curves are about (by
    default the last one declared); the others together are the rest. ``bins`` are those of its log odds: more
    show more, and more of the noise. Payment, public data, the owner's word and ``until`` (of the AUC, or of
    how far off half of the predictions are) are as in ``evaluate``.

    >>> import numpy as np
    >>> from privet.learning.classify import NaiveBayes
    >>> generator = np.random.default_rng(0)
    >>> ill = generator.integers(0, 2, 20_000)
    >>> fever = 36.5 + 2 * ill + generator.normal(0, 0.8, 20_000)
    >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": [0, 1]}, target="ill")
    >>> model = NaiveBayes(epsilon=1.0, schema=schema).fit(fever[:10_000, None], ill[:10_000])
    >>> found = diagnose(model, fever[10_000:, None], ill[10_000:], epsilon=0.5)
    >>> 0.9 < found.auc.value < 1, found.auc.error < 0.01, found.guarantee.epsilon
    (True, True, 0.5)
    """
    measures_of(model)
    check_is_fitted(model)
    schema: Schema = model.schema_
    predictor = Predictor(model, tuple(column.name for column in schema.attributes))

    def made(table: Measured, said: Guarantee) -> ClassDiagnosis | ResidualDiagnosis:
        if _is_number(schema):
            return ResidualDiagnosis.of(numeric_target(schema), table, said)
        labels = schema.nominal_target().labels
        return ClassDiagnosis.of(labels, place_of(schema, positive), log_odds_cuts(bins), table, said)

    [table], guarantee = measured_on(
        model,
        data,
        y,
        asked_of(schema, predictor, positive, bins),
        what=f"diagnose {type(model).__name__}",
        epsilon=epsilon,
        delta=delta,
        ledger=ledger,
        public=public,
        random_state=random_state,
        owner_says=owner_says,
        enough=within(until, lambda found: made(found[0], Guarantee.none(["Not released yet."])).headline),
    )
    if public:
        require_records(float(table.value.sum()))
    return made(table, guarantee)


def diagnosis_cost(
    schema: Schema, *, epsilon: float, delta: float = 0.0, positive: Any = None, bins: int = 32
) -> Guarantee:
    """What a diagnosis on tables of this schema would cost, and its error. Reads no data, spends nothing.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> print(diagnosis_cost(schema, epsilon=1.0).steps[0].sentence())
    classes and scores of 'yes' in 32 bins: geometric noise, ε = 1; off by at most 3 records in 95 % of cases.
    """
    return cost_of(schema, asked_of(schema, NoModel(), positive, bins), epsilon, delta)


def asked_of(schema: Schema, predictor: Predictor, positive: Any, bins: int) -> Asked:
    """What is asked of the test records."""
    if _is_number(schema):
        if positive is not None:
            raise ParameterError("A regression has no classes.", "Leave out the class.")
        target = numeric_target(schema).name
        question = Measure(ResidualCounts(predictor, target, BINS), f"residuals of the predicted '{target}'")
        return [(question, Fraction(1))]
    if isinstance(bins, bool) or not isinstance(bins, int) or not 3 <= bins <= 1000:
        raise ParameterError("bins must be a whole number from 3 to 1000.")
    column, place = schema.nominal_target(), place_of(schema, positive)
    table = ScoreTable(predictor, column.name, place, log_odds_cuts(bins))
    what = f"classes and scores of '{column.labels[place]}' in {bins} bins"
    return [(Measure(table, what), Fraction(1))]


def _is_number(schema: Schema) -> bool:
    return schema.target is not None and isinstance(schema[schema.target], Number)


def place_of(schema: Schema, positive: Any) -> int:
    """Where the class is among the declared ones; by default the last."""
    labels = schema.nominal_target().labels
    if positive is None:
        return len(labels) - 1
    names = [str(label) for label in labels]
    if str(positive) not in names:
        raise ParameterError("There is no such class.", f"Choose one of: {', '.join(names[:20])}.")
    return names.index(str(positive))
