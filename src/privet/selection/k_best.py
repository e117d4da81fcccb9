"""The k attributes that tell most about the class, chosen privately: a filter for any table.

One contingency table of each attribute and the class is counted (a number is put into public bins), scored
inside the curator, and only the choice and noisy values of what was chosen come out. Half the budget
chooses, half is for the values; without values the choice has all of it.

**Privacy.** The choice is ``mechanisms.top_k``, by a score whose sensitivity is proved beside it; the
values of the k chosen attributes are k measurements of one score's sensitivity. The two compose
sequentially to (ε, δ). With k = 0 a third of the budget goes to a private count before
(``significant_count``), and what is left in halves to the choice of as many and to their values.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from privet.budget import Ledger, budget
from privet.curator import Curator, promise, public_answers
from privet.errors import ParameterError, SchemaError
from privet.estimator import LedgerParameter, SchemaParameter
from privet.parameters import Delta, Epsilon, Seed
from privet.schema import Category, Column, Number, Schema
from privet.selection.odds_ratio import OddsRatioEstimate, odds_ratio
from privet.selection.selector import PrivateSelector
from privet.stats import Answer, Contingency, Judgement
from privet.stats.association import (
    Allelic,
    Chi2,
    Distance,
    Majority,
    MutualInformation,
    OddsRatio,
    PValue,
    Score,
    Tables,
    Trend,
)
from privet.stats.association.base import require_groups
from privet.stats.association.significant_count import count_scores

__all__ = ["SelectKBest"]

HALF = Fraction(1, 2)
COUNTING = Fraction(1, 3)
REHEARSED = 1000  # so far behind in a rehearsal's scores that no noise makes up for it


class SelectKBest(PrivateSelector):
    """Chooses k attributes with differential privacy, and releases noisy values of them.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy. ``majority`` works for
    both neighbour relations; ``mutual_information`` needs ``replace``; the tests of association need
    ``replace`` and a public class (``public_class=True``), and protect records within their class.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> draw = np.random.default_rng(0)
    >>> ill = draw.integers(0, 2, 2000)
    >>> columns = {"noise": draw.integers(0, 3, 2000), "cough": (ill + (draw.random(2000) < 0.2)) % 2}
    >>> schema = Schema.of({"noise": [0, 1, 2], "cough": [0, 1], "ill": [0, 1]}, target="ill")
    >>> X = np.column_stack(list(columns.values()))
    >>> selector = SelectKBest(k=1, epsilon=1.0, schema=schema).fit(X, ill)
    >>> selector.chosen_, selector.get_support().tolist()
    (['cough'], [False, True])
    >>> selector.transform(X).shape
    (2000, 1)
    """

    def __init__(
        self,
        *,
        k: Annotated[
            int, Ge(0), "How many attributes; 0 for as many as pass tau, which is counted privately."
        ] = 1,
        criterion: Annotated[
            Literal[
                "majority",
                "mutual_information",
                "chi2",
                "p_value",
                "distance",
                "odds_ratio",
                "allelic",
                "trend",
            ],
            "What makes an attribute good.",
        ] = "majority",
        mechanism: Annotated[
            Literal["permute_and_flip", "exponential", "laplace", "gaussian", "none"],
            "How the choice is made private; none is for public data only.",
        ] = "permute_and_flip",
        epsilon: Epsilon = 1.0,
        delta: Delta = 0.0,
        schema: SchemaParameter = None,
        tau: Annotated[
            float, Gt(0), Lt(1), "The p-value that counts as significant, for distance and odds_ratio."
        ] = 0.05,
        values: Annotated[
            bool, "Whether half the budget is for noisy values of the chosen attributes."
        ] = True,
        public_class: Annotated[
            bool,
            "Say that who is in which class is public; only then records are protected within their class.",
        ] = False,
        bins: Annotated[
            int, Ge(2), Le(1000), "How many equal bins a number gets where the schema declares no cuts."
        ] = 8,
        custom: Annotated[Any, "A Score of your own, with its sensitivity; replaces criterion."] = None,
        ledger: LedgerParameter = None,
        random_state: Seed = None,
    ) -> None:
        self.k = k
        self.criterion = criterion
        self.mechanism = mechanism
        self.epsilon = epsilon
        self.delta = delta
        self.schema = schema
        self.tau = tau
        self.values = values
        self.public_class = public_class
        self.bins = bins
        self.custom = custom
        self.ledger = ledger
        self.random_state = random_state

    def _run(self, source: Any, schema: Schema, ledger: Ledger | None) -> None:
        self._refuse(schema)  # before anything is paid for or read
        if self.mechanism == "none":
            self._run_public(source, schema, ledger)
            return
        if self._scorer().needs == "class":  # public, so an empty class is refused before it is paid for
            [sizes] = public_answers(source, schema, [Contingency(None, schema.nominal_target().name)])
            self._sizes(sizes[0], schema)
        super()._run(source, schema, ledger)

    def _fit(self, curator: Curator) -> None:
        schema, score = curator.schema, self._scorer()
        plan = self.plan(schema)
        if score.needs == "class":
            curator.assume("the class of every record, and so how many each class has", f"score {score.what}")
            curator.admit(
                "That a record is of one class and not of another: records are protected within it."
            )
        elif score.needs == "replace":
            curator.assume("that every record has a class", f"score {score.what}")
        k, left = self.k, Fraction(1)
        if not k:
            k, left = self._count(curator, plan), 1 - COUNTING
            if not k:
                self._keep(schema, np.empty(0, np.int64))
                self._tell(schema, np.empty((0, 0)), 0.0, 0.0)
                return
        chosen, release = curator.select(
            plan,
            lambda answers: self._judge(answers, schema)[0],
            k=k,
            how=self.mechanism,  # type: ignore[arg-type]  # "none" does not come here
            share=left * HALF if self.values else left,
            values_share=left * HALF if self.values else None,
            what=f"the {k} best of {len(plan)} attributes by {score.what}",
        )
        self._keep(schema, self._order(schema)[chosen])
        if release is not None:
            self._tell(schema, release.value, release.standard_deviation, release.error)

    def _count(self, curator: Curator, plan: list[Contingency]) -> int:
        """How many attributes pass τ, privately."""
        schema = curator.schema

        def judge(answers: list[Answer]) -> Judgement:
            if not any(int(answer.sum()) for answer in answers):  # a rehearsal tells of one attribute
                return Judgement(-np.abs(np.arange(len(plan) + 1) - 1) * REHEARSED, schema.unit.most)
            distances = self._judge(answers, schema)[0].scores
            return Judgement(count_scores(distances, len(plan)), schema.unit.most, unit="records to change")

        [count], _ = curator.select(
            plan,
            judge,
            k=1,
            how="permute_and_flip",
            share=COUNTING,
            what=f"how many of {len(plan)} attributes have p < {self.tau:g}",
        )
        return int(count)

    def _run_public(self, source: Any, schema: Schema, ledger: Ledger | None) -> None:
        if ledger is not None:
            raise ParameterError(
                'mechanism="none" is for public data, which no ledger counts.', "Leave the ledger out."
            )
        answers = public_answers(source, schema, self.plan(schema))
        judged, order = self._judge(answers, schema)
        k = self.k or int((judged.scores >= 1).sum())  # a distance of 1 and more is significant
        best = np.argsort(-judged.scores, kind="stable")[:k]
        self._keep(schema, order[best])
        self._tell(schema, judged.values[best] / judged.scale, 0.0, 0.0)
        self.schema_ = schema
        voided = 'Nothing was protected: mechanism="none" says that this table is public.'
        promised = promise(schema, budget(float(self.epsilon), float(self.delta)), [])
        self.guarantee_ = replace(promised, voided=(voided,))

    def _scorer(self) -> Score:
        if self.custom is not None:
            if not isinstance(self.custom, Score):
                raise ParameterError(
                    "custom must be a Score.", "Derive it from privet.stats.association.Score."
                )
            return self.custom
        if self.criterion == "distance":
            return Distance("genotypic", self.tau)
        if self.criterion == "odds_ratio":
            return OddsRatio(tau=self.tau)
        scores: dict[str, type[Score]] = {
            "majority": Majority,
            "mutual_information": MutualInformation,
            "chi2": Chi2,
            "p_value": PValue,
            "allelic": Allelic,
            "trend": Trend,
        }
        return scores[self.criterion]()

    def _refuse(self, schema: Schema) -> None:
        """Every refusal that needs no data."""
        target, score = schema.nominal_target(), self._scorer()
        if not self.k and not isinstance(score, Distance):
            raise ParameterError(
                f"k = 0 counts the attributes that pass tau; the score {score.what} has no such threshold.",
                "Use the score distance or odds_ratio, or give k.",
            )
        if self.k > len(schema.attributes):
            raise ParameterError(
                f"k = {self.k}, and the schema has {len(schema.attributes)} attributes.", "Give a smaller k."
            )
        if self.mechanism == "gaussian" and not self.delta:
            raise ParameterError("The Gaussian form needs a delta above 0.", "Give delta=1e-6, say.")
        if self.mechanism != "none":
            score.suits(schema.unit, self.public_class)
        if score.ordered and schema.missing != "error":
            raise SchemaError(
                f"The score {score.what} counts alleles, and a missing value has no place among them.",
                'Complete the table, and set  missing = "error"  in the schema; or read genotypes as such.',
            )
        for column in schema.attributes:
            if reason := score.incompatible(target.size, self._height(column, schema)):
                raise SchemaError(f"Column '{column.name}': {reason}", "Leave it out, or use another score.")

    def _cuts(self, column: Column) -> tuple[float, ...]:
        if not isinstance(column, Number):
            return ()
        return column.cuts or tuple(np.linspace(column.low, column.high, self.bins + 1)[1:-1].tolist())

    def _height(self, column: Column, schema: Schema) -> int:
        size = column.size if isinstance(column, Category) else len(self._cuts(column)) + 1
        return size + (schema.missing == "skip")

    def plan(self, schema: Schema) -> list[Contingency]:
        """The tables that the scores are made of."""
        target = schema.nominal_target()
        return [Contingency(column.name, target.name, self._cuts(column)) for column in schema.attributes]

    def _order(self, schema: Schema) -> NDArray[np.int64]:
        """Attributes in the order of the groups of equal shape that the score sees."""
        heights = np.array([self._height(column, schema) for column in schema.attributes])
        return np.argsort(heights, kind="stable")

    def groups(self, answers: list[Answer], schema: Schema) -> list[Tables]:
        """The tables as scores see them: classes × values, stacked with others of the same shape."""
        heights = [self._height(column, schema) for column in schema.attributes]
        stacks: dict[int, list[Any]] = {}
        for place in self._order(schema):
            # A missing value is a value like others; where the schema rules it out, its row is empty.
            stacks.setdefault(heights[place], []).append(answers[place].T[:, : heights[place]])
        return [np.stack(stack) for stack in stacks.values()]

    def _judge(self, answers: list[Answer], schema: Schema) -> tuple[Judgement, NDArray[np.int64]]:
        judged = self._scorer().judge(self.groups(answers, schema), schema.unit)
        return judged, self._order(schema)

    def _sizes(self, sizes: NDArray[Any], schema: Schema) -> None:
        """The sizes of the classes, which the score takes to be public; all 0 in a rehearsal."""
        self.class_sizes_ = [int(size) for size in sizes]
        if any(self.class_sizes_):
            known = require_groups(self.class_sizes_)
            for height in {self._height(column, schema) for column in schema.attributes}:
                self._scorer().feasible(known, height)

    def _tell(self, schema: Schema, values: Any, deviation: float, error: float) -> None:
        """Keep the released values; everything here is post-processing."""
        self.values_ = np.asarray(values, np.float64)
        self.values_error_ = float(error)
        self.values_deviation_ = float(deviation)

    @property
    def odds_ratios_(self) -> list[OddsRatioEstimate]:
        """For the score odds_ratio: odds of the later value (allele) in the second class over the first."""
        check_is_fitted(self)
        if not isinstance(self._scorer(), OddsRatio):
            raise AttributeError("Only the score odds_ratio gives odds ratios.")
        copies = [self._height(self.schema_[name], self.schema_) - 1 for name in self.chosen_]
        return [
            odds_ratio(
                second,
                first,
                copy * self.class_sizes_[1],
                copy * self.class_sizes_[0],
                self.values_deviation_,
            )
            for (first, second), copy in zip(self.values_, copies, strict=True)
        ]
