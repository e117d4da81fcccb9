"""WEKA is the judge of its own error measures: from its predictions follow the figures that it prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from privet.evaluation import metrics
from privet.sources import write_arff

pytestmark = pytest.mark.weka

JAR = Path("/usr/share/java/weka.jar")


def weka(*arguments: object) -> str:
    if not JAR.exists() or shutil.which("java") is None:
        reason = "Debian's weka package is not installed: apt-get install weka"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    command = ["java", "-Djava.awt.headless=true", "-cp", str(JAR), "weka.classifiers.bayes.NaiveBayes"]
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=True)
    return done.stdout


def printed(text: str, title: str) -> float:
    found = re.search(rf"^{title}\s+(-?[\d.]+)", text.split("Error on test data")[1], re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_figures_from_wekas_predictions_are_wekas(tmp_path, schema, held_out):
    table = held_out.filter(held_out["stage"].is_valid()).combine_chunks()
    parts = {"train": table.slice(0, 700), "test": table.slice(700, 900)}
    for name, part in parts.items():
        write_arff(part.to_batches(), tmp_path / f"{name}.arff", schema)
    files = ("-t", tmp_path / "train.arff", "-T", tmp_path / "test.arff", "-c", "last")
    summary = weka(*files)
    rows = re.findall(
        r"^\s*\d+\s+(\d):\S+\s+(\d):\S+\s+\+?\s*(\S+)\s*$", weka(*files, "-p", "0", "-distribution"), re.M
    )
    assert len(rows) == 900
    actual, predicted = (np.array([int(row[place]) - 1 for row in rows]) for place in (0, 1))
    p = np.array([[float(part.strip("*")) for part in row[2].split(",")] for row in rows])
    confusion = np.zeros((3, 3), int)
    np.add.at(confusion, (actual, predicted), 1)
    y = np.eye(3)[actual]
    trained = np.array([parts["train"]["stage"].to_pylist().count(label) for label in schema["stage"].labels])
    prior = (trained + 1) / (trained + 1).sum()
    absolute, square = np.abs(p - y).sum(), ((p - y) ** 2).sum()
    prior_absolute, prior_square = metrics.prior_errors(confusion.sum(axis=1), prior)
    ours = {
        "Correctly Classified Instances": metrics.accuracy(confusion) * 900,
        "Kappa statistic": metrics.kappa(confusion),
        "Mean absolute error": metrics.mean_absolute_error(absolute, 900, 3),
        "Root mean squared error": metrics.root_mean_squared_error(square, 900, 3),
        "Relative absolute error": 100 * metrics.relative_absolute_error(absolute, prior_absolute),
        "Root relative squared error": 100 * metrics.root_relative_squared_error(square, prior_square),
    }
    # WEKA prints probabilities to three decimals and figures to four.
    for title, value in ours.items():
        assert float(value) == pytest.approx(printed(summary, title), rel=2e-3), title
