"""Forecasts, put to the test blind: the ε that made-up worlds name beside the one that the real table needs.

A forecast is told what somebody who knows the field could guess: about how many records, the shares of the
classes in steps of 5 %, and what a good model reaches, in steps of 5 points. It sees no record.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from benchmarks.data import FOLDER, available, load
from benchmarks.figures import Figure
from privet.evaluation.forecast import forecast
from privet.registry import algorithm
from privet.schema import Schema, draft
from privet.schema.columns import WHOLESALE
from privet.worlds import Guess

LOSS = 0.02
EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
ALGORITHMS = ("naive-bayes", "logistic-regression", "one-r", "rules", "decision-tree", "additive-model")
MANY, SPLITS, FEW = (
    12,
    4,
    2,
)  # of tables below a thousand records, of others, and of those above twenty thousand


@dataclass(frozen=True)
class Case:
    table: str
    algorithm: str
    needed: float | None
    foretold: float | None
    seconds: float

    @property
    def ratio(self) -> float | None:
        """The ε foretold, in terms of the one needed: below 1 it is too small."""
        return None if self.needed is None or self.foretold is None else self.foretold / self.needed


def tables() -> dict[str, tuple[pa.Table, Schema]]:
    """Those beside the repository, and scikit-learn's own."""
    found = (
        {p.name.removesuffix(".csv.gz"): None for p in sorted(FOLDER.glob("*.csv.gz"))} if available() else {}
    )
    loaded = {name: load(name) for name in found}
    from sklearn.datasets import load_breast_cancer, load_digits, load_wine

    for name, get in (("breast_cancer", load_breast_cancer), ("wine", load_wine), ("digits", load_digits)):
        given = get()
        columns = {f"x{place}": given.data[:, place] for place in range(given.data.shape[1])}
        table = pa.table(columns | {"class": [f"class {c}" for c in given.target]})
        loaded[name] = table, draft(table.to_batches(), target="class").confirm(origin=WHOLESALE)
    return loaded


def measured(name: str, table: pa.Table, schema: Schema) -> tuple[list[float], float]:
    """The accuracy at each ε, and without noise, on records held out: means over splits."""
    splits = MANY if table.num_rows < 1000 else FEW if table.num_rows > 20_000 else SPLITS
    scores = np.zeros((splits, len(EPSILONS) + 1))
    for split in range(splits):
        order = np.random.default_rng(split).permutation(table.num_rows)
        cut = int(0.7 * table.num_rows)
        train, test = table.take(order[:cut]), table.take(order[cut:][:10_000])
        truth = np.array(test["class"].to_pylist(), dtype=object)
        for place, epsilon in enumerate((*EPSILONS, 1e5)):
            model = algorithm(name).load()(epsilon=epsilon, schema=schema, random_state=split).fit(train)
            scores[split, place] = np.mean(np.asarray(model.predict(test), dtype=object) == truth)
    from sklearn.isotonic import isotonic_regression

    means = scores.mean(axis=0)
    return [float(each) for each in isotonic_regression(means[:-1])], float(means[-1])


def crossing(values: list[float], goal: float) -> float | None:
    """The smallest ε that reaches the goal, between two tried ones on a scale of ratios."""
    for place, value in enumerate(values):
        if value >= goal:
            if place == 0:
                return EPSILONS[0]
            before = values[place - 1]
            part = (goal - before) / (value - before)
            return math.exp(
                math.log(EPSILONS[place - 1]) + part * math.log(EPSILONS[place] / EPSILONS[place - 1])
            )
    return None


def guessed(table: pa.Table, attained: float) -> Guess:
    """What somebody who knows the field might say."""
    counts = {
        str(e["values"]): e["counts"] / table.num_rows for e in table["class"].value_counts().to_pylist()
    }
    records = 0.7 * table.num_rows
    rough = round(records, 1 - math.floor(math.log10(records)))  # two digits
    shares = {name: max(0.05 * round(share / 0.05), 0.02) for name, share in counts.items()}
    total = sum(shares.values())
    return Guess(
        int(rough),
        min(max(0.05 * round(attained / 0.05), 0.5), 0.99),
        {n: 0.999 * s / total for n, s in shares.items()},
    )


def attainable(table: pa.Table) -> float:
    """What a forest without privacy reaches: what a good model can do, for somebody to guess."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.preprocessing import OrdinalEncoder

    rows = table.take(np.random.default_rng(0).permutation(table.num_rows)[:6000]).to_pandas()
    y = rows.pop("class").astype(str)
    texts = rows.select_dtypes(exclude="number").columns
    rows[texts] = OrdinalEncoder().fit_transform(rows[texts].astype(str)) if len(texts) else rows[texts]
    cut = int(0.7 * len(rows))
    model = ExtraTreesClassifier(60, min_samples_leaf=2, random_state=0).fit(rows.fillna(-1)[:cut], y[:cut])
    return float(model.score(rows.fillna(-1)[cut:], y[cut:]))


def everything(names: tuple[str, ...]) -> Iterator[Case]:
    """Every table with every algorithm."""
    for table_name, (table, schema) in tables().items():
        guess = guessed(table, attainable(table))
        for name in names:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                values, without = measured(name, table, schema)
            start = time.perf_counter()
            found = forecast(algorithm(name).load()(), schema, guess, epsilons=EPSILONS)
            taken = time.perf_counter() - start
            yield Case(table_name, name, crossing(values, without - LOSS), found.epsilon_for(LOSS), taken)


def summary(cases: list[Case]) -> list[Figure]:
    """How often too small an ε is named, and how far too large."""
    ratios = np.array([case.ratio for case in cases if case.ratio is not None])
    small = [c for c in cases if (c.ratio is not None and c.ratio < 0.8) or (c.needed is None and c.foretold)]
    return [
        Figure("forecast: tables", len({case.table for case in cases}), 12, True, ""),
        Figure("forecast: cases", len(cases), unit=""),
        Figure("forecast: too small an ε named (below 0.8 of what is needed), share of cases",
               len(small) / len(cases), unit=""),
        Figure("forecast: ε named / ε needed, median", float(np.median(ratios))),
        Figure("forecast: ε named / ε needed, largest", float(ratios.max())),
        Figure("forecast: ε named / ε needed, smallest", float(ratios.min())),
        Figure("forecast: longest", max(case.seconds for case in cases), 5.0, unit="s"),
    ]  # fmt: skip


def _shown(value: float | None) -> str:
    return "   none" if value is None else f"{value:7.3g}"


def run(names: tuple[str, ...] = ALGORITHMS) -> list[Figure]:
    if not available():
        print("  the real tables are not here: nothing to measure")
        return []
    cases = []
    for case in everything(names):
        print(
            f"  {case.table:<20}{case.algorithm:<22}needed {_shown(case.needed)}"
            f"  foretold {_shown(case.foretold)}  ratio {_shown(case.ratio)}  {case.seconds:.1f} s",
            flush=True,
        )
        cases.append(case)
    return summary(cases)
