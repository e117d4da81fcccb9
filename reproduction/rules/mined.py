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

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from privet.learning.classify import OneR, RuleMiner
from privet.learning.public.bee_rules import BeeRules
from privet.perturbation.local import InputPerturbation
from privet.schema import Number, Schema
from privet.stats import Rows
from reproduction.rules import as_published
from reproduction.rules.presets import PER_CLASS, thesis_parameters
from reproduction.rules.protocol import Split, accuracy, labels

__all__ = ["DIRECT", "MINERS", "Outcome", "direct", "mine", "mine_local", "perturbed"]

Method = Literal["covering", "several", "one"]
#: Our name of each miner → the thesis's.
MINERS: dict[Method, str] = {
    "several": "wLapMS ABC",
    "one": "1-rule ABC",
    "covering": "Seq. cov. wLap ABC",
}


@dataclass(frozen=True)
class Outcome:
    """What one model of one fold gets right, and how many rules it has (the default is not counted)."""

    clean: float
    noisy: float
    mined: float
    any: float
    rules: int


def perturbed(split: Split, schema: Schema, epsilon: float | None, seed: int) -> tuple[Split, Schema]:
    """The split with noise on both parts, scaled by the training part's ranges, and bounds that hold it."""
    if epsilon is None:
        return split, schema
    generator = np.random.default_rng(seed)
    reach = as_published.ranges(split.train, schema)
    train, test = (
        as_published.perturb(part, reach, epsilon, generator) for part in (split.train, split.test)
    )
    return Split(split.fold, train, test), _holding(schema, train)


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


def mine(
    name: str, split: Split, schema: Schema, method: Method, epsilon: float | None, seed: int, **given: Any
) -> Outcome:
    """One miner on one fold, learned from perturbed training records; ε None means exact ones."""
    target = schema.nominal_target().name
    noisy, bounds = perturbed(split, schema, epsilon, seed)
    model = colony(name, method, epsilon, bounds, seed, **given).fit(noisy.train)
    return _outcome(model, split.test, noisy.test, noisy.train, target)


def mine_local(name: str, split: Split, schema: Schema, epsilon: float, seed: int, **given: Any) -> Outcome:
    """One rule a class, from records that are ε-private as a whole, class included."""
    target = schema.nominal_target().name
    noise = InputPerturbation(schema=schema, epsilon=epsilon, target=True, random_state=seed).fit(split.train)
    train, test = noise.transform(split.train), noise.transform(split.test)
    train, test = _known(train, target), _known(test, target)
    model = colony(name, "one", epsilon, _holding(schema, train), seed, **given).fit(train)
    return _outcome(model, split.test, test, train, target)


def _known(table: pa.Table, target: str) -> pa.Table:
    """Randomised response may answer "missing", and a record without a class teaches nothing."""
    return table.filter(table[target].is_valid())


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


def direct(learner: str, split: Split, schema: Schema, epsilon: float | None, seed: int) -> Outcome:
    """A directly private learner on exact records: ε for the whole record, noise on counts."""
    target = schema.nominal_target().name
    model = DIRECT[learner](
        epsilon=1e6 if epsilon is None else epsilon, schema=schema, random_state=seed
    ).fit(split.train)
    return _outcome(model, split.test, split.test, split.train, target)


def _outcome(model: Any, clean: pa.Table, noisy: pa.Table, mined: pa.Table, target: str) -> Outcome:
    listed = model.rules
    truth = labels(clean, target)
    [batch] = clean.combine_chunks().to_batches()
    rows = Rows(batch, model.schema_)
    caught = np.zeros(len(truth), bool)
    for rule in listed.rules:
        caught |= rule.holds(rows) & (truth == str(rule.label))
    tested, perturbed_test, learned = (accuracy(model, part, target) for part in (clean, noisy, mined))
    return Outcome(tested, perturbed_test, learned, float(caught.mean()), len(listed.rules))
