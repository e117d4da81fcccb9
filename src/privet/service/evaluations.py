"""Scores of models: exact on data declared public, noised and paid for on all other data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.budget import Ledger, budget
from privet.curator.currency import currency_of, event_for, event_of
from privet.errors import LedgerError
from privet.schema import Schema
from privet.service.ledgers import account_of
from privet.service.plans import Plan, planned
from privet.service.runs import build, settled
from privet.service.tables import Watch, database_errors, open_table

if TYPE_CHECKING:
    from privet.evaluation import CrossValidation, Evaluation, RegressionEvaluation

__all__ = ["cross_validate", "evaluate", "plan_cross_validation", "plan_evaluation"]


def plan_evaluation(
    model: Any,
    data: str | Path,
    *,
    epsilon: float,
    delta: float = 0.0,
    ledger: Ledger | None = None,
    engine: str = "auto",
    watch: Watch | None = None,
) -> Plan:
    """What the scores of a model on a private table would cost, and how far they may be off."""
    from privet.evaluation import evaluation_cost

    schema: Schema = model.schema_
    guarantee = evaluation_cost(schema, epsilon=epsilon, delta=delta)
    table = open_table(data, schema, engine=engine, watch=watch)
    what = f"evaluate {type(model).__name__}"
    event = event_for(guarantee.amount, what)
    return planned(what, guarantee, schema, table, [event], ledger)


def evaluate(
    model: Any,
    data: str | Path,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    public: bool = False,
    ledger: Ledger | None = None,
    seed: int | None = None,
    engine: str = "auto",
    watch: Watch | None = None,
) -> Evaluation | RegressionEvaluation:
    """The scores of a released model on a table that holds the true classes (or numbers)."""
    from privet.evaluation import evaluate as score
    from privet.evaluation import evaluation_cost

    schema: Schema = model.schema_
    if epsilon is not None:
        evaluation_cost(schema, epsilon=epsilon, delta=delta)  # what cannot work fails before it is paid for
    table = open_table(data, schema, engine=engine, watch=watch)
    try:
        with database_errors():
            return score(
                model, table, epsilon=epsilon, delta=delta, public=public, ledger=ledger, random_state=seed
            )
    except LedgerError:
        if ledger is not None:
            account_of(ledger, table, schema)  # no account: an error that says how to open one
        raise


def plan_cross_validation(
    algorithm: str,
    data: str | Path,
    schema: Schema | str | Path,
    parameters: Mapping[str, Any],
    *,
    folds: int = 10,
    repeats: int = 1,
    epsilon: float,
    delta: float = 0.0,
    ledger: Ledger | None = None,
    engine: str = "auto",
    watch: Watch | None = None,
) -> Plan:
    """What a cross-validation would cost in all: every record is in all training sets but one."""
    from privet.evaluation import cross_validation_cost

    schema = settled(schema)
    estimator = build(algorithm, schema, parameters)
    guarantee = cross_validation_cost(estimator, folds=folds, repeats=repeats, epsilon=epsilon, delta=delta)
    table = open_table(data, schema, engine=engine, watch=watch)
    what = f"{folds}-fold cross-validation of {type(estimator).__name__}"
    fit = event_of(currency_of(budget(float(estimator.epsilon), float(estimator.delta))), what)
    test = event_of(currency_of(budget(epsilon, delta)), what)
    events = [*[fit] * (repeats * (folds - 1)), *[test] * repeats]
    return planned(what, guarantee, schema, table, events, ledger)


def cross_validate(
    algorithm: str,
    data: str | Path,
    schema: Schema | str | Path,
    parameters: Mapping[str, Any],
    *,
    folds: int = 10,
    repeats: int = 1,
    epsilon: float | None = None,
    delta: float = 0.0,
    public: bool = False,
    ledger: Ledger | None = None,
    seed: int | None = None,
    engine: str = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> CrossValidation:
    """How well an algorithm predicts records of a table that it was not trained on."""
    from privet.evaluation import cross_validate as score
    from privet.evaluation import cross_validation_cost

    schema = settled(schema)
    estimator = build(algorithm, schema, parameters, seed=seed)
    if epsilon is not None:
        cross_validation_cost(estimator, folds=folds, repeats=repeats, epsilon=epsilon, delta=delta)
    table = open_table(data, schema, engine=engine)
    try:
        with database_errors():
            return score(
                estimator,
                table,
                folds=folds,
                repeats=repeats,
                epsilon=epsilon,
                delta=delta,
                public=public,
                ledger=ledger,
                progress=progress,
            )
    except LedgerError:
        if ledger is not None:
            account_of(ledger, table, schema)
        raise
