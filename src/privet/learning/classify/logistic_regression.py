"""Differentially private logistic regression, by the method that suits the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.budget import Approximate, Pure, budget, exact
from privet.curator import Curator, Measure, Minimise
from privet.errors import ParameterError
from privet.estimator import PrivateClassifier
from privet.learning.first_look import FirstLook, first_look
from privet.learning.linear.functional import fit_functional
from privet.learning.linear.newton import MOST_STEPS, Solution, fit_newton, steps_for
from privet.learning.linear.perturbed import curvature_share, fit_perturbed
from privet.learning.linear.privgene import choices_for, fit_privgene
from privet.parameters import Records, When, with_parameters
from privet.schema import Category, Schema
from privet.stats import Contingency, Rows
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.logistic_loss import LogisticLoss

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["LogisticRegression"]

# What is assumed where the number of records is not declared. Only how the budget is used depends on it.
ASSUMED_RECORDS = 10_000
# Records times ε, for each attribute, below which whatever is learned is noise.
NEEDED = 10
# The tilted objective is chosen where the scale of its noise is at most this part of the records (tried on
# ten real tables and four generated ones: where attributes go together closely, Newton steps lose five points
# of accuracy and more, and where they do not, they gain one or two), or where most attributes are numbers,
# whose sums in each class are a poor start for Newton's steps (better on six of eight such tables, by up to
# 15 points); and where records times squared weights, the work of a step, stays below a minute or so.
CLEAR = 0.01
MOST_WORK = 1e11
# With a delta, private choices are better than noisy gradients where the budget pays for so many (tried on
# the same tables); they keep the coded records, which should fit in some hundred megabytes.
ENOUGH_CHOICES = 200
MOST_KEPT = 5e7
# Pure ε is (ε, δ) too. From this ε on the tilted objective, which is for pure ε, is as good as all that a
# δ buys, and on mushroom better by 7 points; below it, with categories, a δ gains (docs/decisions/0014).
PURE_FROM = 0.5


@with_parameters
class LogisticRegression(PrivateClassifier):
    """Differentially private logistic regression for mixed tables and any number of classes.

    The raw table is encoded by the schema (``stats.linear.encoding``). The whole fit is (ε, δ)-differentially
    private for the schema's unit of privacy, under either neighbour relation; with δ = 0 it is pure ε.
    ``method`` is

    * ``"newton"``: a few Newton steps on noisy gradients (``learning.linear.newton``);
    * ``"objective"``: the exact minimum of a randomly tilted loss (``learning.linear.perturbed``): no error
      bars;
    * ``"output"``: the exact minimum of the loss, with noise on the weights: the simple baseline;
    * ``"functional"``: noisy second moments and one linear solve (``learning.linear.functional``): one pass;
    * ``"privgene"``: many private choices of which weight to move (``learning.linear.privgene``): no error
      bars;
    * ``"auto"``: where the number of records, declared or else estimated, makes their noise small,
      ``"objective"`` under pure ε (for tables of numbers also where it does not) and ``"privgene"`` with a δ,
      else ``"newton"`` with as many steps as the budget carries; ``explanation_`` says why. A δ is taken only
      where it helps: not from ε = 0.5 on, and not where most attributes are numbers.

    ``numbers="bins"`` gives every bin of a number a weight of its own. A record is in one bin, so a weight
    gets no more noise, but there are more of them; ``docs/concepts/regression.md`` says where it helps.

    More than two classes are learned jointly (softmax): a record's residuals over all classes have an L1
    norm of at most 2 together, so classes cost a factor of 2 and not one for each.

    ``coef_error_`` and ``intercept_error_`` are error bars for the privacy noise, or None: in at least 95 %
    of cases the weights that the same method would find without noise are no further away. They are not for
    what a method does besides: ``"newton"`` and ``"functional"`` stop early, and ``"output"`` regularises, so
    that strong weights come out too close to 0, often by more than the bar.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> age = generator.uniform(0, 100, 5000)
    >>> ill = (age + generator.normal(0, 10, 5000) > 50).astype(int)
    >>> schema = Schema.of({"age": (0.0, 100.0), "ill": [0, 1]}, target="ill")
    >>> model = LogisticRegression(epsilon=1.0, schema=schema).fit(age[:, None], ill)
    >>> model.predict([[20.0], [80.0]])
    array([0, 1])
    >>> model.guarantee_.epsilon, model.method_
    (1.0, 'objective')
    """

    #: What ``privet fit logistic-regression --tune`` tries. More methods were tried and gained nothing that
    #: could be measured (docs/how-to/tune-a-model.md).
    tuning_grid: ClassVar[list[dict[str, list[Any]]]] = [
        {"method": ["newton"], "steps": [0, 2, 8]},
        {"method": ["objective"], "regularisation": [1.0, 300.0, 3000.0]},
        {"numbers": ["bins"]},
    ]

    method: Annotated[
        Literal["auto", "newton", "objective", "output", "functional", "privgene"],
        "Noisy gradients, a tilted objective, noise on the optimum, noisy second moments, private moves;"
        " auto picks by what is public.",
    ] = "auto"
    steps: Annotated[
        int | None,
        Ge(0),
        Le(100_000),
        "Newton or PrivGene steps; None chooses by the budget and the declared records.",
    ] = None
    records: Records = None
    estimate_records: Annotated[
        bool, "Where records is not declared, spend a small share (at most a tenth) on an estimate of it."
    ] = True
    regularisation: Annotated[float, Ge(0), Le(1e9), "Strength of the L2 penalty on the weights."] = 1.0
    numbers: Annotated[
        Literal["scaled", "bins"],
        "A number as one coordinate between −1 and 1, or cut into bins with a weight each, for what is no"
        " straight line.",
    ] = "scaled"
    bins: Annotated[
        int,
        Ge(2),
        Le(1000),
        When("numbers", "bins"),
        "Into how many bins a number is cut, unless its cuts are declared.",
    ] = 8

    def _amount(self) -> Pure | Approximate:
        """Pure ε where ``auto`` does better with it: from ``PURE_FROM`` on, or where most are numbers."""
        schema = self._declared()
        if self.method != "auto" or self.steps is not None or schema is None:
            return super()._amount()
        if self.epsilon >= PURE_FROM or self._mostly_numbers(self._encoding(schema)):
            return budget(float(self.epsilon))
        return super()._amount()

    def _encoding(self, schema: Schema) -> Encoding:
        """How records become vectors: from the parameters and the schema."""
        return Encoding.of(schema, self.bins if self.numbers == "bins" else 0)

    @staticmethod
    def _mostly_numbers(encoding: Encoding) -> bool:
        """Whether most attributes are numbers that are not cut into bins."""
        return sum(not block.nominal for block in encoding.blocks) > len(encoding.blocks) / 2

    def _fit(self, curator: Curator) -> None:
        target = curator.schema.nominal_target()
        encoding = self._encoding(curator.schema)
        solution = self._solution(curator, encoding, target)
        self.classes_ = np.array(target.labels)
        self.feature_names_ = encoding.names[1:]
        self.coef_, self.intercept_ = solution.weights[:, 1:], solution.weights[:, 0]
        error = solution.error
        self.coef_error_ = None if error is None else error[:, 1:]
        self.intercept_error_ = None if error is None else error[:, 0]

    def _solution(self, curator: Curator, encoding: Encoding, target: Category) -> Solution:
        if target.size == 1:
            self.method_, self.explanation_ = (
                "none",
                "The class has one value: there is nothing to tell apart.",
            )
            what = "the number of records, which is all there is to know about one class"
            curator.ask(Measure(Contingency(None, target.name), what), curator.left)
            nothing = np.zeros((1, encoding.width))
            return Solution(nothing, nothing)
        self._require_settings()
        look = first_look(curator, target, NEEDED * len(encoding.blocks)) if self._estimates else None
        if look is not None and not look.enough:
            self.method_, self.explanation_ = "none", look.explanation
            return _constant(look.shares, encoding)
        records, origin = self._records(curator, look)
        self.method_, reason = self._choice(curator, encoding, target, records, origin)
        if self.method_ == "functional":
            self.explanation_ = f"Noisy second moments and one linear solve, {reason}."
            return fit_functional(curator, encoding, target, self.regularisation)
        if self.method_ == "privgene":
            moves = choices_for(curator, records) if self.steps is None else self.steps
            self.explanation_ = f"{_counted(moves, 'private choice')} of a weight to move, {reason}."
            return fit_privgene(curator, encoding, target, moves, self.regularisation)
        if self.method_ == "newton":
            steps = steps_for(curator, encoding, target, records) if self.steps is None else self.steps
            so_many = self._of_steps(steps, records, origin)
            self.explanation_ = f"{so_many}." if so_many.endswith(reason) else f"{so_many}; {reason}."
            return fit_newton(curator, encoding, target, steps, self.regularisation)
        how: Literal["objective", "output"] = "output" if self.method_ == "output" else "objective"
        solution, used = fit_perturbed(curator, encoding, target, how, self.regularisation, records)
        minimum = "minimum of a tilted loss" if how == "objective" else "minimum of the loss, with noise"
        raised = ", which the budget needs" if float(used) > self.regularisation else ""
        self.explanation_ = f"The {minimum}, with a regularisation of {float(used):.3g}{raised}; {reason}."
        return solution

    def _require_settings(self) -> None:
        """Refuse settings that do not go together."""
        if self.steps is not None and self.method in ("objective", "output", "functional"):
            raise ParameterError(
                f"LogisticRegression: method='{self.method}' has no steps.",
                "Leave steps out, or take method='newton' or 'privgene'.",
            )
        if self.steps == 0 and self.method == "privgene":
            raise ParameterError(
                "LogisticRegression: without steps, method='privgene' would choose nothing.",
                "Give steps=1 or more, or leave steps out.",
            )
        if self.numbers == "bins" and self.method == "functional":
            raise ParameterError(
                "LogisticRegression: method='functional' is for scaled numbers.",
                "Leave numbers='bins' out, or take method='auto', 'newton' or 'objective'.",
            )

    def _records(self, curator: Curator, look: FirstLook | None) -> tuple[int, str]:
        """About how many records there are, and who says so."""
        if self.records is not None:
            curator.assume("about how many records there are", "declared")
            return self.records, "as declared"
        if look is None:
            return ASSUMED_RECORDS, "assumed, as `records` is not declared"
        return max(round(float(look.counts.sum())), 1), "estimated privately"

    @property
    def _estimates(self) -> bool:
        """Whether the number of records is estimated: only where something depends on it."""
        wanted = self.estimate_records and self.records is None and self.steps is None
        return wanted and self.method in ("auto", "newton", "privgene")

    def pictures(self) -> tuple[Chart, ...]:
        """The largest weights, with their intervals."""
        from privet.report.weights import pictures_of

        return pictures_of(self)

    def _foreseen(self) -> str:
        if not self._estimates or self.method_ == "none":
            return super()._foreseen()
        first = "The number of records is estimated first, with a small share of the budget."
        steps = {"privgene": "private choices", "newton": "noisy gradients"}
        if self.method != "auto":
            return f"{first} By it, as many {steps[self.method]} are taken as this budget carries."
        small = "where the noise is small beside so many records"
        clear = (
            f"many private choices (privgene) {small}"
            if self._amount().delta
            else f"a tilted objective {small} or most attributes are numbers"
        )
        return (
            f"{first} By it the method is chosen: {clear}, else Newton steps, as many as this budget carries."
        )

    def _choice(
        self, curator: Curator, encoding: Encoding, target: Category, records: int, origin: str
    ) -> tuple[str, str]:
        """The method, and why: from the schema, the budget and the number of records."""
        if self.method != "auto":
            return self.method, "as asked for"
        if self.steps is not None:
            return "newton", "chosen because steps are asked for"
        if origin.startswith("assumed"):
            return "newton", "chosen because it does well with few records and with many"
        if curator.amount.delta:
            kept = records * len(encoding.blocks) <= MOST_KEPT and target.size == 2
            if kept and choices_for(curator, records) >= ENOUGH_CHOICES:
                return "privgene", (
                    "chosen because with a delta many choices cost little, and there are about "
                    f"{records} records ({origin})"
                )
            return "newton", "chosen because with a delta it does best on most tables, if choices are few"
        loss = LogisticLoss(target.name, encoding, target.size)
        clear = float(loss.slope_norms(curator.schema)[0] / curator.amount.epsilon) <= CLEAR * records
        numbers = self._mostly_numbers(encoding)
        if not clear and not numbers:
            return "newton", "chosen because at this budget the noise on a tilted objective would be large"
        if records * float(loss.shape[0] * loss.shape[1]) ** 2 > MOST_WORK:
            return "newton", "chosen because the exact minimum of a problem of this size takes too long"
        part = curvature_share(curator, loss, records)
        question = Minimise(loss, "objective", exact(self.regularisation), "", part)
        if not question.feasible(curator.currency.share(curator.left), curator.schema, records):
            return "newton", "chosen because the minimum over so many records cannot be found exactly enough"
        if clear:
            return "objective", f"chosen because its noise is small beside about {records} records ({origin})"
        return "objective", "chosen because most attributes are numbers, of which it makes the most"

    def _of_steps(self, steps: int, records: int, origin: str) -> str:
        if self.steps is not None:
            return f"Class sums and {_counted(steps, 'noisy gradient')}, as asked for"
        if not steps:
            return (
                f"Class sums alone: with about {records} records ({origin}) a gradient would be too "
                "noisy at this budget for a step to help"
            )
        limit = "the most that ever help" if steps == MOST_STEPS else "as many as this budget carries"
        gradients = _counted(steps, "noisy gradient")
        return f"Class sums and {gradients}, {limit} with about {records} records ({origin})"

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The margin of the second class of two, or of each of more classes."""
        parts = list(self._all_scores(X))
        scores = np.concatenate(parts) if parts else np.empty((0, len(self.classes_)))
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        weights = np.hstack([self.intercept_[:, None], self.coef_])
        margins = self._encoding(rows.schema).margins(rows, weights)
        if len(self.classes_) == 2:
            margins = np.hstack([np.zeros_like(margins), margins])
        return margins


def _constant(shares: NDArray[np.float64], encoding: Encoding) -> Solution:
    """Weights by which every record is of the classes in these shares."""
    log = np.log(shares)
    weights = np.zeros((1 if len(log) == 2 else len(log), encoding.width))
    weights[:, 0] = log[1:] - log[:1] if len(log) == 2 else log
    return Solution(weights, None)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
