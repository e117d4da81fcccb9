"""What is audited besides fitted models: evaluations, searches, streams, local perturbation, aggregates.

Each claims an ε for something other than one fit, so what runs on a table is said here: the smallest run
that the proof covers, on the smallest table. They are classes so that other processes can be given them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.audit.outputs import released_by
from privet.audit.transcript import Transcript
from privet.budget import Pure, exact
from privet.schema import Schema, Unit

__all__ = ["PROCESSES", "Process"]

_CLASSES = {"smoker": ["no", "yes"], "ill": ["no", "yes"]}
_FITTED = Schema.of(_CLASSES, target="ill")


@dataclass(frozen=True)
class Process:
    """Something that can be audited by its name: ``of(ε)`` is a function of a table of this schema.

    ``limit`` says why no audit can show more than a part of its ε; "" if one can.
    """

    of: Callable[[float], Any]
    schema: Schema
    limit: str = ""


@dataclass(frozen=True)
class CrossValidated:
    """Naive Bayes on two folds: half of ε for the one model that learns from a record, half for its score.

    What is released are the figures; all noisy answers are looked at, together with the folds, for each draw
    of which the proof holds.
    """

    epsilon: float

    def __call__(self, table: Any) -> Any:
        from privet.evaluation import cross_validate
        from privet.learning.classify import NaiveBayes

        half = self.epsilon / 2
        model = NaiveBayes(epsilon=half, schema=_FITTED)
        return cross_validate(model, table, folds=2, epsilon=half, measures="confusion")


@dataclass(frozen=True)
class Searched:
    """The best of two settings of naive Bayes: the model and the score that a search releases."""

    epsilon: float

    def __call__(self, table: Any) -> Any:
        from privet.evaluation import PrivateSearch
        from privet.learning.classify import NaiveBayes

        grid = {"allocation": ["balanced", "uniform"]}
        search = PrivateSearch(NaiveBayes(schema=_FITTED), grid, trials=2, parts=2, epsilon=self.epsilon)
        found = search.fit(table)
        return {"model": released_by(found.best_estimator_), "score": vars(found.best_evaluation_)["noisy"],
                "chosen": found.best_parameters_}  # fmt: skip


@dataclass(frozen=True)
class Streamed:
    """A stream of one step: everything that it has learned at its end."""

    epsilon: float

    def __call__(self, table: Any) -> Any:
        from privet.learning.streams.naive_bayes import StreamingNaiveBayes

        model = StreamingNaiveBayes(schema=_FITTED, epsilon=self.epsilon, horizon=1)
        for record in table.to_pylist():
            model.learn_one(record)
        model.end_step()
        return released_by(model)


@dataclass(frozen=True)
class Perturbed:
    """A table as a local perturbation leaves it."""

    home: str
    parameters: tuple[tuple[str, Any], ...]
    schema: Schema
    epsilon: float

    def __call__(self, table: Any) -> Any:
        from privet.families import at

        settings = dict(self.parameters) | {"epsilon": self.epsilon, "schema": self.schema}
        fitted = at(self.home)(**settings).fit(table)
        changed = fitted.transform(table)
        return {name: np.asarray(changed[name]) for name in self.schema.names}


@dataclass(frozen=True)
class Aggregated:
    """The noisy mean of what blocks return, where one record's block can return anything.

    The functions' own processes are left out: ``tests/isolation`` shows what they can reach.
    """

    epsilon: float

    def __call__(self, table: Any) -> Any:
        from privet.mechanisms import BlockAggregate
        from privet.randomness import secure

        outputs = np.round(np.clip(np.asarray(table["share"], float), 0, 1) * 1000).astype(np.int64)[:, None]
        amount = Pure(Fraction(exact(self.epsilon)))
        return BlockAggregate(amount, len(outputs), 1, 1000).randomise(outputs, secure())


@dataclass(frozen=True)
class Reduced:
    """The noisy sum of what a function returns for each record, where one record can change from −1 to 1.

    The functions' own processes are left out, as they are of ``Aggregated``.
    """

    epsilon: float

    def __call__(self, table: Any) -> Any:
        from privet.curator import Mapped
        from privet.randomness import secure
        from privet.stats.group_sums import GroupSums

        reducer = GroupSums((), "output_1", centre=0.0)
        question = Mapped(float, (-1.0,), (1.0,), (reducer,), slots=100, timeout=1.0)
        mechanism = question.mechanism(Pure(Fraction(exact(self.epsilon))), question.schema)
        outputs = 2 * np.clip(np.asarray(table["share"], float), 0, 1)[:, None] - 1
        return question.reduced(outputs, mechanism, secure()).told


def _locally(home: str, schema: Schema, **parameters: Any) -> Process:
    return Process(lambda epsilon: Perturbed(home, tuple(parameters.items()), schema, epsilon), schema)


_SHARE = Schema.of({"share": (0.0, 1.0)}, unit=Unit("replace"), missing="error")
PROCESSES: dict[str, Process] = {
    "cross-validate": Process(lambda epsilon: Transcript(CrossValidated(epsilon)), _FITTED),
    "tune": Process(
        Searched,
        _FITTED,
        "A search pays twice the ε of a trial for a worst case, in which every better score is the work of "
        "one record, and which no small table reaches: what it releases has little more than the ε of one "
        "trial, half of the claim. Of that, an event on the model alone, or on its score alone, sees only a "
        "part, since a secret coin decides which of the two is made from a record: at most "
        "log((1 + e^(ε/2))/2) in one trial, 1.43 at ε = 4.",
    ),
    "streaming-naive-bayes": Process(Streamed, _FITTED),
    "sample-aggregate": Process(Aggregated, _SHARE),
    "map-reduce": Process(Reduced, _SHARE),
    "randomised-response": _locally(
        "privet.perturbation.nominal.response:RandomisedColumns",
        Schema.of({"ill": ["no", "yes"]}, unit=Unit("replace"), missing="error"),
    ),
    "input-perturbation": _locally(
        "privet.perturbation.local:InputPerturbation",
        Schema.of({"ill": ["no", "yes"]}, unit=Unit("replace"), missing="error"),
    ),
    "additive": _locally("privet.perturbation.additive:AdditiveNoise", _SHARE, kind="laplace"),
}
