"""The public face is pinned: a name added or lost is a decision, and importing it stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import privet

NAMES = [
    "AdditiveModel",
    "AdditiveRegressor",
    "AutoClassifier",
    "AutoRegressor",
    "Category",
    "DecisionTree",
    "Encoder",
    "Experiment",
    "Flow",
    "Ledger",
    "LinearRegression",
    "LogisticRegression",
    "NaiveBayes",
    "Number",
    "OneR",
    "PrivateSearch",
    "Ridge",
    "RuleMiner",
    "Schema",
    "SelectKBest",
    "Unit",
    "compare_models",
    "connect",
    "cross_validate",
    "diagnose",
    "evaluate",
    "forecast",
    "load_model",
    "made_up",
    "permutation_importance",
    "query",
    "read_schema",
    "save_model",
    "write_schema",
]
HEAVY = [
    "sklearn",
    "opendp",
    "numba",
    "pandas",
    "matplotlib",
    "ibis",
    "duckdb",
    "dp_accounting",
    "scipy",
    "sqlalchemy",
]


def loaded_after(statement: str) -> list[str]:
    program = f"import sys\n{statement}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return eval(done.stdout)


def test_names_are_pinned():
    assert privet.__all__ == NAMES
    assert sorted(dir(privet)) == sorted([*NAMES, "__version__"])


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name):
    assert getattr(privet, name).__module__.startswith("privet.")


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'NaiveBayse'"):
        privet.NaiveBayse  # noqa: B018


def test_importing_is_light():
    assert loaded_after("import privet") == []


def test_schemas_and_the_registry_are_light():
    assert loaded_after("import privet.schema, privet.registry, privet.parameters, privet.signing") == []
    assert loaded_after("from privet import Schema; Schema.of({'a': (0, 1)})") == []
