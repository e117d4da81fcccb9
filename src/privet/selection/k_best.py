"""The k attributes that say most about the class, chosen privately: a filter for any table.

One contingency table of each attribute and the class is counted (a number is put into public bins), scored
inside the curator, and only the choice and noisy values of what was chosen come out. Half the budget
chooses, half is for the values; without values the choice has all of it.

**Privacy.** The choice is ``mechanisms.top_k``, by a score whose sensitivity is proved beside it; the
values of the k chosen attributes are k measurements of one score's sensitivity. The two compose
sequentially to (ε, δ). With k = 0 a third of the budget goes to a private count before
(``significant_count``), and what is left in halves to the choice of as many and to their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, Lt
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from privet.curator import ClassSizes, CountSignificant, Curator, TopK
from privet.errors import ParameterError, SchemaError
from privet.estimator import PrivateSelector
from privet.parameters import Bins, with_parameters
from privet.schema import Schema
from privet.schema.bins import public_cuts
from privet.selection.odds_ratio import OddsRatioEstimate, odds_ratio
from privet.stats import Contingency
from privet.stats.association import (
    Allelic,
    Association,
    Attributes,
    Chi2,
    Distance,
    Majority,
    MutualInformation,
    OddsRatio,
    PValue,
    Trend,
)
from privet.stats.association.base import require_groups

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["SelectKBest"]

COUNTING = Fraction(1, 3)


@with_parameters
class SelectKBest(PrivateSelector):
    """Chooses k attributes with differential privacy, and releases noisy values of them.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy. ``majority`` works for
    every unit. The other scores need ``replace`` for single records, because their noise depends on how many
    there are; the tests of association also need a public class (``public_class=True``), and protect records
    within their class.

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

    k: Annotated[
        int, Ge(0), "How many attributes; 0 for as many as pass tau, which is counted privately."
    ] = 1
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
    ] = "majority"
    mechanism: Annotated[
        Literal["permute_and_flip", "exponential", "laplace", "gaussian"],
        "How the choice is made private.",
    ] = "permute_and_flip"
    tau: Annotated[
        float, Gt(0), Lt(1), "The p-value that counts as significant, for distance and odds_ratio."
    ] = 0.05
    values: Annotated[bool, "Whether half the budget is for noisy values of the chosen attributes."] = True
    public_class: Annotated[
        bool,
        "Say that who is in which class is public; only then records are protected within their class.",
    ] = False
    bins: Bins = 8

    def fit(self, X: Any, y: Any = None, **more: Any) -> SelectKBest:
        """Choose from a table: arrays or frames (X, y), or a file or database table that holds the target."""
        if self.mechanism == "none":
            raise ParameterError(
                "SelectKBest is for private tables, and always adds noise.",
                "For a table that is public, take scikit-learn's own: sklearn.feature_selection.SelectKBest.",
            )
        super().fit(X, y, **more)
        return self

    @classmethod
    def _from_earlier(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Without scores of one's own, and without the choice that added no noise."""
        gone = {"custom": None, "mechanism": "none"}
        return {name: value for name, value in parameters.items() if gone.get(name, ...) != value}

    def _prepare(self, curator: Curator) -> None:
        schema, score = curator.schema, self._scorer()
        self._refuse(schema)
        if score.needs == "class":  # public, so an empty class is refused before it is paid for
            target = schema.nominal_target().name
            self._sizes(curator.ask(ClassSizes(target, f"score {score.what}")).value, schema)

    def _fit(self, curator: Curator) -> None:
        schema, score = curator.schema, self._scorer()
        candidates = Attributes(tuple(self.tables(schema)))
        number = len(candidates.tables)
        k = self.k
        if not k:
            assert isinstance(score, Distance)
            what = f"how many of {number} attributes have p < {self.tau:g}"
            k = curator.ask(CountSignificant(score, candidates, number, what), COUNTING).value
            if not k:
                self._keep(schema, np.empty(0, np.int64))
                self._tell(np.empty((0, 0)), 0.0, 0.0)
                return
        what = f"the {k} best of {number} attributes by {score.what}"
        best = curator.ask(TopK(score, candidates, k, what, self.mechanism, self.values), curator.left)
        self._keep(schema, best.chosen)
        if (release := best.values) is not None:
            self._tell(release.value, release.standard_deviation, release.error)

    def _scorer(self) -> Association:
        if self.criterion == "distance":
            return Distance("genotypic", self.tau)
        if self.criterion == "odds_ratio":
            return OddsRatio(tau=self.tau)
        scores: dict[str, type[Association]] = {
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
        score.suits(schema, self.public_class)
        if score.ordered and schema.missing != "error":
            raise SchemaError(
                f"The score {score.what} counts alleles, and a missing value has no place among them.",
                'Complete the table, and set  missing = "error"  in the schema; or read genotypes as such.',
            )
        heights = Attributes(tuple(self.tables(schema))).heights(schema)
        for column, height in zip(schema.attributes, heights, strict=True):
            if reason := score.incompatible(target.size, height):
                raise SchemaError(f"Column '{column.name}': {reason}", "Leave it out, or use another score.")

    def tables(self, schema: Schema) -> list[Contingency]:
        """The tables that the scores are made of."""
        target = schema.nominal_target()
        return [Contingency(c.name, target.name, public_cuts(c, self.bins)) for c in schema.attributes]

    def _sizes(self, sizes: NDArray[np.int64], schema: Schema) -> None:
        """The sizes of the classes, which the score takes to be public; all 0 in a rehearsal."""
        self.class_sizes_ = [int(size) for size in sizes]
        if any(self.class_sizes_):
            known = require_groups(self.class_sizes_)
            for height in set(Attributes(tuple(self.tables(schema))).heights(schema)):
                self._scorer().feasible(known, height)

    def _tell(self, values: Any, deviation: float, error: float) -> None:
        """Keep the released values; everything here is post-processing."""
        self.values_ = np.asarray(values, np.float64)
        self.values_error_ = float(error)
        self.values_deviation_ = float(deviation)

    def pictures(self) -> tuple[Chart, ...]:
        """The released values of the chosen attributes, if there are any."""
        from privet.report.charts import Bars, Series, numbers

        values = np.asarray(getattr(self, "values_", np.empty((0, 0))))
        if not values.size:
            return ()
        heads = [self._scorer().what] if values.shape[1] == 1 else map(str, range(1, values.shape[1] + 1))
        off = (self.values_error_,) * len(values)
        series = tuple(
            Series(head, numbers(column), off) for head, column in zip(heads, values.T, strict=True)
        )
        note = "The chosen attributes, the best first. Bars are for the privacy noise (95 %)."
        return (Bars("Scores of the chosen attributes", tuple(self.chosen_), series, x="score", note=note),)

    @property
    def odds_ratios_(self) -> list[OddsRatioEstimate]:
        """For the score odds_ratio: odds of the later value (allele) in the second class over the first."""
        check_is_fitted(self)
        if not isinstance(self._scorer(), OddsRatio):
            raise AttributeError("Only the score odds_ratio gives odds ratios.")
        names = [column.name for column in self.schema_.attributes]
        heights = Attributes(tuple(self.tables(self.schema_))).heights(self.schema_)
        copies = [heights[names.index(name)] - 1 for name in self.chosen_]
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
