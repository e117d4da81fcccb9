"""What a function may hold when it travels, and what not."""

from __future__ import annotations

import functools
import math
import subprocess
import sys
import threading
from math import hypot

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet.errors import ParameterError
from privet.isolation.parcel import LARGEST, pack, unpack

WEIGHTS = {"age": 2.0, "dose": [1, 2, 3]}
TABLE = np.arange(100.0)


def twice(value):
    return 2 * value


def uses_globals(table):
    return twice(hypot(3, 4)) + WEIGHTS["dose"][2] + math.pi + np.linalg.norm([3.0, 4.0]) + len(table)


def counts_down(value):
    return value if value <= 0 else counts_down(value - 1)


def reads_a_global(table):
    return [TABLE[row] for row in range(3)]


def reads_it_deep_inside(table):
    def inner():
        return (lambda: TABLE.sum())()

    return inner()


def reads_it_through_another(table):
    return reads_a_global(table)


class Model:
    def predict(self, table):
        return 1.0


def test_functions_with_plain_values_travel():
    factor, names = 3, ("a", frozenset({1, b"x"}), None, 2.5, True)

    def nested(table, *, power=2, label="x"):
        def inner(value):
            return factor * value**power

        return inner(len(table)), names, label

    class Local:  # made by the code itself, when it runs
        pass

    def makes_a_class(table):
        class Inside:
            value = factor

        return Inside().value

    travelled = [unpack(pack(f).content) for f in (uses_globals, nested, makes_a_class)]
    assert travelled[0]([1]) == uses_globals([1])
    assert travelled[1]([1, 2]) == (12, names, "x")
    assert travelled[2]([]) == 3
    assert unpack(pack(counts_down).content)(5) == 0
    assert unpack(pack(functools.partial(nested, power=3)).content)([1, 2])[0] == 24
    assert unpack(pack(np.mean).content)([1, 3]) == 2
    with pytest.raises(ParameterError, match="class 'Local'"):
        pack(lambda table: Local())


def test_the_modules_that_it_needs_are_found():
    import sklearn.linear_model

    def function(table):
        from scipy import stats

        return sklearn.linear_model.LinearRegression, stats, np.linalg.norm

    assert {"scipy", "sklearn", "sklearn.linear_model", "numpy", "numpy.linalg"} <= set(
        pack(function).modules
    )


@pytest.mark.parametrize("function", [reads_a_global, reads_it_deep_inside, reads_it_through_another])
def test_a_table_in_a_global_name_is_refused(function):
    with pytest.raises(ParameterError, match="holds 'TABLE', of the type ndarray"):
        pack(function)


@pytest.mark.parametrize(
    "held",
    [
        np.arange(3), np.float64(1.0), pd.DataFrame({"x": [1]}), pd.Series([1.0]), pa.table({"x": [1]}),
        threading.Lock(), sys.stderr, Model(), Model().predict, (1, [np.arange(3)]), iter([1]),
        {"a": object()},
        b"x" * (LARGEST + 1), list(range(LARGEST)), "7" * (LARGEST + 1), 1 << 8 * (LARGEST + 1),
    ],
    ids=lambda held: type(held).__name__,
)  # fmt: skip
def test_what_could_be_records_is_refused_wherever_it_is_held(held):
    def default(table, held=held):
        return held

    def named(table, *, held=held):
        return held

    for function in (lambda table: held, default, named, functools.partial(twice, held)):
        with pytest.raises(ParameterError, match=r"holds .*held|default|function"):
            pack(function)


def test_neither_attributes_nor_wrapped_functions_travel():
    def function(table):
        return getattr(function, "table", None)

    function.table = TABLE
    assert unpack(pack(function).content)([]) is None


def test_objects_and_modules_of_ones_own_are_refused(tmp_path, monkeypatch):
    (tmp_path / "own_module_of_a_test.py").write_text(
        "TABLE = [4711]\ndef read(table):\n    return TABLE[0]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import own_module_of_a_test as own

    with pytest.raises(ParameterError, match="'own_module_of_a_test', which is not installed"):
        pack(lambda table: own.read(table))
    assert unpack(pack(own.read).content)([]) == 4711  # by its code; the value is small and plain
    with pytest.raises(ParameterError, match="of the type Model"):
        pack(Model())


def test_a_notebooks_function_travels_too():
    script = (
        "import privet.isolation.cell as cell, pyarrow as pa\n"
        "def mean(table): return table['x'].to_numpy().mean()\n"
        "with cell.Isolated(lambda table: mean(table), 1, 10.0, False) as isolated:\n"
        "    print(isolated.run([pa.table({'x': [1.0, 3.0]})])[0])\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[2.]\n"
