"""The thesis's eleven reference classifiers: WEKA's own on prepared folds, and Python's equivalents."""

from __future__ import annotations

import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.peers import WEKA, weka_available
from privet.schema import Schema
from privet.sources import write_arff
from reproduction.grid import Make, cross_validated
from reproduction.page import Cell
from reproduction.rules.mined import Noise
from reproduction.rules.mined_published import SETTINGS
from reproduction.rules.protocol import labels
from reproduction.rules.selected import coded

REPEATS = 3
DRIVER = Path(__file__).with_name("WekaFolds.java")
#: All with WEKA's defaults, as in the thesis; Bagging's default is REPTree.
CLASSIFIERS = {
    "J48": "weka.classifiers.trees.J48",
    "NB": "weka.classifiers.bayes.NaiveBayes",
    "Bayes Net.": "weka.classifiers.bayes.BayesNet",
    "Part": "weka.classifiers.rules.PART",
    "Ripper": "weka.classifiers.rules.JRip",
    "1R": "weka.classifiers.rules.OneR",
    "Kstar": "weka.classifiers.lazy.KStar",
    "IBk": "weka.classifiers.lazy.IBk",
    "RT": "weka.classifiers.trees.RandomTree",
    "Bagging": "weka.classifiers.meta.Bagging",
    "MLP": "weka.classifiers.functions.MultilayerPerceptron",
}
SLOW = ("Kstar", "MLP")  # they take most of the time, and are measured apart
#: What is measured in one go → what its classifiers are called beside the thesis's.
SUFFIX = {"weka": "", "weka_slow": "", "python": " (Python)"}


def cells() -> Iterator[Cell]:
    """The page is that of the miners, and can do without these: they take hours."""
    fast = [name for name in CLASSIFIERS if name not in SLOW]
    kinds: dict[str, Make] = {"python": (Equivalents, {})}
    if weka_available():
        weka: dict[str, Make] = {
            "weka": (Weka, {"classifiers": fast}),
            "weka_slow": (Weka, {"classifiers": list(SLOW)}),
        }
        kinds = weka | kinds
    for kind, made in kinds.items():
        for seed in range(REPEATS):
            for name in ("iris", "heart_statlog", "breast_w", "ecoli", "sonar"):  # the slow ones last
                for epsilon in SETTINGS:
                    work = partial(cross_validated, name, kind, made, epsilon, seed)
                    yield Cell(f"{kind}/{name}/{epsilon}/{seed}", work, needed=False)


@dataclass
class _Several:
    """Several classifiers as one contender: they learn from the same perturbed records."""

    schema: Schema
    epsilon: float
    delta: float
    random_state: int
    classifiers: Sequence[str] = field(default_factory=tuple)

    def fit(self, table: pa.Table) -> _Several:
        self._noise = Noise(table, self.schema, self.epsilon, self.random_state)
        return self


class Weka(_Several):
    """WEKA's own, in one JVM. Needs a JDK."""

    def figures(self, test: pa.Table) -> dict[str, float]:
        parts = {"train": self._noise.train, "clean": test, "noisy": self._noise.on(test)}
        with tempfile.TemporaryDirectory() as folder:
            for part, table in parts.items():
                write_arff(iter(table.to_batches()), Path(folder) / f"{part}-0.arff", self.schema)
            done = subprocess.run(
                ["java", "-Xmx1g", "-XX:+UseSerialGC", "-Djava.awt.headless=true", "-cp", WEKA, DRIVER, folder, "1",
                 *(f"{name}={CLASSIFIERS[name]}" for name in self.classifiers)],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
        found: dict[str, float] = {}
        for line in done.stdout.splitlines():
            name, _, *numbers = line.split("\t")
            ways = zip(("clean", "noisy", "rules"), map(float, numbers), strict=True)
            found |= {f"{name}/{way}": value for way, value in ways}
        return found


class Equivalents(_Several):
    """The nearest classifiers of scikit-learn, and wittgenstein's RIPPER and IREP where there are two classes."""

    def figures(self, test: pa.Table) -> dict[str, float]:
        schema, train = self.schema, self._noise.train
        target = schema.nominal_target()
        X, y = coded(train, schema), labels(train, target.name)
        parts = {"clean": test, "noisy": self._noise.on(test)}
        found = {}
        for name, model in _equivalents(self.random_state, len(target.labels)).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                told = _predictor(model, X, y)
                for way, part in parts.items():
                    right = told(coded(part, schema)) == labels(part, target.name)
                    found[f"{name}/{way}"] = float(np.mean(right))
        return found


def _predictor(model: Any, X: Any, y: Any) -> Any:
    if not type(model).__module__.startswith("wittgenstein"):
        return model.fit(X, y).predict
    import pandas as pd

    first, second = np.unique(y)
    names = [f"a{place}" for place in range(X.shape[1])]
    model.fit(pd.DataFrame(X, columns=names).assign(target=y), class_feat="target", pos_class=second)
    return lambda other: np.where(model.predict(pd.DataFrame(other, columns=names)), second, first)


def _equivalents(seed: int, classes: int) -> dict[str, Any]:
    from sklearn.ensemble import BaggingClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler
    from sklearn.tree import DecisionTreeClassifier

    models: dict[str, Any] = {
        "J48": DecisionTreeClassifier(min_samples_leaf=2, random_state=seed),
        "NB": GaussianNB(),
        "IBk": make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)),
        "RT": DecisionTreeClassifier(max_features="log2", random_state=seed),
        "Bagging": BaggingClassifier(random_state=seed),
        "MLP": make_pipeline(MinMaxScaler((-1, 1)), MLPClassifier(max_iter=300, random_state=seed)),
    }
    if classes == 2:
        from wittgenstein import IREP, RIPPER

        models |= {"Ripper": RIPPER(random_state=seed), "IREP": IREP(random_state=seed)}
    return models
