"""The wheel, installed with its dependencies for every Python of this machine, used outside the checkout."""

from __future__ import annotations

import os
import subprocess

from tests.packaging.environments import install

FIRST_MODEL = """
import sys
from pathlib import Path

import numpy as np

import privet
from privet import Ledger, NaiveBayes, Schema
from privet.budget import budget

assert Path(sys.prefix) in Path(privet.__file__).parents, privet.__file__
generator = np.random.default_rng(0)
ill = generator.integers(0, 2, 2000)
fever = 36.5 + 1.5 * ill + generator.normal(0, 0.6, 2000)
schema = Schema.of({"fever": (35.0, 42.0), "ill": [0, 1]}, target="ill", dataset="ward")
ledger = Ledger.in_memory()
ledger.open_account("ward", budget(1.0), unit=schema.unit)
model = NaiveBayes(epsilon=1.0, schema=schema, ledger=ledger).fit(fever[:, None], ill)
print(model.predict([[35.5], [39.5]]).tolist(), ledger.balance("ward"))
"""


def test_it_works_where_it_is_installed(python, wheel, tmp_path):
    commands = install(python, tmp_path / "environment", wheel)
    outside = tmp_path / "outside"
    outside.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def said(*words: object) -> str:
        done = subprocess.run(words, cwd=outside, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "Usage: privet" in said(commands / "privet", "--help")
    assert "naive-bayes" in said(commands / "privet", "algorithms")
    # The centres lie five standard deviations of the noise and more from the border between the classes.
    assert said(commands / "python", "-c", FIRST_MODEL).startswith("[0, 1] ")
