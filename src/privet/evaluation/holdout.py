"""Evaluation on test data: noised and paid for, or exact on data that is declared public.

A score on private test records is an answer about private people like any other: an exact accuracy can tell
whether somebody's record is in the test set. So ``evaluate`` measures through the curator.

**Privacy.** The model is fixed (it was released before), so the measurements are those of ``stats.Confusion``
and ``stats.PredictionErrors``, each with its share of the budget; every figure and error bar is computed from
the two releases. Half of the budget goes to each: the confusion matrix carries accuracy, kappa and the
class totals that all quotients need, the three sums together carry the rest. The denominators of WEKA's
relative errors are functions of the class totals and cost nothing.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from privet import randomness
from privet.budget import Approximate, Ledger, Pure, budget
from privet.curator import Curator, require_pure
from privet.curator.owner import require_word
from privet.curator.run import Run
from privet.errors import DataError, ParameterError
from privet.estimator.past import admit_past
from privet.estimator.tables import test_table
from privet.evaluation.figures import Figure, Measured
from privet.evaluation.measures import Asked, Measures, measures_for, measures_of
from privet.evaluation.regression import RegressionEvaluation
from privet.evaluation.result import Evaluation
from privet.release import Guarantee, Release
from privet.schema import Schema
from privet.stats import NoModel, Predictor

__all__ = ["Measures", "cost_of", "evaluate", "evaluated", "evaluation_cost", "measured_on", "within"]

# Where the log loss of a single record is cut. Noise grows with the bound, so on private data it is low: a
# record whose class was given less than 0.7 % counts as 5. On public data it is where floats end.
PRIVATE_BOUND = 5.0
PUBLIC_BOUND = -math.log(float(np.finfo(np.float64).eps))


def evaluate(
    model: Any,
    data: Any,
    y: Any = None,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    ledger: Ledger | None = None,
    public: bool = False,
    random_state: Any = None,
    measures: Measures = "all",
    log_loss_bound: float | None = None,
    owner_says: str | None = None,
    until: float | None = None,
) -> Evaluation | RegressionEvaluation:
    """How well a released model predicts the records of a table: (data, y), or a table that holds the target.

    A classifier gets its confusion matrix and WEKA's measures, a regression R² and its errors.

    The result is (ε, δ)-differentially private for the unit of privacy in the model's schema and is paid from
    ``ledger`` (by default the model's own, if it has one). ``public=True`` declares that the test data is
    public knowledge: the figures are exact, cost nothing, and protect nobody. If the model's ledger knows the
    people, that takes their owner's word (``owner_says``), which is recorded there.
    ``measures="confusion"`` spends everything on the confusion matrix. With ``until``, ε is a limit:
    precision is added step by step until the accuracy (or R²) is off by at most so much in 95 % of cases,
    and what was not needed is given back. Records without a class are left out;
    a value outside its declared domain counts, or is an error, as in ``fit``. ``evaluation_cost`` tells the
    cost and the error before.

    >>> from privet.learning.classify import NaiveBayes
    >>> generator = np.random.default_rng(0)
    >>> ill = generator.integers(0, 2, 20_000)
    >>> fever = 36.5 + 2 * ill + generator.normal(0, 0.8, 20_000)
    >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": [0, 1]}, target="ill")
    >>> model = NaiveBayes(epsilon=1.0, schema=schema).fit(fever[:10_000, None], ill[:10_000])
    >>> result = evaluate(model, fever[10_000:, None], ill[10_000:], epsilon=0.5)
    >>> 0.8 < result.accuracy.value < 0.95, result.accuracy.error < 0.01, result.guarantee.epsilon
    (True, True, 0.5)
    """
    scores = measures_of(model)
    check_is_fitted(model)
    schema: Schema = model.schema_
    bound = settled_bound(log_loss_bound, public)
    predictor = Predictor(model, tuple(column.name for column in schema.attributes))
    plan = scores.questions(predictor, schema, measures, bound)
    found, guarantee = measured_on(
        model,
        data,
        y,
        plan,
        what=f"evaluate {type(model).__name__}",
        epsilon=epsilon,
        delta=delta,
        ledger=ledger,
        public=public,
        random_state=random_state,
        owner_says=owner_says,
        enough=within(until, lambda found: scores.headline_of(found, schema, bound, model)),
    )
    if public:
        require_records(scores.records(found[0]))
    return scores.result(found, schema, guarantee, bound, model)


Enough = Callable[[list[Measured]], bool]


def within(error: float | None, figure: Callable[[list[Measured]], Figure]) -> Enough | None:
    """The check that a figure is off by at most ``error``; None if nothing is checked."""
    if error is None:
        return None
    if isinstance(error, bool) or not isinstance(error, numbers.Real) or not 0 < float(error) < math.inf:
        raise ParameterError("until must be a number above 0: how far off the figure may be.")
    most = float(error)

    def enough(found: list[Measured]) -> bool:
        shown = figure(found)
        return math.isfinite(shown.value) and shown.error <= most

    return enough


def measured_on(
    model: Any,
    data: Any,
    y: Any,
    plan: Asked,
    *,
    what: str,
    epsilon: float | None,
    delta: float,
    ledger: Ledger | None,
    public: bool,
    random_state: Any,
    owner_says: str | None,
    schema: Schema | None = None,
    enough: Enough | None = None,
) -> tuple[list[Measured], Guarantee]:
    """The answers to these questions about test records and their guarantee: paid for, or of public data.

    ``schema`` is what the records are read with, if that is more than the model's own. With ``enough``,
    precision is added step by step until what is released is enough.
    """
    schema = schema or model.schema_
    if enough is not None:
        require_pure(delta)
    payer = ledger if ledger is not None else getattr(model, "ledger", None)
    table = test_table(model, data, y, None if public else payer, schema)
    if public:
        refuse_payment(epsilon, ledger)
        require_word(payer, schema, what, owner_says)
        run = Run.declared_public(schema, "The test data was declared public; the figures are exact.")
    else:
        run = Run(
            schema,
            required_amount(epsilon, delta),
            ledger=payer,
            randomness=randomness.of(random_state),
            inferred=bool(schema.drafted),
            what=what,
        )
    admit_past(run, data)
    with Curator.within(run, table) as curator:
        if enough is None or public:
            found = _measured(curator.ask_together(plan))
        else:
            for releases in curator.ask_gradually(plan):
                if enough(found := _measured(releases)):
                    break
    return found, curator.guarantee


def _measured(releases: Sequence[Release]) -> list[Measured]:
    return [Measured.of(release) for release in releases]


def cost_of(schema: Schema, plan: Asked, epsilon: float, delta: float) -> Guarantee:
    """What it would cost to ask this, and the errors. Reads no data, spends nothing."""
    amount = required_amount(epsilon, delta)
    with Curator.rehearsal(schema, amount, inferred=bool(schema.drafted)) as curator:
        curator.ask_together(plan)
    return curator.guarantee


def evaluated(
    model: Any, source: Any, run: Run, measures: Measures = "all"
) -> Evaluation | RegressionEvaluation:
    """The evaluation of a released model on a source that holds the target, as a part of a process."""
    scores, schema = measures_of(model), model.schema_
    bound = settled_bound(None, public=run.public is not None)
    predictor = Predictor(model, tuple(column.name for column in schema.attributes))
    with Curator.within(run, source) as curator:
        asked = curator.ask_together(scores.questions(predictor, schema, measures, bound))
    found = [Measured.of(release) for release in asked]
    if run.public is not None:
        require_records(scores.records(found[0]))
    return scores.result(found, schema, curator.guarantee, bound, model)


def evaluation_cost(
    schema: Schema,
    *,
    epsilon: float,
    delta: float = 0.0,
    measures: Measures = "all",
    log_loss_bound: float | None = None,
) -> Guarantee:
    """What an evaluation on tables of this schema would cost, and its errors. Reads no data, spends nothing.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> print(evaluation_cost(schema, epsilon=1.0, measures="confusion").steps[0].sentence())
    confusion matrix: geometric noise, ε = 1; off by at most 3 records in 95 % of cases.
    """
    bound = settled_bound(log_loss_bound, public=False)
    plan = measures_for(schema).questions(NoModel(), schema, measures, bound)
    return cost_of(schema, plan, epsilon, delta)


def required_amount(epsilon: float | None, delta: float) -> Pure | Approximate:
    """The budget of a private evaluation, which must be given."""
    if epsilon is None:
        raise ParameterError(
            "An evaluation on private data is a release about the people in it and needs an epsilon.",
            "Give one, such as epsilon=0.5; or public=True if the data is public knowledge.",
        )
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise ParameterError(f"{name} must be a number.")
    return budget(float(epsilon), float(delta))


def refuse_payment(epsilon: float | None, ledger: Ledger | None) -> None:
    """Public data is not paid for; to give both is a misunderstanding that must not pass as privacy."""
    if epsilon is not None or ledger is not None:
        raise ParameterError(
            "public=True gives exact figures without any privacy, yet an epsilon or a ledger was given too.",
            "Leave out public=True to protect the people in the data, or leave out epsilon and ledger.",
        )


def settled_bound(bound: float | None, public: bool) -> float:
    """Where the log loss of one record is cut."""
    if bound is None:
        return PUBLIC_BOUND if public else PRIVATE_BOUND
    if isinstance(bound, bool) or not isinstance(bound, numbers.Real) or not 0 < bound <= 1000:
        raise ParameterError("log_loss_bound must be a number above 0 and at most 1000.")
    return float(bound)


def require_records(number: float) -> None:
    """Refuse exact figures of nothing. Only for public data: of private data it must not show."""
    if number == 0:
        raise DataError(
            "The table holds no record whose target is known, so there is nothing to score.",
            "Check that it is the right table, and all of it.",
        )
