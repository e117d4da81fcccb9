"""k-fold cross-validation, reserved as one spend before anything is read.

**Privacy.** By the coupling in ``curator.folds``, tables that differ by one unit of privacy differ, for every
outcome of the draw of folds, by that unit in ``folds − 1`` of the training sets and in one of the test sets.
The fits compose sequentially: (folds − 1) · ε_fit. Each test record is compared with the model of its own
fold only, all folds are counted into *one* confusion matrix, and noise is added once: the matrix is a sum of
one cell per record, as for a single model, and costs ε. For a regression the same holds of its five sums of
errors, whose bounds hold whatever model predicts a record (``stats.regression_errors``). A mixture over the
draw of folds is no less private than its worst outcome. A repeat is the same again with new folds:

    total = repeats · ((folds − 1) · ε_fit + ε).

With δ > 0 the zCDP ρ of the parts add up in the same way (``curator.composition``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import clone

from privet import randomness
from privet.budget import Approximate, Event, Ledger, Pure
from privet.curator import Curator
from privet.curator.composition import Composition
from privet.curator.folds import Folds, in_order
from privet.curator.run import Run
from privet.errors import ParameterError
from privet.estimator.past import admit_past
from privet.evaluation.figures import Measured
from privet.evaluation.holdout import (
    Measures,
    evaluation_cost,
    refuse_payment,
    require_records,
    required_amount,
    settled_bound,
)
from privet.evaluation.measures import measures_of
from privet.evaluation.regression import RegressionEvaluation
from privet.evaluation.result import Evaluation
from privet.parameters import validate
from privet.release import Guarantee, Release, Step
from privet.stats import FoldPredictor, NoModel

__all__ = ["CrossValidation", "cross_validate", "cross_validation_cost", "cross_validation_event"]

_PUBLIC = "The table was declared public; the figures are exact."


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """The figures over all folds and repeats, those of each repeat, and the guarantee of it all."""

    evaluation: Evaluation | RegressionEvaluation
    repeats: tuple[Evaluation | RegressionEvaluation, ...]
    folds: int

    @property
    def guarantee(self) -> Guarantee:
        return self.evaluation.guarantee

    def text(self) -> str:
        times = f", {len(self.repeats)} times" if len(self.repeats) > 1 else ""
        return f"{self.folds}-fold cross-validation{times}\n\n{self.evaluation.text()}"

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        single = [{n: v for n, v in r.to_dict().items() if n != "guarantee"} for r in self.repeats]
        return {"folds": self.folds, "evaluation": self.evaluation.to_dict(), "repeats": single}


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    folds: int = 10,
    epsilon: float | None = None,
    delta: float = 0.0,
    repeats: int = 1,
    ledger: Ledger | None = None,
    public: bool = False,
    random_state: Any = None,
    measures: Measures = "all",
    log_loss_bound: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CrossValidation:
    """How well an algorithm predicts records that it was not trained on: (X, y), a frame, a file or a source.

    A classifier gets its confusion matrix and WEKA's measures, a regression R² and its errors.

    ``epsilon`` and ``delta`` are for the evaluation of one repeat; each fit spends the estimator's own. The
    total (see ``cross_validation_cost``) is reserved at once from ``ledger``, by default the estimator's; if
    that is refused, nothing is spent. ``public=True`` declares the table public: the fits still add their
    noise, so that the figures are those of the private algorithm, but they are exact and nothing is charged
    or protected. ``progress(done, total)`` is called after each fit. A database table is read into memory
    once, because it promises no order in which a record could be recognised.

    scikit-learn's ``cross_val_score`` computes scores from the test records without noise: they are *not*
    private, and so an estimator with a ledger refuses them.

    >>> from privet.learning.classify import NaiveBayes
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> ill = generator.integers(0, 2, 5000)
    >>> fever = 36.5 + 2 * ill + generator.normal(0, 0.8, 5000)
    >>> from privet.schema import Schema
    >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": [0, 1]}, target="ill")
    >>> estimator = NaiveBayes(epsilon=0.5, schema=schema)
    >>> result = cross_validate(estimator, fever[:, None], ill, folds=5, epsilon=1)
    >>> 0.8 < result.evaluation.accuracy.value < 0.95, result.guarantee.epsilon
    (True, 3.0)
    """
    process = _Process.of(estimator, folds, repeats, epsilon, delta, public)
    ledger = ledger if ledger is not None else estimator.ledger
    if public:
        refuse_payment(epsilon, ledger)
    bound = settled_bound(log_loss_bound, public)
    twin = clone(estimator).set_params(ledger=None)
    source, schema = twin._table(X, y, ledger=ledger)
    inferred = twin._declared() is None
    if not inferred:
        schema.require_confirmed()
    scores = measures_of(estimator)
    scores.questions(
        NoModel(), schema, measures, bound
    )  # what cannot be measured is refused before it is paid
    root = randomness.of(estimator.random_state if random_state is None else random_state)
    what = f"{folds}-fold cross-validation of {type(estimator).__name__}"
    run = Run(
        schema,
        process.composition.total,
        ledger=ledger,
        randomness=root,
        inferred=inferred,
        what=what,
        event=process.composition.event(what),
        public=_PUBLIC if public else None,
    )
    admit_past(run, X)
    rounds = []
    parts: list[Guarantee] = []
    with run:
        table = in_order(source, schema)
        for done, child in enumerate(root.spawn(repeats)):
            split = Folds(table, schema, folds, child)
            models = []
            for fold, noise in enumerate(child.spawn(folds)):
                models.append(clone(estimator).set_params(ledger=None, random_state=noise))
                models[-1]._run(split.outside(fold), run.part(process.fit, noise))
                parts.append(models[-1].guarantee_)
                if progress is not None:
                    progress(done * folds + fold + 1, repeats * folds)
            predictor = FoldPredictor(tuple(models), split.columns, split.label, run.schema)
            test = (
                Run.declared_public(split.schema, _PUBLIC)
                if public
                else run.part(process.test, child, split.schema)
            )
            with Curator.within(test, split.all) as curator:
                asked = curator.ask_together(scores.questions(predictor, split.schema, measures, bound))
            rounds.append([Measured.of(release) for release in asked])
            parts.append(replace(curator.guarantee, public=()))  # the folds are no knowledge about the table
            if public:
                require_records(scores.records(rounds[-1][0]))
        run.steps += process.steps(models[0].guarantee_.steps, curator.guarantee.steps)
        run.carry(parts)
    guarantee = run.guarantee
    pooled = scores.result([_pooled(parts) for parts in zip(*rounds, strict=True)], schema, guarantee, bound)
    single = tuple(scores.result(parts, schema, guarantee, bound) for parts in rounds)
    return CrossValidation(pooled, single, folds)


def cross_validation_cost(
    estimator: Any,
    *,
    folds: int = 10,
    epsilon: float | None = None,
    delta: float = 0.0,
    repeats: int = 1,
    measures: Measures = "all",
    log_loss_bound: float | None = None,
) -> Guarantee:
    """What a cross-validation would cost in total, step by step, and its errors; reads and spends nothing.

    >>> from privet.learning.classify import NaiveBayes
    >>> from privet.schema import Schema
    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> cost = cross_validation_cost(NaiveBayes(epsilon=0.1, schema=schema), folds=10, epsilon=0.1)
    >>> print(cost.amount)
    ε = 1
    """
    process = _Process.of(estimator, folds, repeats, epsilon, delta, public=False)
    training = estimator.rehearse()
    schema = estimator._declared()
    testing = evaluation_cost(
        schema, epsilon=float(epsilon or 0), delta=delta, measures=measures, log_loss_bound=log_loss_bound
    )
    run = Run(schema, process.composition.total, ledger=estimator.ledger)
    run.steps += process.steps(training.steps, testing.steps)
    run.carry([training])
    return run.guarantee


def cross_validation_event(
    estimator: Any, what: str, *, folds: int, repeats: int, epsilon: float, delta: float
) -> Event:
    """What a cross-validation is to a ledger."""
    process = _Process.of(estimator, folds, repeats, epsilon, delta, public=False)
    return process.composition.event(what)


@dataclass(frozen=True)
class _Process:
    """How often what is spent."""

    folds: int
    repeats: int
    fit: Pure | Approximate
    test: Pure | Approximate
    public: bool

    @classmethod
    def of(
        cls, estimator: Any, folds: int, repeats: int, epsilon: float | None, delta: float, public: bool
    ) -> _Process:
        measures_of(estimator)
        validate(estimator)
        for name, value, least in (("folds", folds, 2), ("repeats", repeats, 1)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ParameterError(f"{name} must be a whole number of at least {least}.")
        fit = estimator._amount()
        return cls(int(folds), int(repeats), fit, fit if public else required_amount(epsilon, delta), public)

    @property
    def composition(self) -> Composition:
        """Every fit and every evaluation that a single record is in."""
        fits = (self.repeats * (self.folds - 1), self.fit)
        return Composition((fits,) if self.public else (fits, (self.repeats, self.test)))

    def steps(self, training: Sequence[Step], testing: Sequence[Step]) -> tuple[Step, ...]:
        """The steps of all fits and evaluations, equal ones as one."""
        fits = Fraction(self.repeats * (self.folds - 1))
        trained = f"training, {self.folds} folds" + (f", {self.repeats} times" if self.repeats > 1 else "")
        tested = "test folds together" + (f", {self.repeats} times" if self.repeats > 1 else "")
        return (
            *(replace(s, what=f"{trained}: {s.what}", amount=s.amount.share(fits)) for s in training),
            *(
                replace(s, what=f"{tested}: {s.what}", amount=s.amount.share(Fraction(self.repeats)))
                for s in testing
            ),
        )


def _pooled(parts: Sequence[Measured]) -> Measured:
    releases: tuple[Release, ...] = tuple(release for part in parts for release in part.releases)
    return Measured(np.mean([part.value for part in parts], axis=0), releases)
