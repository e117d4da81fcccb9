"""The table of contents of the product: one line an algorithm.

From a line here follow the algorithm's command, its options, its reference page and the common checks. Only
names are held, so that listing the algorithms imports none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from privet.errors import ParameterError
from privet.parameters import json_schema

__all__ = ["ALGORITHMS", "FAMILIES", "Entry", "Family", "algorithm", "algorithms_with", "name_of"]


@dataclass(frozen=True)
class Family:
    """What algorithms are for: a name, a line, and the commands that take one of them."""

    name: str
    line: str
    commands: tuple[str, ...]


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("classify", "predicts a class", ("fit", "cross-validate")),
        Family("regress", "predicts a number", ("fit", "cross-validate")),
        Family("select", "chooses attributes", ("select",)),
    )
}


@dataclass(frozen=True)
class Entry:
    """One algorithm: its name on every face of Privet, its home, and a line that says what it does.

    ``family`` says what it is for: one of ``FAMILIES``.
    """

    name: str
    family: str
    home: str
    line: str

    def load(self) -> type[Any]:
        """The algorithm's class."""
        module, _, cls = self.home.partition(":")
        loaded: type[Any] = getattr(import_module(module), cls)
        return loaded

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the algorithm's parameters.

        >>> algorithm("naive-bayes").json_schema()["properties"]["bins"]["minimum"]
        2
        """
        return json_schema(self.load(), title=self.name, description=self.line)


ALGORITHMS: tuple[Entry, ...] = (
    Entry("logistic-regression", "classify", "privet.learning.classify.logistic_regression:LogisticRegression", "Logistic regression: a tilted objective, noisy gradients, noisy second moments or private choices; any number of classes."),
    Entry("naive-bayes", "classify", "privet.learning.classify.naive_bayes:NaiveBayes", "Naive Bayes from noisy tables: nominal, numeric and mixed data, any number of classes."),
    Entry("one-r", "classify", "privet.learning.classify.one_r:OneR", "One rule for each value of the one attribute that predicts best."),
    Entry("rules", "classify", "privet.learning.classify.rule_growing:RuleMiner", "A short list of IF … THEN rules, grown by private choices of their conditions."),
    Entry("linear-regression", "regress", "privet.learning.regress.linear:LinearRegression", "Least squares from noisy second moments: predicts a number within its public bounds."),
    Entry("ridge", "regress", "privet.learning.regress.linear:Ridge", "Ridge regression from noisy second moments: predicts a number within its public bounds."),
    Entry("bee-selection", "select", "privet.selection.bee_tables:PrivateBeeSelection", "Attributes that tell about the class and not the same as each other, by ABC–DE over noisy tables."),
    Entry("select-k-best", "select", "privet.selection.k_best:SelectKBest", "The k attributes that tell most about the class, with noisy values of their scores."),
)  # fmt: skip


def algorithms_with(command: str) -> tuple[Entry, ...]:
    """The algorithms that a command takes.

    >>> [entry.name for entry in algorithms_with("select")]
    ['bee-selection', 'select-k-best']
    """
    return tuple(entry for entry in ALGORITHMS if command in FAMILIES[entry.family].commands)


def algorithm(name: str) -> Entry:
    """The algorithm of that name.

    >>> algorithm("naive-bayes").load().__name__
    'NaiveBayes'
    """
    for entry in ALGORITHMS:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in ALGORITHMS)
    raise ParameterError(f"There is no algorithm '{name}'.", f"Choose one of: {known}.")


def name_of(estimator: Any) -> str:
    """The registered name of an estimator's class."""
    home = f"{type(estimator).__module__}:{type(estimator).__qualname__}"
    for entry in ALGORITHMS:
        if entry.home == home:
            return entry.name
    raise ParameterError(f"{type(estimator).__name__} is not a registered algorithm.")
