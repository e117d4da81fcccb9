"""Accuracy first, for scores: the smallest ε with which an accuracy, an AUC or a difference is known to ± x.

It comes from error formulas and from guesses: how many test records there are, how good the model is, and for
an AUC how large the class is. Nothing is read. The error is that of the noise and of the choice of test
records together, so a goal that no ε reaches shows before anything is spent.

* Accuracy a, from a noisy confusion matrix of K classes with deviation σ per cell: right/n moves by
  σ·√(K(1 − a)² + K(K − 1)a²)/n, and by √(a(1 − a)/n) with the records.
* AUC A, from a noisy table of B bins: a cell of the class moves it by its noise times |h − A|/P, h being the
  share of others below; that is at most A/P. In all σ·A·√(B(1/P² + (K − 1)/N²)), which is cautious; with the
  records as Hanley and McNeil (1982) say.
* Difference of two accuracies, from a noisy table of where the two models are right: two cells tell it, so it
  moves by σ·√2/n; and by √(q/n) with the records, q being the share that one of the two alone predicts right.
  Guessed is q = 2a(1 − a), as if the two erred independently; models that err alike differ less.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privet.budget import Approximate, Pure
from privet.curator import Curator
from privet.errors import ParameterError
from privet.evaluation.diagnosis.of_classes import sampling_error
from privet.evaluation.diagnosis.one_model import asked_of, place_of
from privet.evaluation.diagnosis.two_models import comparison_of
from privet.evaluation.holdout import required_amount, settled_bound
from privet.evaluation.measures import Asked, Measures, measures_for
from privet.queries.goal import MOST, smallest_epsilon
from privet.schema import Number, Schema
from privet.stats import NoModel
from privet.worlds import Guess

__all__ = [
    "Known",
    "ScoreGoal",
    "accuracy_known",
    "epsilon_for_accuracy",
    "epsilon_for_auc",
    "epsilon_for_difference",
]

_CONFIDENT = 1.96
#: What a model is taken to reach where nobody guesses: lower makes an AUC less sure, and an accuracy too.
_ASSUMED = 0.75


@dataclass(frozen=True)
class ScoreGoal:
    """The ε that was chosen for a goal, and what that rests on."""

    epsilon: float
    error: float
    figure: str
    rests_on: str

    def why(self) -> str:
        """Why it is this ε."""
        return (
            f"epsilon = {self.epsilon:g} was chosen: the smallest with which the {self.figure} is expected "
            f"to be known to ± {self.error:g}, noise and choice of test records together, in 95 % of cases. "
            f"No record was read to know this; it rests on guesses: {self.rests_on}"
        )


@dataclass(frozen=True)
class Known:
    """How closely an accuracy is expected to be known in 95 % of cases: by the records, and by the noise."""

    chosen: float
    noise: float

    def within(self, share: float, power: float) -> float:
        """The half width where the noise has a share of the budget: it grows with 1/share to a power."""
        return math.hypot(self.chosen, self.noise / share**power)


def accuracy_known(
    schema: Schema,
    amount: Pure | Approximate,
    guess: Guess | None = None,
    measures: Measures = "all",
    records: float | None = None,
) -> Known:
    """How closely an evaluation for this amount is expected to know the accuracy, on so many test records.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> known = accuracy_known(schema, required_amount(0.0352, 0), Guess(records=10_000, attainable=0.8))
    >>> round(known.within(1, 1), 4)
    0.02
    """
    guess = guess or Guess()
    size = guess.size if records is None else records
    classes, right = schema.nominal_target().size, guess.attainable or _ASSUMED
    plan = measures_for(schema).questions(NoModel(), schema, measures, settled_bound(None, public=False))
    cells = math.sqrt(classes * (1 - right) ** 2 + classes * (classes - 1) * right**2)
    return Known(
        _by_choice(right, size),
        _CONFIDENT * _deviation(schema, plan, amount) * cells / size,
    )


def epsilon_for_accuracy(
    schema: Schema, error: float, guess: Guess | None = None, *, delta: float = 0.0
) -> ScoreGoal:
    """The smallest ε with which an evaluation is expected to know the accuracy to ± ``error``.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> epsilon_for_accuracy(schema, 0.02, Guess(records=10_000, attainable=0.8)).epsilon
    0.0352
    >>> try:
    ...     epsilon_for_accuracy(schema, 0.02, Guess(records=1000, attainable=0.8))
    ... except ParameterError as error:
    ...     print(error.message[47:])
    Even without privacy it is known to about ± 0.025 with 1,000 test records: about 540 more would be needed.
    """
    if schema.target is not None and isinstance(schema[schema.target], Number):
        raise ParameterError("A regression has no accuracy to be known.", "Give an epsilon.")
    guess = guess or Guess()
    right = guess.attainable or _ASSUMED
    return _settled(
        "accuracy",
        error,
        guess.size,
        lambda records: _by_choice(right, records),
        lambda epsilon: accuracy_known(schema, required_amount(epsilon, delta), guess).noise,
        f"{guess.size:,} test records, of which {right:.0%} are predicted right.",
    )


def epsilon_for_auc(
    schema: Schema,
    error: float,
    guess: Guess | None = None,
    *,
    positive: Any = None,
    bins: int = 32,
    delta: float = 0.0,
) -> ScoreGoal:
    """The smallest ε with which a diagnosis is expected to know the AUC to ± ``error``; see ``diagnose``.

    What is attainable is guessed as an AUC here.
    """
    plan = asked_of(schema, NoModel(), positive, bins)
    if schema.target is not None and isinstance(schema[schema.target], Number):
        raise ParameterError("A regression has no AUC to be known.", "Give an epsilon.")
    guess = guess or Guess()
    target = schema.nominal_target()
    place, auc = place_of(schema, positive), max(guess.attainable or _ASSUMED, 0.5)
    given = guess.class_shares(target)
    share = given.get(place, (1 - sum(given.values())) / max(target.size - len(given), 1))
    share = min(max(share, 1e-6), 1 - 1e-6)
    one, two = guess.size * share, guess.size * (1 - share)
    cells = auc * math.sqrt(bins * (1 / one**2 + (target.size - 1) / two**2))
    return _settled(
        "AUC",
        error,
        guess.size,
        lambda records: sampling_error(auc, records * share, records * (1 - share)),
        lambda epsilon: _CONFIDENT * _deviation(schema, plan, required_amount(epsilon, delta)) * cells,
        f"{guess.size:,} test records, {share:.1%} of the class '{target.labels[place]}', an AUC of {auc:g}.",
    )


def epsilon_for_difference(
    schema: Schema, error: float, guess: Guess | None = None, *, delta: float = 0.0
) -> ScoreGoal:
    """The smallest ε with which a comparison of two models is expected to know by how much they differ.

    What is attainable is guessed as the accuracy of either.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> epsilon_for_difference(schema, 0.02, Guess(records=10_000, attainable=0.8)).epsilon
    0.0236
    """
    if schema.target is not None and isinstance(schema[schema.target], Number):
        raise ParameterError("Two regressions have no accuracies to differ in.", "Give an epsilon.")
    guess = guess or Guess()
    right = guess.attainable or _ASSUMED
    differ = max(2 * right * (1 - right), 1e-6)
    return _settled(
        "difference in accuracy",
        error,
        guess.size,
        lambda records: _CONFIDENT * math.sqrt(differ / records),
        lambda epsilon: (
            _CONFIDENT
            * math.sqrt(2)
            * _deviation(schema, comparison_of(schema), required_amount(epsilon, delta))
            / guess.size
        ),
        f"{guess.size:,} test records, of which each model predicts {right:.0%} right, and one of the two "
        f"alone {differ:.0%}.",
    )


def _settled(
    figure: str,
    error: float,
    records: int,
    chosen: Callable[[float], float],
    noise: Callable[[float], float],
    rests_on: str,
) -> ScoreGoal:
    """The smallest ε at which noise and the choice of records together stay within the error."""
    if isinstance(error, bool) or not isinstance(error, numbers.Real) or not 0 < float(error) < 1:
        raise ParameterError(f"How far off the {figure} may be must be a number between 0 and 1.")
    goal, alone = float(error), chosen(records)

    def reached(epsilon: float) -> bool:
        return math.hypot(alone, noise(epsilon)) <= goal

    if not reached(MOST):
        if alone >= goal:
            needed = math.ceil((alone / goal) ** 2 * records) - records
            level = f"Even without privacy it is known to about ± {alone:.2g}"
        else:
            # Noise falls with the number of records, and the choice of them with its root.
            needed = math.ceil((math.hypot(alone, noise(MOST)) / goal) ** 2 * records) - records
            best = math.hypot(alone, noise(MOST))
            level = f"Even with an epsilon of {MOST:g} it is known to about ± {best:.2g}"
        raise ParameterError(
            f"No epsilon makes the {figure} known to ± {goal:g}. {level} with {records:,} test records: "
            f"about {_about(needed):,} more would be needed.",
            "Allow a larger error, test on more records, or guess their number if there are more.",
        )
    return ScoreGoal(smallest_epsilon(reached), goal, figure, rests_on)


def _by_choice(right: float, records: float) -> float:
    """How closely so many test records know an accuracy in 95 % of cases, without noise."""
    return _CONFIDENT * math.sqrt(right * (1 - right) / records)


def _about(number: int) -> int:
    """A number of two digits that is no smaller, for people."""
    step = 10 ** max(len(str(max(number, 1))) - 2, 0)
    return math.ceil(max(number, 1) / step) * step


def _deviation(schema: Schema, plan: Asked, amount: Pure | Approximate) -> float:
    """The noise of one count of the first question for this amount."""
    with Curator.rehearsal(schema, amount, inferred=bool(schema.drafted)) as curator:
        return curator.ask_together(plan)[0].standard_deviation
