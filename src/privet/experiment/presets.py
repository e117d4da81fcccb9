"""Experiments to begin with."""

from __future__ import annotations

from dataclasses import dataclass

from privet.errors import ParameterError
from privet.experiment.parts import Contender, Dataset
from privet.experiment.recovery import WITHOUT_NOISE
from privet.experiment.value import Experiment

__all__ = ["PRESETS", "Preset", "preset"]

_EPSILONS = (0.05, 0.1, 0.5, 1.0, 2.0, 10.0)
_GENOTYPES = Dataset("genotypes", "generated", "genotypes", 300, 0)
_CLINIC = Dataset("clinic", "generated", "clinic", 5000, 2024)


@dataclass(frozen=True)
class Preset:
    """An experiment with a title, and a line that says what it shows."""

    title: str
    line: str
    experiment: Experiment


PRESETS: dict[str, Preset] = {
    "clinic": Preset(
        "Accuracy over ε",
        "Naive Bayes and logistic regression on generated patients, from little budget to much.",
        Experiment(
            (_CLINIC,),
            (
                Contender("naive Bayes", "naive-bayes"),
                Contender("logistic regression", "logistic-regression"),
            ),
            _EPSILONS,
            repetitions=3,
            folds=10,
            name="clinic",
        ),
    ),
    "records": Preset(
        "Accuracy over records",
        "Three learners at one budget, on ever more generated patients.",
        Experiment(
            tuple(
                Dataset(f"clinic {n}", "generated", "clinic", n, 2024) for n in (500, 1000, 2000, 5000, 10000)
            ),
            (
                Contender("naive Bayes", "naive-bayes"),
                Contender("one rule", "one-r"),
                Contender("decision tree", "decision-tree"),
            ),
            (1.0,),
            repetitions=2,
            folds=5,
            name="records",
        ),
    ),
}

_CURVE = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0)


def _choices(criterion: str, mechanism: str, **more: float) -> tuple[Contender, ...]:
    """Ways to choose 3, 5 and 10 attributes; all of the budget goes to the choice."""
    common = {"criterion": criterion, "mechanism": mechanism, "public_class": True, "values": False, **more}
    return tuple(Contender(f"k = {k}", "select-k-best", {"k": k, **common}) for k in (3, 5, 10))


def _recovery(title: str, how: str, name: str, contenders: tuple[Contender, ...]) -> Preset:
    return Preset(
        title,
        f"Which share of the 3, 5 and 10 most relevant variants is found: {how}, on generated genotypes.",
        Experiment(
            (_GENOTYPES,),
            contenders,
            (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0),
            repetitions=2,
            folds=5,
            name=name,
        ),
    )


def _regression(title: str, how: str, name: str, contender: Contender) -> Preset:
    return Preset(
        title,
        f"Logistic regression by {how}, from little budget to much; four fifths of the records train.",
        Experiment(
            (_CLINIC,),
            (contender, Contender("what Privet picks", "logistic-regression")),
            _CURVE,
            repetitions=2,
            folds=5,
            name=name,
        ),
    )


# The figures of the DPWeka thesis and the tables of the thesis on rules by artificial bee colonies, with
# generated people in the place of theirs.
PRESETS |= {
    "figure-17": _recovery(
        "DPWeka, figure 17", "χ² with Laplace noise", "figure-17", _choices("chi2", "laplace")
    ),
    "figure-18": Preset(
        "DPWeka, figure 18",
        "The exact p-values of the twelve most relevant variants in order: where they hardly rise, no "
        "private choice tells neighbours apart.",
        Experiment(
            (_GENOTYPES,),
            tuple(
                Contender(
                    f"variant {k}", "select-k-best", {"k": k, "criterion": "chi2", "public_class": True}
                )
                for k in range(1, 13)
            ),
            (WITHOUT_NOISE,),
            repetitions=1,
            folds=5,
            measure="p_value",
            name="figure-18",
        ),
    ),
    "figure-19": _recovery(
        "DPWeka, figure 19",
        "the distance to significance by the exponential mechanism",
        "figure-19",
        _choices("distance", "exponential", tau=1e-5),
    ),
    "figure-24": _regression(
        "DPWeka, figure 24",
        "the functional mechanism",
        "figure-24",
        Contender("functional mechanism", "logistic-regression", {"method": "functional"}),
    ),
    "figure-25": _regression(
        "DPWeka, figure 25",
        "private choices of a genetic search",
        "figure-25",
        Contender("PrivGene", "logistic-regression", {"method": "privgene"}),
    ),
    "rule-learners": Preset(
        "Rule learners, ε = 1, 2, 3",
        "The learners of rules beside a tree, in tenfold cross-validation, as in the tables on bee colonies.",
        Experiment(
            (_CLINIC,),
            (
                Contender("rules", "rules"),
                Contender("one rule", "one-r"),
                Contender("decision tree", "decision-tree"),
            ),
            (1.0, 2.0, 3.0),
            repetitions=1,
            folds=10,
            name="rule-learners",
        ),
    ),
    "abc-tables": Preset(
        "1R and naive Bayes, ε = 3 to 0.1",
        "The two learners of the tables on feature selection by bee colonies (5.16 to 5.22), in tenfold "
        "cross-validation: over ε, and beside a model without noise.",
        Experiment(
            (_CLINIC,),
            (Contender("1R", "one-r"), Contender("naive Bayes", "naive-bayes")),
            (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, WITHOUT_NOISE),
            repetitions=10,
            folds=10,
            name="abc-tables",
        ),
    ),
}


def preset(name: str) -> Experiment:
    """An experiment to begin with, by its name.

    >>> preset("clinic").size
    360
    """
    if name not in PRESETS:
        raise ParameterError(f"There is no preset '{name}'.", f"Choose one of: {', '.join(PRESETS)}.")
    return PRESETS[name].experiment
