"""Declared once, checked everywhere."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from annotated_types import Ge, Gt, Le, Lt

from privet.checks.contract import bad_values
from privet.errors import ParameterError
from privet.parameters import Delta, Epsilon, Seed, parameters_of, validate


class Toy:
    def __init__(
        self,
        *,
        epsilon: Epsilon = 1.0,
        delta: Delta = 0.0,
        bins: Annotated[int, Ge(2), Le(9), "How many."] = 4,
        share: Annotated[float | None, Gt(0), Lt(1), "A part."] = None,
        mode: Annotated[Literal["fast", "exact"], "How."] = "fast",
        loud: Annotated[bool, "Whether."] = False,
        title: Annotated[str, "What."] = "",
        seed: Seed = None,
        plain: Any = None,
        bare=3,
    ) -> None:
        vars(self).update({name: value for name, value in locals().items() if name != "self"})


GOOD = {
    "epsilon": [1, 0.1, np.float64(2), np.int64(3), Fraction(1, 3), 1_000_000, 1e-9],
    "delta": [0, 0.0, 1e-9],
    "bins": [2, 9, np.int64(4)],
    "share": [None, 0.5],
    "mode": ["exact"],
    "loud": [True],
    "title": ["x"],
    "seed": [None, 3, object()],
    "plain": [object(), math.nan],
    "bare": ["anything"],
}
BAD = {
    "epsilon": [0, -1, math.nan, math.inf, "1", None, True, [], np.array([1.0, 2.0]), 10**400, 1_000_001, 1j],
    "delta": [1, -1e-9, None, math.nan],
    "bins": [1, 10, 2.0, 2.5, "2", None, True, math.nan],
    "share": [0, 1, "x", math.inf],
    "mode": ["slow", None, 1, ["fast"], np.array(["fast", "exact"]), np.array([1, 2])],
    "loud": [0, 1, "yes", None],
    "title": [3, None],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in GOOD.items() for v in values])
def test_good_values(name, value):
    validate(Toy(**{name: value}))


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in BAD.items() for v in values])
def test_bad_values(name, value):
    with pytest.raises(ParameterError, match=rf"Toy: {name} must be") as caught:
        validate(Toy(**{name: value}))
    assert caught.value.exit_code == 2
    assert isinstance(caught.value, ValueError)


def test_generated_bad_values_are_bad():
    for parameter in parameters_of(Toy):
        for value in bad_values(parameter):
            assert parameter.fault(value), (parameter.name, value)


def test_what_is_read_off_the_declaration():
    by_name = {parameter.name: parameter for parameter in parameters_of(Toy)}
    assert list(by_name) == [
        "epsilon",
        "delta",
        "bins",
        "share",
        "mode",
        "loud",
        "title",
        "seed",
        "plain",
        "bare",
    ]
    assert by_name["bins"].kind is int
    assert by_name["bins"].limits == ["at least 2", "at most 9"]
    assert by_name["share"].optional
    assert by_name["share"].kind is float
    assert by_name["mode"].choices == ("fast", "exact")
    assert by_name["seed"].kind is object
    assert by_name["mode"].describe() == "mode: one of fast, exact (default fast). How."
    assert by_name["loud"].describe() == "loud: yes or no (default False). Whether."
