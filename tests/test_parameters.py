"""Declared once, checked everywhere."""

from __future__ import annotations

import inspect
import math
from dataclasses import field
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from annotated_types import Ge, Gt, Le, Lt
from sklearn.base import BaseEstimator, clone

from privet.checks.contract import bad_values
from privet.errors import ParameterError
from privet.estimator import PrivateEstimator
from privet.parameters import Delta, Epsilon, Seed, parameters_of, validate, with_parameters


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


@with_parameters
class Declared(PrivateEstimator):
    """Fields of its own, and those of a base class in another module."""

    what: Annotated[Any, "Given by its place."] = field(kw_only=False)
    bins: Annotated[int, Ge(2), "How many."] = 4
    schema: Annotated[Any, "Its own."] = "infer"
    delta: Delta = field(init=False)

    def _fit(self, curator):
        raise NotImplementedError


def test_own_fields_come_before_those_of_the_base():
    names = ["what", "bins", "schema", "epsilon", "ledger", "random_state"]
    assert [parameter.name for parameter in parameters_of(Declared)] == names
    assert list(inspect.signature(Declared).parameters) == names
    assert sorted(Declared("x").get_params()) == sorted(names)


def test_what_is_read_off_fields():
    by_name = {parameter.name: parameter for parameter in parameters_of(Declared)}
    assert by_name["bins"].limits == ["at least 2"]
    assert by_name["epsilon"].limits == ["above 0", "at most 1e+06"]
    assert by_name["schema"].help == "Its own."
    assert by_name["schema"].default == "infer"
    with pytest.raises(ParameterError, match="bins must be at least 2"):
        validate(Declared("x", bins=1))


def test_fields_keep_the_contract_of_an_estimator():
    given = object()
    model = Declared(given, bins=3)
    assert model.what is given
    assert vars(model).keys() == model.get_params(deep=False).keys()
    assert model != Declared(given, bins=3)
    assert len({model, model}) == 1
    assert repr(clone(Declared("x", bins=3))) == "Declared(bins=3, what='x')"
    with pytest.raises(TypeError):
        Declared("x", 3)


def test_a_class_without_fields_of_its_own_has_those_of_its_base():
    class Heir(Declared):
        bins_: int

    assert parameters_of(Heir) == parameters_of(Declared)


def test_a_constructor_written_by_hand_declares_its_own():
    class ByHand(Declared):
        def __init__(self, *, bins=3):
            super().__init__("x", bins=bins)

    [bins] = parameters_of(ByHand)
    assert (bins.help, bins.default) == ("", 3)


def test_fields_without_a_base_of_privet():
    @with_parameters
    class Plain(BaseEstimator):
        bins: Annotated[int, Ge(2), "How many."] = 4

    assert Plain(bins=5).get_params() == {"bins": 5}
