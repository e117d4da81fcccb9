"""How good a model of each family is on a made-up table, whose truth is known: the figure, and its floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.schema import Category, Number, Schema
from privet.schema.bins import public_cuts

__all__ = ["FIGURES", "OnMadeUp"]

_MOST_PAIRS = 40


@dataclass(frozen=True)
class OnMadeUp:
    """A family's figure: ``of(model, reference, test, schema)``, and that of a guess that looks at nothing.

    ``reference`` is the same algorithm with (nearly) no noise, fitted to the same records.
    """

    name: str
    of: Callable[[Any, Any, pa.Table, Schema], float]
    floor: Callable[[pa.Table, Schema], float] = lambda test, schema: 0.0


def _accuracy(model: Any, reference: Any, test: pa.Table, schema: Schema) -> float:
    assert schema.target is not None
    truth = np.array(test[schema.target].to_pylist(), dtype=object)
    return float(np.mean(np.asarray(model.predict(test), dtype=object) == truth))


def _largest(test: pa.Table, schema: Schema) -> float:
    assert schema.target is not None
    return float(max(test[schema.target].value_counts().field("counts").to_numpy()) / test.num_rows)


def _r2(model: Any, reference: Any, test: pa.Table, schema: Schema) -> float:
    assert schema.target is not None
    truth = test[schema.target].to_numpy().astype(float)
    spread = ((truth - truth.mean()) ** 2).mean()
    return float(1 - ((np.asarray(model.predict(test), float) - truth) ** 2).mean() / max(spread, 1e-300))


def _explained(model: Any, reference: Any, test: pa.Table, schema: Schema) -> float:
    """The share of the numbers' spread that lies between the clusters."""
    numbers = [c for c in schema.attributes if isinstance(c, Number)]
    if not numbers:
        return 0.0
    values = np.stack(
        [(test[c.name].to_numpy().astype(float) - c.low) / (c.high - c.low) for c in numbers], 1
    )
    groups = np.unique(np.asarray(model.predict(test)), return_inverse=True)[1]
    sizes = np.bincount(groups)
    sums = np.stack([np.bincount(groups, weights=column) for column in values.T], 1)
    within = ((values - (sums / sizes[:, None])[groups]) ** 2).sum()
    return float(1 - within / max(((values - values.mean(axis=0)) ** 2).sum(), 1e-300))


def _same_choice(model: Any, reference: Any, test: pa.Table, schema: Schema) -> float:
    """How many of the attributes chosen without noise are chosen."""
    wanted = set(reference.chosen_)
    return len(wanted & set(model.chosen_)) / max(len(wanted), 1)


def _same_finds(model: Any, reference: Any, test: pa.Table, schema: Schema) -> float:
    """The F-score of the itemsets, or of the rules, beside those found without noise."""
    found, wanted = _finds(model), _finds(reference)
    return 2 * len(found & wanted) / max(len(found) + len(wanted), 1)


def _finds(model: Any) -> set[tuple[Any, ...]]:
    rules = getattr(model, "rules_", None)
    if rules is not None:
        return {(tuple(each["antecedents"]), tuple(each["consequents"])) for each in rules}
    return {tuple(sorted((k, str(v)) for k, v in each.items.items())) for each in model.itemsets}


def _likeness(model: Any, reference: Any, test: pa.Table, schema: Schema) -> float:
    """1 less the mean distance (total variation) of the tables of two columns."""
    drawn = model.sample(test.num_rows, 0)
    pairs = list(combinations(schema.columns, 2))[:: max(1, len(schema.columns) ** 2 // 2 // _MOST_PAIRS)]
    distances = []
    for one, two in pairs or [(schema.columns[0], schema.columns[0])]:
        cells = [_codes(table, one, 8) * 1000 + _codes(table, two, 8) for table in (drawn, test)]
        known, codes = np.unique(np.concatenate(cells), return_inverse=True)
        counts = [
            np.bincount(part, minlength=len(known)) / test.num_rows
            for part in (codes[: drawn.num_rows], codes[drawn.num_rows :])
        ]
        distances.append(0.5 * np.abs(counts[0] - counts[1]).sum())
    return 1 - float(np.mean(distances))


def _codes(table: pa.Table, column: Any, bins: int) -> NDArray[np.int64]:
    if isinstance(column, Category):
        codes = {label: place for place, label in enumerate(column.labels)}
        return np.array([codes.get(v, len(codes)) for v in table[column.name].to_pylist()], np.int64)
    values = np.array([np.nan if v is None else v for v in table[column.name].to_pylist()], float)
    return np.searchsorted(public_cuts(column, bins), values).astype(np.int64)


FIGURES: dict[str, OnMadeUp] = {
    "classify": OnMadeUp("accuracy", _accuracy, _largest),
    "regress": OnMadeUp("R²", _r2),
    "cluster": OnMadeUp("spread explained by the clusters", _explained),
    "select": OnMadeUp("attributes chosen as without noise", _same_choice),
    "associate": OnMadeUp("what is found as without noise (F-score)", _same_finds),
    "synthesise": OnMadeUp("likeness of the tables of two columns", _likeness),
}
