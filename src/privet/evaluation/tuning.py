"""Choosing an algorithm's settings privately: the best of a random number of trials, at one price.

To fit with several settings and keep the best is not free: each fit, and each score by which they are
compared, looks at the data. ``PrivateSearch`` pays for the whole at once.

**Privacy.** Every unit of privacy is put at random into the training part or the test part
(``curator.folds``). A trial draws one of the settings, fits with it on the training part at ε₁, and counts
its right predictions on the test part with noise, at ε₁ too. A unit is in one of the two parts, so for every
outcome of the draw a trial costs ε₁ (as for cross-validation, tables that differ by one unit are coupled to
differ in one part). The best of a random number of trials then costs 2ε₁ under pure ε, and a little less than
that under (ε, δ) for a few trials (proof: ``mechanisms.random_trials``). The released model is the one of the
best trial; nothing is fitted again.

What needs no search is better not paid for: ``LogisticRegression(method="auto")`` chooses its method and its
steps from what is public.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags

from privet import randomness
from privet.budget import Approximate, ApproximateEvent, Pure, PureEvent, budget
from privet.curator import Curator
from privet.curator.folds import Folds, in_order
from privet.curator.run import Run
from privet.errors import ParameterError
from privet.estimator import LedgerParameter
from privet.estimator.paid_score import PaidScore
from privet.estimator.past import admit_past
from privet.estimator.tables import refuse_weights
from privet.evaluation.figures import Figure, Measured
from privet.evaluation.holdout import evaluation_cost
from privet.evaluation.measures import Scoring, measures_of
from privet.evaluation.regression import RegressionEvaluation
from privet.evaluation.result import Evaluation
from privet.evaluation.search_plan import SearchPlan
from privet.evaluation.settings import Grid, Settings, default_grid, named_settings
from privet.mechanisms.random_trials import RandomTrials
from privet.parameters import Delta, Epsilon, Seed, validate, with_parameters
from privet.release import Guarantee, Release, Step
from privet.schema import Schema
from privet.stats import Predictor

__all__ = ["Grid", "PrivateSearch", "default_grid", "tuning_event"]

_BIASED = (
    "The score is that of the best of several trials, and so tends to be a little too high; score the model "
    "on other records for a fair one."
)


@with_parameters
class PrivateSearch(MetaEstimatorMixin, BaseEstimator):
    """Fits a private model with the settings that turn out best, for ``epsilon`` and ``delta`` in total.

    ``grid`` is scikit-learn's: lists of values by parameter name, or several such; without one, the
    algorithm's own (``default_grid``). Settings that the algorithm refuses, whatever the data, are left out
    (``evaluation.settings``); ``plan`` says which, and all else that can be said before. After ``fit``,
    ``best_estimator_`` is an ordinary fitted model that carries the guarantee of the whole search,
    ``best_parameters_`` says what was chosen and ``best_evaluation_`` how well it did on the part of the
    table (one in ``parts``) that was kept for that; ``left_out_`` lists what was left out and why. How many
    trials there were is secret and so it is not reported; ``trials`` is their mean.

    The total is reserved in the ledger before a record is read, as one spend. The estimator's own epsilon,
    delta, ledger and random_state are not used.

    >>> from privet.learning.classify import NaiveBayes
    >>> generator = np.random.default_rng(0)
    >>> ill = generator.integers(0, 2, 5000)
    >>> fever = 36.5 + 2 * ill + generator.normal(0, 0.8, 5000)
    >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": [0, 1]}, target="ill")
    >>> search = PrivateSearch(NaiveBayes(schema=schema), {"bins": [8, 32]}, epsilon=1.0)
    >>> search.fit(fever[:, None], ill).best_estimator_.guarantee_.epsilon
    1.0
    >>> sorted(search.best_parameters_), search.best_evaluation_.accuracy.value > 0.8
    (['bins'], True)
    """

    estimator: Any = field(kw_only=False)
    grid: Annotated[Any, "What to try: lists of values by parameter name; None for the default."] = field(
        default=None, kw_only=False
    )
    trials: Annotated[
        float | None,
        Ge(1),
        Le(5000),
        "How many trials on average; None for five times the number of settings.",
    ] = None
    parts: Annotated[int, Ge(2), Le(100), "One in this many records is kept for the scores."] = 5
    epsilon: Epsilon = 1.0
    delta: Delta = 0.0
    ledger: LedgerParameter = None
    random_state: Seed = None

    @property
    def schema(self) -> Any:
        """The estimator's."""
        return self.estimator.schema

    def fit(self, X: Any, y: Any = None, **more: Any) -> PrivateSearch:
        """Search on a table: arrays or frames (X, y), or a file or database table that holds the target."""
        refuse_weights(more)
        named = self._named()
        twin = clone(self.estimator).set_params(ledger=None)
        source, schema = twin._table(X, y, ledger=self.ledger)
        inferred = twin._declared() is None
        # What fails for any reason but the data fails here, before it is paid for.
        settings, trials, price = self._planned(named, schema)
        possible = self._rehearsed(settings.tried, price, schema)
        root = randomness.of(self.random_state)
        run = Run(
            schema,
            self._total,
            ledger=self.ledger,
            randomness=root,
            inferred=inferred,
            what=self._what,
            event=tuning_event(self._total, self._what),
        )
        admit_past(run, X)
        best: _Trial | None = None
        with run:
            split = Folds(in_order(source, schema), schema, self.parts, root)
            for noise in root.spawn(trials.draw(root)):
                chosen = settings.tried[int(noise.uniform_indices(1, len(settings.tried))[0])]
                trial = self._trial(chosen, price, split, run, noise)
                if best is None or trial.score > best.score:
                    best = trial
            assert best is not None
            self._promise(run, best.chosen, best.guarantee, possible, trials)
        guarantee = run.guarantee
        self.best_parameters_, self.best_estimator_ = best.chosen, best.model
        self.left_out_ = settings.left_out
        for name in ("columns_", "n_features_in_", "feature_names_in_"):
            if hasattr(twin, name):
                setattr(self.best_estimator_, name, getattr(twin, name))
        self.best_estimator_.guarantee_ = self.guarantee_ = guarantee
        self.best_estimator_.set_params(ledger=self.ledger, random_state=self.random_state)
        measured = Measured.of(best.release)
        self.best_evaluation_: Evaluation | RegressionEvaluation
        self.best_evaluation_ = self._scores.result([measured], schema, guarantee, 1.0)
        if hasattr(self.best_estimator_, "classes_"):
            self.classes_ = self.best_estimator_.classes_
        return self

    def _trial(self, chosen: dict[str, Any], price: Any, split: Folds, run: Run, noise: Any) -> _Trial:
        """One fit with these settings, and its score: each part of the table pays the price once."""
        model = clone(self.estimator).set_params(**chosen, **self._priced(price), random_state=noise)
        model._run(split.outside(0), run.part(price, noise))
        schema = run.schema
        predictor = Predictor(model, tuple(column.name for column in schema.attributes))
        plan = self._scores.questions(predictor, schema, "confusion", 1.0)
        with Curator.within(run.part(price, noise), split.inside(0)) as curator:
            [release] = curator.ask_together(plan)
        # A sum over the same records in every trial.
        score = self._scores.merit(release)
        fitted: Guarantee = model.guarantee_
        scored = curator.guarantee
        guarantee = replace(
            fitted, steps=(*fitted.steps, *scored.steps), caveats=(*fitted.caveats, *scored.caveats)
        )
        return _Trial(score, model, chosen, release, guarantee)

    def rehearse(self) -> Guarantee:
        """What the search would cost, and the steps of a trial; reads no data and spends nothing.

        Every setting is rehearsed, so that none of them fails later. The steps shown are those of the first.
        """
        return self.plan().guarantee

    def plan(self) -> SearchPlan:
        """What would be tried, what would be left out, and what it would cost; reads no data.

        >>> from privet.learning.classify import NaiveBayes
        >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": [0, 1]}, target="ill")
        >>> search = PrivateSearch(NaiveBayes(schema=schema), {"bins": [8, 32]}, epsilon=1.0)
        >>> print(*search.plan().lines()[:2], sep="\\n")
        Settings that may be tried (2):
          bins = 8 | 32
        """
        named, schema = self._named(), self.estimator._declared()
        if schema is None:
            raise ParameterError("A rehearsal reads no data, so it needs a declared schema.")
        settings, trials, price = self._planned(named, schema)
        possible = self._rehearsed(settings.tried, price, schema)
        run = Run(schema, self._total, ledger=self.ledger)
        self._promise(run, settings.tried[0], possible[0], possible, trials)
        return SearchPlan(settings, trials.mean, price, self.parts, run.guarantee)

    def _rehearsed(self, settings: Sequence[dict[str, Any]], price: Any, schema: Schema) -> list[Guarantee]:
        """What a trial of each of the settings would promise; reads no data."""
        scored = evaluation_cost(
            schema, epsilon=float(price.epsilon), delta=float(price.delta), measures="confusion"
        )
        found = (self._rehearsal(chosen, price, schema) for chosen in settings)
        return [replace(each, steps=(*each.steps, *scored.steps)) for each in found]

    def _rehearsal(self, chosen: dict[str, Any], price: Any, schema: Schema) -> Guarantee:
        """What a fit with these settings would promise; reads no data."""
        model = clone(self.estimator).set_params(**chosen, **self._priced(price), random_state=None)
        return model._rehearse_with(schema)

    @property
    def best_figure(self) -> tuple[str, Figure]:
        """How good the best model is, in one figure: its accuracy, or its R²."""
        return self._scores.headline, self._scores.figure(self.best_evaluation_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The best model's predictions."""
        predicted: NDArray[Any] = self.best_estimator_.predict(X)
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The best model's class probabilities."""
        chances: NDArray[np.float64] = self.best_estimator_.predict_proba(X)
        return chances

    @PaidScore
    def score(self, X: Any, y: Any) -> float:
        """The best model's exact accuracy, or R², on these records: for public data only (``evaluate``)."""
        return float(self.best_estimator_.score(X, y))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        return replace(
            tags,
            estimator_type=inner.estimator_type,
            classifier_tags=inner.classifier_tags,
            regressor_tags=inner.regressor_tags,
        )

    @property
    def _scores(self) -> Scoring:
        return measures_of(self.estimator)

    @property
    def _total(self) -> Any:
        return budget(float(self.epsilon), float(self.delta))

    @property
    def _what(self) -> str:
        return f"tune {type(self.estimator).__name__}"

    def _named(self) -> list[dict[str, Any]]:
        """The settings that the grid names, refused or not."""
        validate(self)
        measures_of(self.estimator)
        return named_settings(self.estimator, self.grid)

    def _planned(
        self, named: Sequence[dict[str, Any]], schema: Schema
    ) -> tuple[Settings, RandomTrials, Pure | Approximate]:
        """The settings, how many trials, and what each may cost."""

        def refusal(chosen: dict[str, Any]) -> ParameterError | None:
            # With all of the budget: how much of it a trial gets depends on how many settings are left.
            try:
                self._rehearsal(chosen, self._total, schema)
            except ParameterError as refused:
                return refused
            return None

        settings = Settings.of(type(self.estimator), named, refusal)
        mean = 5 * len(settings.tried) if self.trials is None else float(self.trials)
        trials = RandomTrials.about(mean)
        return settings, trials, trials.affordable(self._total)

    def _priced(self, price: Any) -> dict[str, Any]:
        return {"epsilon": float(price.epsilon), "delta": float(price.delta), "ledger": None}

    def _promise(
        self,
        run: Run,
        chosen: dict[str, Any],
        trial: Guarantee,
        possible: Sequence[Guarantee],
        trials: RandomTrials,
    ) -> None:
        """Write the guarantee of the whole, with the steps of a trial of the chosen settings.

        Any of the settings may have been run, and which were is secret: it carries the caveats of all.
        """
        what = f"the best of a random number of trials (about {trials.mean:.3g}) of {len(possible)} settings"
        score = trial.steps[-1]
        words = ", ".join(f"{name} = {value}" for name, value in chosen.items())
        run.steps.append(Step(what, "random stopping", self._total, score.error, score.unit))
        run.steps += [replace(step, what=f"in a trial with {words}: {step.what}") for step in trial.steps]
        run.carry([*possible, trial])
        run.admit(_BIASED)


@dataclass(frozen=True)
class _Trial:
    score: float
    model: Any
    chosen: dict[str, Any]
    release: Release
    guarantee: Guarantee


def tuning_event(total: Any, what: str) -> PureEvent | ApproximateEvent:
    """What a search is to a ledger: with a δ it is (ε, δ)-private and not zCDP."""
    if isinstance(total, Pure):
        return PureEvent(total.epsilon, what)
    return ApproximateEvent(Fraction(total.epsilon), Fraction(total.delta), what)
