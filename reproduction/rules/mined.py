"""Tables 5.1 to 5.8 of the thesis: rules mined by bee colony, from exact and from input-perturbed records.

**What is perturbed?** The thesis says that noise is added "to the training data" (section 4.1.2) and not what
is done with the test records. So each model, learned from perturbed training records, is scored on exact test
records (``clean``) and on test records perturbed in the same way (``noisy``). Two more scores are no test,
but show what a figure may mean that is too good: on the very records that were mined (``mined``), and on
exact test records when one counts as right if *any* rule of its own class covers it (``any``), which looks at
the answer.

Perturbation is as published (``as_published``): ε for *each number* of a record, so m·ε for a record of
m numbers, with the class in the clear. Beside it, at the same printed ε: mining records that are perturbed
with ε for the *whole record*, class included (``InputPerturbation``), and the directly private ``RuleMiner``
and ``OneR``, whose ε is for a whole record, class included, and whose noise is on counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from privet.learning.classify import OneR, RuleMiner
from privet.learning.public.bee_rules import BeeRules
from privet.perturbation.local import InputPerturbation
from privet.schema import Number, Schema
from privet.stats import Rows
from reproduction.grid import WITHOUT_NOISE
from reproduction.rules import as_published
from reproduction.rules.presets import PER_CLASS, thesis_parameters
from reproduction.rules.protocol import accuracy, labels

__all__ = ["DIRECT", "MINERS", "Direct", "Local", "Method", "Mined", "Noise", "colony"]

Method = Literal["covering", "several", "one"]
#: Our name of each miner → the thesis's.
MINERS: dict[Method, str] = {
    "several": "wLapMS ABC",
    "one": "1-rule ABC",
    "covering": "Seq. cov. wLap ABC",
}


class Noise:
    """Noise on records, as published, its scale read off the training ones; ``schema`` has bounds that hold it."""

    def __init__(self, train: pa.Table, schema: Schema, epsilon: float, seed: int) -> None:
        self.epsilon = None if epsilon >= WITHOUT_NOISE else epsilon
        self._generator = np.random.default_rng(seed)
        self._reach = as_published.ranges(train, schema)
        self.train = self.on(train)
        self.schema = schema if self.epsilon is None else _holding(schema, self.train)

    def on(self, table: pa.Table) -> pa.Table:
        if self.epsilon is None:
            return table
        return as_published.perturb(table, self._reach, self.epsilon, self._generator)


def _holding(schema: Schema, table: pa.Table) -> Schema:
    """Bounds as wide as the table: noise must not be cut off at the bounds of the exact data."""

    def wide(column: Any) -> Any:
        if not isinstance(column, Number) or column.name == schema.target:
            return column
        values = table[column.name].to_numpy(zero_copy_only=False)
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        return Number(column.name, low, high) if low < high else column

    return replace(schema, columns=tuple(map(wide, schema.columns)))


def colony(
    name: str, method: Method, epsilon: float | None, schema: Schema, seed: int, **given: Any
) -> BeeRules:
    """The miner with the thesis's parameters for a set (tables 5.9, 5.10); others have the defaults."""
    level: Any = None if epsilon is None else round(epsilon)
    preset = thesis_parameters(name, method, level) if name in PER_CLASS else {"method": method}
    return BeeRules(schema=schema, random_state=seed, **preset | given)


@dataclass
class _Scored:
    """A contender of an experiment that is scored in five ways."""

    schema: Schema
    epsilon: float
    delta: float
    random_state: int
    data: str = ""  # whose parameters a miner has
    given: Mapping[str, Any] = field(default_factory=dict)  # parameters in the place of these
    _model: Any = field(init=False, repr=False)
    _train: pa.Table = field(init=False, repr=False)

    def figures(self, test: pa.Table) -> dict[str, float]:
        """What the model gets right, and how many rules it has (the default is not counted)."""
        model, target = self._model, self.schema.nominal_target().name
        listed, truth = model.rules, labels(test, target)
        [batch] = test.combine_chunks().to_batches()
        rows = Rows(batch, model.schema_)
        caught = np.zeros(len(truth), bool)
        for rule in listed.rules:
            caught |= rule.holds(rows) & (truth == str(rule.label))
        tested = {"clean": test, "noisy": self._noisy(test), "mined": self._train}
        right = {way: accuracy(model, part, target) for way, part in tested.items()}
        return right | {"any": float(caught.mean()), "rules": len(listed.rules)}

    def _noisy(self, test: pa.Table) -> pa.Table:
        return test


@dataclass
class Mined(_Scored):
    """A miner, learned from perturbed training records."""

    method: Method = "one"

    def fit(self, table: pa.Table) -> Mined:
        self._noise = noise = Noise(table, self.schema, self.epsilon, self.random_state)
        self._train = noise.train
        miner = colony(self.data, self.method, noise.epsilon, noise.schema, self.random_state, **self.given)
        self._model = miner.fit(noise.train)
        return self

    def _noisy(self, test: pa.Table) -> pa.Table:
        return self._noise.on(test)


@dataclass
class Local(_Scored):
    """One rule a class, from records that are ε-private as a whole, class included."""

    def fit(self, table: pa.Table) -> Local:
        noise = InputPerturbation(
            schema=self.schema, epsilon=self.epsilon, target=True, random_state=self.random_state
        )
        self._noise = noise.fit(table)
        self._train = train = self._noisy(table)
        schema = _holding(self.schema, train)
        miner = colony(self.data, "one", self.epsilon, schema, self.random_state, **self.given)
        self._model = miner.fit(train)
        return self

    def _noisy(self, test: pa.Table) -> pa.Table:
        noisy = self._noise.transform(test)
        # Randomised response may answer "missing", and a record without a class teaches nothing.
        return noisy.filter(noisy[self.schema.nominal_target().name].is_valid())


def _together(schema: Schema, **given: Any) -> RuleMiner:
    """Three conditions chosen at once; two where three of that many attributes are too many combinations."""
    depth = 3 if len(schema.attributes) <= 20 else 2
    return RuleMiner(depth=depth, conditions="together", bins=6, schema=schema, **given)


#: The directly private learners beside the miners.
DIRECT: dict[str, Callable[..., Any]] = {
    "`RuleMiner`, depth 2": lambda **given: RuleMiner(depth=2, **given),
    "`RuleMiner`, depth 3": lambda **given: RuleMiner(depth=3, **given),
    "`RuleMiner`": RuleMiner,
    "`RuleMiner`, shared": lambda **given: RuleMiner(depth=3, conditions="shared", **given),
    "`RuleMiner`, together": _together,
    "`OneR`": OneR,
}


@dataclass
class Direct(_Scored):
    """A directly private learner on exact records: ε for the whole record, noise on counts."""

    learner: str = "`OneR`"

    def fit(self, table: pa.Table) -> Direct:
        learner = DIRECT[self.learner](
            epsilon=self.epsilon, schema=self.schema, random_state=self.random_state
        )
        self._train, self._model = table, learner.fit(table)
        return self
