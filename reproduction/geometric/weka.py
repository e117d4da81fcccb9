"""WEKA's own learners, as the judge that the geometric-perturbation work used."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import pyarrow as pa

from benchmarks.peers import WEKA
from privet.schema import Schema
from privet.sources import write_arff

CLASSIFIERS = {
    "naive Bayes": "weka.classifiers.bayes.NaiveBayes",
    "decision tree": "weka.classifiers.trees.J48",
}
TITLES = (
    "Kappa statistic",
    "Mean absolute error",
    "Root mean squared error",
    "Relative absolute error",
    "Root relative squared error",
)


def weka_measures(table: pa.Table, schema: Schema, learner: str) -> list[list[float]]:
    """The six measures of WEKA's naive Bayes or J48, cross-validated in ten folds by WEKA, once."""
    with tempfile.TemporaryDirectory() as folder:
        arff = Path(folder) / "table.arff"
        write_arff(iter(table.to_batches()), arff, schema)
        done = subprocess.run(
            ["java", "-Xmx2g", "-XX:+UseSerialGC", "-Djava.awt.headless=true", "-cp", WEKA, CLASSIFIERS[learner],
             "-t", arff, "-c", "last", "-x", "10", "-o", "-v"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    return [_printed(done.stdout.split("Stratified cross-validation")[1])]


def _printed(text: str) -> list[float]:
    right = re.search(r"^Correctly Classified Instances\s+\d+\s+([\d.]+)\s+%", text, re.MULTILINE)
    assert right is not None
    values = [float(right[1]) / 100]
    for title in TITLES:
        line = re.search(rf"^{title}\s+(-?[\d.]+(?:E-?\d+)?)(\s+%)?", text, re.MULTILINE)
        assert line is not None
        values.append(float(line[1]) / (100 if line[2] else 1))
    return values
