"""FAMILIES: what classify, regress, cluster … mean, said in one place.

A family says which base class its algorithms have, what their target is, on which table they are checked
and audited, what scores them, which commands take them, and which common checks they pass. Everything that
differs between kinds of algorithms is read here; nothing else asks what kind an algorithm is. Only plain
values and names of homes are held, so that nothing is imported to list them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from privet.errors import ParameterError

__all__ = ["FAMILIES", "Family", "at", "family_of"]

_PEOPLE = {"age": (0, 120), "height": (1.0, 2.2), "smoker": ["no", "yes"], "ill": ["no", "yes"]}


@dataclass(frozen=True)
class Family:
    """One kind of algorithm.

    ``target`` says what y is: a class, a number, or None for algorithms that have no target; ``example`` are
    the columns of the table that the common checks learn from, ``smallest`` those of the table on which an
    audit sees most, and the two ``…_target`` the target's name in each. ``measures`` is the home of what
    scores a fitted model, ``checks`` that of the common checks. ``commands`` take an algorithm of the family
    by its name, ``model_commands`` a released model; ``first`` is the algorithm for somebody who knows none.
    ``audited`` says whether it promises something about a whole table, which can
    be refuted; streams have a check of their own.
    """

    name: str
    line: str
    base: str
    commands: tuple[str, ...]
    model_commands: tuple[str, ...] = ()
    target: Literal["class", "number"] | None = None
    example: Mapping[str, Any] = field(default_factory=lambda: _PEOPLE)
    example_target: str | None = None
    smallest: Mapping[str, Any] = field(default_factory=dict)
    smallest_target: str | None = None
    measures: str = ""
    first: str = ""
    audited: bool = True
    checks: str = "privet.checks:CHECKS"

    def load(self) -> type[Any]:
        """The base class of its algorithms."""
        loaded: type[Any] = at(self.base)
        return loaded


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "classify",
            "predicts a class",
            "privet.estimator:PrivateClassifier",
            ("fit", "cross-validate", "forecast"),
            ("predict", "evaluate", "diagnose", "compare-models"),
            target="class",
            example_target="ill",
            smallest={"smoker": ["no", "yes"], "ill": ["no", "yes"]},
            smallest_target="ill",
            measures="privet.evaluation.measures:CLASSES",
            first="auto",
        ),
        Family(
            "regress",
            "predicts a number",
            "privet.estimator:PrivateRegressor",
            ("fit", "cross-validate", "forecast"),
            ("predict", "evaluate", "diagnose", "compare-models"),
            target="number",
            example_target="height",
            smallest={"age": (0.0, 100.0), "pressure": (0.0, 200.0)},
            smallest_target="pressure",
            measures="privet.evaluation.measures:NUMBERS",
            first="auto-regressor",
        ),
        Family(
            "cluster",
            "finds groups of records that are alike",
            "privet.estimator:PrivateClusterer",
            ("fit", "forecast"),
            ("predict",),
            smallest={"age": (0.0, 100.0), "height": (1.0, 2.0)},
            checks="privet.checks:UNTARGETED",
        ),
        Family(
            "select",
            "chooses attributes",
            "privet.estimator:PrivateSelector",
            ("select", "forecast"),
            target="class",
            example_target="ill",
            smallest={"smoker": ["no", "yes"], "cough": ["no", "yes"], "ill": ["no", "yes"]},
            smallest_target="ill",
        ),
        Family(
            "prepare",
            "learns bounds, cuts, means and domains, and prepares records with them",
            "privet.estimator:PrivatePreparer",
            ("prepare",),
            smallest={"age": (0.0, 100.0), "smoker": ["no", "yes"]},
            checks="privet.checks:UNTARGETED",
        ),
        Family(
            "associate",
            "finds values that occur together",
            "privet.estimator:PrivateAssociator",
            ("fit", "forecast"),
            smallest={"smoker": ["no", "yes"], "ill": ["no", "yes"]},
            checks="privet.checks:UNTARGETED",
        ),
        Family(
            "synthesise",
            "draws made-up records that are like the real ones",
            "privet.estimator:PrivateSynthesiser",
            ("fit", "forecast"),
            ("synthesise",),
            smallest={"smoker": ["no", "yes"], "ill": ["no", "yes"]},
            checks="privet.checks:UNTARGETED",
        ),
        Family(
            "aggregate",
            "runs a function of your own on blocks of the table",
            "privet.estimator:WholeTableEstimator",
            ("aggregate",),
            smallest={"age": (0.0, 100.0), "height": (1.0, 2.0)},
            audited=False,  # what it claims is put to the test with functions that cheat: tests/isolation
            checks="privet.checks.aggregate:CHECKS",
        ),
        Family(
            "stream",
            "learns from records that keep coming",
            "privet.estimator:PrivateStream",
            ("stream",),
            ("predict", "evaluate", "diagnose"),
            target="class",
            example_target="ill",
            smallest={"smoker": ["no", "yes"], "ill": ["no", "yes"]},
            smallest_target="ill",
            measures="privet.evaluation.measures:CLASSES",
            audited=False,
            checks="privet.checks.stream:CHECKS",
        ),
        Family(
            "transform",
            "perturbs records",
            "sklearn.base:TransformerMixin",
            ("perturb",),
            audited=False,
            checks="privet.checks.perturbation:CHECKS",
        ),
    )
}


def family_of(algorithm: Any) -> Family:
    """The family of an algorithm, given as an object or a class.

    >>> from privet.learning.classify import NaiveBayes
    >>> family_of(NaiveBayes).target
    'class'
    """
    name = getattr(algorithm, "family", None)
    if not isinstance(name, str) or name not in FAMILIES:
        called = getattr(algorithm, "__name__", type(algorithm).__name__)
        raise ParameterError(
            f"{called} belongs to no family of Privet's algorithms.",
            f"Derive it from a family's base class: {', '.join(FAMILIES)}.",
        )
    return FAMILIES[name]


def at(home: str) -> Any:
    """What lives at ``module:name``."""
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)
