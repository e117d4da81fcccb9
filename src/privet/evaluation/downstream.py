"""What a model learns from made-up records: how good it is in their world, for nothing.

A learner is fitted to some made-up records (without noise worth the name: they are no person's) and scored on
others. Beside it stands what the released tables imply: how often the synthesiser's own tree, which knows
all that made-up records can carry, predicts the class of a made-up record. How good the learner is on *real*
records is another question, and an answer to it is paid for: ``privet evaluate``.

**Privacy.** Made-up records are drawn from what was released, so all of this is post-processing, and the
learner has the guarantee of the synthesiser.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.learning.classify import AutoClassifier
from privet.learning.regress import AutoRegressor
from privet.schema import Category, Schema
from privet.stats import Rows

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["Downstream", "codes_of"]

# An ε at which noise is nothing: what is learned from are no people.
_NOISELESS = 100_000.0


@dataclass(frozen=True)
class Downstream:
    """How good a model is that was learned from made-up records, on other made-up records.

    ``implied`` is what the released tables imply at best, None where the target is a number; ``floor`` is
    what a guess reaches that looks at nothing. ``model`` is the model itself, with the synthesiser's
    guarantee.
    """

    target: str
    measure: str
    learner: str
    reached: float
    implied: float | None
    floor: float
    records: int
    model: Any = field(repr=False, compare=False)

    @classmethod
    def of(cls, model: Any, made: pa.Table, other: pa.Table) -> Downstream | None:
        """A model learned from ``made`` and scored on ``other``, both drawn; None where there is no target.

        >>> from privet.learning.synthesise import Synthesiser
        >>> schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
        >>> table = pa.table({"smoker": ["no", "yes"] * 1000, "ill": ["no", "yes"] * 1000})
        >>> model = Synthesiser(epsilon=2.0, schema=schema).fit(table)
        >>> found = Downstream.of(model, model.sample(1000, 0), model.sample(1000, 1))
        >>> found.measure, found.reached > 0.9, found.implied > 0.9, found.floor < 0.6
        ('accuracy', True, True, True)
        """
        schema: Schema = model.schema_
        if schema.target is None or len(schema.columns) < 2:
            return None
        target = schema[schema.target]
        made, other = (each.filter(each[target.name].is_valid()) for each in (made, other))
        nominal = isinstance(target, Category)
        if not made.num_rows or not other.num_rows:
            return None
        learned = _learned(model, made, AutoClassifier if nominal else AutoRegressor)
        predicted = np.asarray(learned.predict(other.drop_columns([target.name])), dtype=object)
        truth = np.array(other[target.name].to_pylist(), dtype=object)
        if nominal:
            reached = float(np.mean(predicted == truth))
            floor = max(float(np.mean(truth == label)) for label in set(truth.tolist()))
            measure, implied = "accuracy", _implied(model, other, target.name)
        else:
            numbers = truth.astype(float)
            off = float(np.mean((predicted.astype(float) - numbers) ** 2))
            measure, implied, floor = "R²", None, 0.0
            reached = 1 - off / max(float(np.var(numbers)), 1e-300)
        return cls(target.name, measure, learned.learner_, reached, implied, floor, made.num_rows, learned)

    def text(self) -> str:
        """In words, with what it does not say."""
        implied = (
            ""
            if self.implied is None
            else f", where the released tables imply {self.implied:.3f} at best for made-up records"
        )
        return (
            f"A model ({self.learner}) learned from {self.records} of them predicts '{self.target}' of "
            f"others with {self.measure} {self.reached:.3f}{implied}; looking at nothing gives "
            f"{self.floor:.3f}. On "
            "real records it may be better or worse: evaluating the model on them says so, and is paid for."
        )

    def chart(self) -> Chart:
        """What is reached, beside the least and the most."""
        from privet.report.charts import Bars, Series, numbers

        shown = {"looking at nothing": self.floor, "learned from made-up records": self.reached}
        if self.implied is not None:
            shown["implied by the released tables"] = self.implied
        return Bars(
            f"Predicting '{self.target}' of made-up records",
            tuple(shown),
            (Series(self.measure, numbers(list(shown.values()))),),
            y=self.measure,
            note="Made-up records, not real ones. The table was not read.",
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self.__class__(**{**vars(self), "model": None})) | {"on": "made-up records"}


def _learned(model: Any, made: pa.Table, kind: type[Any]) -> Any:
    """A model of the made-up records, with the guarantee of the synthesiser that drew them."""
    learner = kind(epsilon=_NOISELESS, schema=model.schema_, records=made.num_rows, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(made)
    learner.set_params(epsilon=model.epsilon, delta=model.delta, random_state=None)
    learner.explanation_ = f"{learner.learner_} was learned from made-up records that were drawn privately."
    learner.guarantee_ = model.guarantee_
    return learner


def _implied(model: Any, table: pa.Table, target: str) -> float:
    """How often the tree predicts the target of records drawn from it: P(class | all others), exactly."""
    schema: Schema = model.schema_
    rows = Rows(table.combine_chunks().to_batches()[0], schema)
    codes = {name: codes_of(rows, name, tuple(model.group_cuts_[name])) for name in model.parents_}
    truth = codes[target]
    classes = range(schema.nominal_target().size)
    scores = np.zeros((rows.size, len(classes)))
    for name, parents in model.parents_.items():
        if name != target and target not in parents:
            continue  # the same for every class
        table_of = np.asarray(model.tables_[name], float) + 1e-12
        shares = np.log(table_of / table_of.sum(axis=-1, keepdims=True))
        for code in classes:
            given = {**codes, target: np.full(rows.size, code)}
            scores[:, code] += shares[tuple(given[each] for each in (*parents, name))]
    return float(np.mean(scores.argmax(axis=1) == truth))


def codes_of(rows: Rows, name: str, cuts: tuple[float, ...]) -> NDArray[np.int64]:
    """The codes of a column's values, or of a number's bins between the cuts."""
    found = rows.codes(name) if isinstance(rows.schema[name], Category) else rows.codes(name, cuts)
    return np.asarray(found, np.int64)
