"""Naive Bayes beside diffprivlib's and WEKA's on the adult table: accuracy, and time for the same fit."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import data, peers
from benchmarks.figures import Figure, best_time
from benchmarks.naive_bayes_accuracy import accuracy
from privet import NaiveBayes, Schema
from privet.sources import ArrowSource, write_arff

EPSILONS = (0.1, 0.5, 1.0, 3.0)

_DIFFPRIVLIB = """
import time
from diffprivlib.models import GaussianNB
from sklearn.model_selection import KFold
X, y = data["X"], data["y"]
bounds = (data["low"], data["high"])
result = {}
for epsilon in (0.1, 0.5, 1.0, 3.0):
    scores = []
    for seed in range(2):
        for train, test in KFold(10, shuffle=True, random_state=seed).split(X):
            model = GaussianNB(epsilon=epsilon, bounds=bounds).fit(X[train], y[train])
            scores.append(float((model.predict(X[test]) == y[test]).mean()))
    result[str(epsilon)] = sum(scores) / len(scores)
start = time.perf_counter()
GaussianNB(epsilon=1.0, bounds=bounds).fit(X, y)
result["time"] = time.perf_counter() - start
print(json.dumps(result))
"""


def run() -> list[Figure]:
    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    table, schema = data.load("adult")
    frame = table.to_pandas()
    numbers = [c.name for c in schema.attributes if hasattr(c, "low")]
    X = frame[numbers].to_numpy(float)
    low = np.array([schema[name].low for name in numbers], float)  # type: ignore[union-attr]
    high = np.array([schema[name].high for name in numbers], float)  # type: ignore[union-attr]
    y = (frame["class"] == ">50K").to_numpy(int)
    # diffprivlib's naive Bayes takes numbers only: one-hot columns stand for the nominal ones.
    hot = [
        (frame[c.name] == value).to_numpy(float)[:, None]
        for c in schema.attributes
        if not hasattr(c, "low")
        for value in c.labels
    ]
    wide = np.hstack([X, *hot])
    wide_low, wide_high = np.r_[low, np.zeros(len(hot))], np.r_[high, np.ones(len(hot))]
    figures = []
    for name, columns, bounds in (("numbers only", X, (low, high)), ("one-hot", wide, (wide_low, wide_high))):
        peer = peers.diffprivlib(_DIFFPRIVLIB, X=columns, y=y, low=bounds[0], high=bounds[1])
        for epsilon in EPSILONS:
            ours = accuracy(table, schema, 1, epsilon=epsilon)
            figures.append(Figure(f"adult at ε = {epsilon}: points above diffprivlib ({name}: {peer[str(epsilon)]:.3f})",
                                  100 * (ours - peer[str(epsilon)]), 0, at_least=True, unit=""))  # fmt: skip
        if name == "numbers only":
            same = Schema.of(
                {n: (a, b) for n, a, b in zip(numbers, low, high, strict=True)} | {"y": [0, 1]}, target="y"
            )
            fit = lambda: NaiveBayes(schema=same, numeric="gaussian").fit(X, y)  # noqa: E731, B023
            fit()
            figures.append(
                Figure("  time of the same fit, of diffprivlib's", best_time(fit) / peer["time"], 1.0)
            )
    if peers.weka_available():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "adult.arff"
            write_arff(ArrowSource(table), path, schema)
            start = time.perf_counter()
            weka = peers.weka_accuracy(path)
            figures.append(Figure("adult: WEKA's NaiveBayes, not private", weka, unit=""))
            figures.append(Figure("  its 10 folds", time.perf_counter() - start, unit="s"))
    return figures
