"""The table of contents of the product: one line per algorithm.

From a line here follow the algorithm's command, its options, its reference page and the common checks. Only
names are held, so that listing the algorithms imports none of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from privet.errors import ParameterError
from privet.families import FAMILIES, Family, at
from privet.parameters import json_schema

__all__ = [
    "ALGORITHMS",
    "FAMILIES",
    "Algorithm",
    "Family",
    "algorithm",
    "algorithms_with",
    "audited_algorithms",
    "name_of",
]


@dataclass(frozen=True)
class Algorithm:
    """One algorithm: its name on every face of Privet, its home, and a line that says what it does.

    ``family`` says what it is for: one of ``FAMILIES``. ``command`` is its name after a command that says a
    part of it already; "" if that is its name, too. ``for_numbers`` names the algorithm that it means where
    the target is a number; "" if it means itself, whatever the target is.
    """

    name: str
    family: str
    home: str
    line: str
    command: str = ""
    for_numbers: str = ""

    @property
    def title(self) -> str:
        """Its name for a heading: that of its class, in words.

        >>> algorithm("naive-bayes").title
        'Naive Bayes'
        """
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", self.home.partition(":")[2])

    @property
    def word(self) -> str:
        """Its name on the command line."""
        return self.command or self.name

    def load(self) -> type[Any]:
        """The algorithm's class."""
        loaded: type[Any] = at(self.home)
        return loaded

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that take it by its name."""
        return FAMILIES[self.family].commands

    def checks(self) -> tuple[Any, ...]:
        """The common checks of its family."""
        found: tuple[Any, ...] = at(FAMILIES[self.family].checks)
        return found

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the algorithm's parameters.

        >>> algorithm("naive-bayes").json_schema()["properties"]["bins"]["minimum"]
        2
        """
        return json_schema(self.load(), title=self.name, description=self.line)


ALGORITHMS: tuple[Algorithm, ...] = (
    Algorithm("auto", "classify", "privet.learning.classify.auto:AutoClassifier", "The classifier that suits the schema, the budget and the declared number of records; the choice costs nothing.", for_numbers="auto-regressor"),
    Algorithm("additive-model", "classify", "privet.learning.classify.additive_model:AdditiveModel", "Adds up a curve for each attribute, and for pairs that are chosen privately; any number of classes."),
    Algorithm("decision-tree", "classify", "privet.learning.classify.decision_tree:DecisionTree", "A decision tree: each level is a private choice, and branches that noise would rule are pruned."),
    Algorithm("logistic-regression", "classify", "privet.learning.classify.logistic_regression:LogisticRegression", "Logistic regression: weighs the attributes, by the private method that suits the table; any number of classes."),
    Algorithm("naive-bayes", "classify", "privet.learning.classify.naive_bayes:NaiveBayes", "Naive Bayes: counts each attribute within each class, with noise; numbers and categories, any number of classes."),
    Algorithm("one-r", "classify", "privet.learning.classify.one_r:OneR", "One rule for each value of the one attribute that predicts best."),
    Algorithm("rules", "classify", "privet.learning.classify.rule_growing:RuleMiner", "A short list of IF … THEN rules, grown by private choices of their conditions."),
    Algorithm("auto-regressor", "regress", "privet.learning.regress.auto:AutoRegressor", "The regression that suits the schema, the budget and the declared number of records; the choice costs nothing."),
    Algorithm("additive-regressor", "regress", "privet.learning.regress.additive:AdditiveRegressor", "Adds up a curve for each attribute, and for pairs that are chosen privately: predicts a number."),
    Algorithm("linear-regression", "regress", "privet.learning.regress.linear:LinearRegression", "Least squares from noisy second moments: predicts a number within its public bounds."),
    Algorithm("ridge", "regress", "privet.learning.regress.linear:Ridge", "Ridge regression from noisy second moments: predicts a number within its public bounds."),
    Algorithm("synthesiser", "synthesise", "privet.learning.synthesise.synthesiser:Synthesiser", "Draws made-up records from noisy tables of the columns, and of pairs of them that belong together."),
    Algorithm("k-means", "cluster", "privet.learning.cluster.k_means:KMeans", "k-means: groups of records around k centres, found from noisy counts; numbers, categories and both."),
    Algorithm("frequent-itemsets", "associate", "privet.learning.associate.itemsets:FrequentItemsets", "The most frequent sets of values that occur together, from one noisy table of the most frequent items."),
    Algorithm("association-rules", "associate", "privet.learning.associate.rules:AssociationRules", "Rules IF … THEN … with confidence and lift, each with an interval."),
    Algorithm("bee-selection", "select", "privet.selection.bee_tables:PrivateBeeSelection", "Attributes that say something about the class and do not repeat each other (a search by ABC–DE over noisy tables)."),
    Algorithm("informative", "select", "privet.selection.informative:Informative", "All attributes but those that tell nothing about the class beyond the noise."),
    Algorithm("select-k-best", "select", "privet.selection.k_best:SelectKBest", "The k attributes that say most about the class, with noisy values of their scores."),
    Algorithm("bounds", "prepare", "privet.learning.prepare.bounds:Bounds", "Bounds of the numbers, where little is known about them: a log-scale histogram, then a fine one."),
    Algorithm("clip-outliers", "prepare", "privet.learning.prepare.outliers:ClipOutliers", "Bounds of the numbers at noisy quantiles: a few outliers count as the bounds."),
    Algorithm("domain", "prepare", "privet.learning.prepare.domain:Domain", "The values of categories that nobody listed: those that enough records have, for an ε and a δ."),
    Algorithm("equal-frequency", "prepare", "privet.learning.prepare.equal_frequency:EqualFrequency", "Cuts that put about as many records in each bin of a number."),
    Algorithm("impute", "prepare", "privet.learning.prepare.impute:Impute", "Fill missing cells with noisy means, medians and most frequent values."),
    Algorithm("pca", "prepare", "privet.learning.prepare.pca:PCA", "Correlations of the numbers, and the few directions in which records differ most."),
    Algorithm("rare-values", "prepare", "privet.learning.prepare.rare_values:RareValues", "Count the rare values of categories as one."),
    Algorithm("standardise", "prepare", "privet.learning.prepare.standardise:Standardise", "Scale numbers to mean 0 and standard deviation 1, by noisy values of both."),
    Algorithm("supervised-cuts", "prepare", "privet.learning.prepare.supervised:SupervisedCuts", "Cuts of the numbers where the classes change."),
    Algorithm("map-reduce", "aggregate", "privet.learning.map_reduce:MapReduce", "Any function on each record or person by itself, and a private sum, mean, histogram or quantile of what it returns."),
    Algorithm("sample-aggregate", "aggregate", "privet.learning.sample_aggregate:SampleAggregate", "Any function on disjoint blocks of the table, and the private mean or median of what it returns."),
    Algorithm("streaming-naive-bayes", "stream", "privet.learning.streams.naive_bayes:StreamingNaiveBayes", "Naive Bayes from records that keep coming: released after every step, at one price for the whole stream.", command="naive-bayes"),
    Algorithm("additive", "transform", "privet.perturbation.additive:AdditiveNoise", "Add noise to each value; its distribution can be reconstructed. No guarantee, unless Laplace noise is given an epsilon."),
    Algorithm("condensation", "transform", "privet.perturbation.condensation:Condensation", "Replace records by ones drawn from groups of k, keeping the covariance. No guarantee."),
    Algorithm("geometric", "transform", "privet.perturbation.geometric:Geometric", "Turn, move and blur the columns together. No guarantee."),
    Algorithm("input-perturbation", "transform", "privet.perturbation.local:InputPerturbation", "Laplace noise on numbers, randomised response for categories: every record hides by itself.", command="input"),
    Algorithm("k-anonymity", "transform", "privet.perturbation.nominal.anonymity:KAnonymity", "Generalise columns until every record looks like k − 1 others. No guarantee."),
    Algorithm("projection", "transform", "privet.perturbation.projection:Projection", "Mix the columns into fewer ones. No guarantee."),
    Algorithm("randomised-response", "transform", "privet.perturbation.nominal.response:RandomisedColumns", "Randomise categories, record by record: local differential privacy for the chosen columns."),
    Algorithm("rotation", "transform", "privet.perturbation.rotation:Rotation", "Turn the columns together; all distances stay. No guarantee."),
)  # fmt: skip


def algorithms_with(command: str) -> tuple[Algorithm, ...]:
    """The algorithms that a command takes.

    >>> [entry.name for entry in algorithms_with("select")]
    ['bee-selection', 'informative', 'select-k-best']
    """
    return tuple(entry for entry in ALGORITHMS if command in entry.commands)


def audited_algorithms() -> tuple[Algorithm, ...]:
    """The algorithms that promise something about a whole table, which an audit can refute."""
    return tuple(entry for entry in ALGORITHMS if FAMILIES[entry.family].audited)


def algorithm(name: str, among: tuple[Algorithm, ...] | None = None) -> Algorithm:
    """The algorithm of that name.

    >>> algorithm("naive-bayes").load().__name__
    'NaiveBayes'
    """
    among = ALGORITHMS if among is None else among
    for entry in among:
        if entry.name == name:
            return entry
    known = [entry.name for entry in among]
    near = get_close_matches(name, known, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    raise ParameterError(f"There is no algorithm '{name}'.{meant}", f"Choose one of: {', '.join(known)}.")


def name_of(estimator: Any) -> str:
    """The registered name of an estimator or of its class."""
    cls = estimator if isinstance(estimator, type) else type(estimator)
    home = f"{cls.__module__}:{cls.__qualname__}"
    for entry in ALGORITHMS:
        if entry.home == home:
            return entry.name
    raise ParameterError(f"{cls.__name__} is not a registered algorithm.")
