"""The thesis's eleven reference classifiers: WEKA's own on prepared folds, and Python's equivalents."""

from __future__ import annotations

import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.peers import WEKA, weka_available
from privet.schema import Schema
from privet.sources import write_arff
from reproduction.page import Cell
from reproduction.rules.mined import perturbed
from reproduction.rules.mined_published import SETTINGS
from reproduction.rules.protocol import Split, labels, splits
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
Results = dict[str, list[dict[str, float]]]


def cells() -> Iterator[Cell]:
    """The page is that of the miners, and can do without these: they take hours."""
    fast = {name: java for name, java in CLASSIFIERS.items() if name not in SLOW}
    slow = {name: CLASSIFIERS[name] for name in SLOW}
    kinds: dict[str, Callable[..., Results]] = {"python": python_folds}
    if weka_available():
        kinds = {"weka": partial(weka_folds, fast), "weka_slow": partial(weka_folds, slow), **kinds}
    for kind, measure in kinds.items():
        for seed in range(REPEATS):
            for name in ("iris", "heart_statlog", "breast_w", "ecoli", "sonar"):  # the slow ones last
                for epsilon in SETTINGS:
                    work = partial(_measured, measure, name, epsilon, seed)
                    yield Cell(f"{kind}/{name}/{epsilon}/{seed}", work, needed=False)


def _measured(measure: Callable[..., Results], name: str, epsilon: float | None, seed: int) -> Results:
    return measure(*_folds(name, epsilon, seed))


def _folds(name: str, epsilon: float | None, seed: int) -> tuple[list[tuple[Split, Split]], Schema]:
    """The folds and the noise that the miners get."""
    table, schema = data.load(name)
    dealt = splits(table, schema.nominal_target().name, 10, seed)
    return [(split, perturbed(split, schema, epsilon, 10 * seed + split.fold)[0]) for split in dealt], schema


def weka_folds(
    classifiers: Mapping[str, str], folds: Sequence[tuple[Split, Split]], schema: Schema
) -> Results:
    """Classifier → what it gets right in each (exact, perturbed) fold; one JVM for all. Needs a JDK."""
    found: Results = {name: [] for name in classifiers}
    with tempfile.TemporaryDirectory() as folder:
        for place, (exact, noisy) in enumerate(folds):
            for part, table in (("train", noisy.train), ("clean", exact.test), ("noisy", noisy.test)):
                write_arff(iter(table.to_batches()), Path(folder) / f"{part}-{place}.arff", schema)
        done = subprocess.run(
            ["java", "-Xmx1g", "-XX:+UseSerialGC", "-Djava.awt.headless=true", "-cp", WEKA, DRIVER, folder, str(len(folds)),
             *(f"{name}={java}" for name, java in classifiers.items())],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    for line in done.stdout.splitlines():
        name, _, *numbers = line.split("\t")
        found[name].append(dict(zip(("clean", "noisy", "rules"), map(float, numbers), strict=True)))
    return found


def python_folds(folds: Sequence[tuple[Split, Split]], schema: Schema) -> Results:
    """The nearest classifiers of scikit-learn, and wittgenstein's RIPPER and IREP where there are two classes."""
    import numpy as np

    found: Results = {}
    target = schema.nominal_target().name
    for place, (exact, noisy) in enumerate(folds):
        X, y = coded(noisy.train, schema), labels(noisy.train, target)
        tests = {"clean": exact.test, "noisy": noisy.test}
        for name, model in _equivalents(place, len(schema.nominal_target().labels)).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                told = _predictor(model, X, y)
                found.setdefault(name, []).append(
                    {
                        way: float(np.mean(told(coded(part, schema)) == labels(part, target)))
                        for way, part in tests.items()
                    }
                )
    return found


def _predictor(model: Any, X: Any, y: Any) -> Any:
    if not type(model).__module__.startswith("wittgenstein"):
        return model.fit(X, y).predict
    import numpy as np
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
