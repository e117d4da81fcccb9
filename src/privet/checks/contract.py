"""Checks of the scikit-learn contract and of declared parameters."""

from __future__ import annotations

from typing import Any

from annotated_types import Ge, Gt, Le, Lt

from privet.checks.example import Make, example, public, refused
from privet.errors import ParameterError
from privet.parameters import Parameter, parameters_of

__all__ = [
    "bad_values",
    "check_bad_values_are_refused",
    "check_constructor_only_stores",
    "check_fit_keeps_parameters",
    "check_parameters_are_declared",
    "check_scikit_learn",
]

#: What every private algorithm takes, besides parameters of its own.
COMMON = ("epsilon", "delta", "schema", "ledger", "random_state")


def check_constructor_only_stores(make: Make) -> None:
    """Every parameter is kept as the very object that was given."""
    given = {parameter.name: object() for parameter in _declared(make)}
    model = type(make())(**given)
    for name, value in given.items():
        assert getattr(model, name) is value, f"The constructor changes {name}."
    assert set(vars(model)) == set(given), "The constructor stores something besides its parameters."


def check_parameters_are_declared(make: Make) -> None:
    """Every parameter has a line of help and a default that fits its own declaration."""
    parameters = _declared(make)
    names = [parameter.name for parameter in parameters]
    for name in COMMON:
        assert name in names, f"The parameter {name} is missing."
    for parameter in parameters:
        assert parameter.help.strip(), f"The parameter {parameter.name} has no line of help."
        assert parameter.fault(parameter.default) is None, f"The default of {parameter.name} is refused."


def bad_values(parameter: Parameter) -> list[Any]:
    """Values that a declaration rules out.

    >>> bad_values(Parameter("bins", int, 16, "How many.", bounds=(Ge(2),)))
    ['a text', [], nan, 2.5, 1]
    """
    if parameter.choices:
        return ["none of the choices", object(), []]
    if parameter.kind in (int, float):
        wrong: list[Any] = ["a text", [], float("nan"), 2.5 if parameter.kind is int else float("inf")]
        step = 1 if parameter.kind is int else 1e-3
        return wrong + [_just_outside(bound, step) for bound in parameter.bounds]
    return {bool: ["yes", 1], str: [1, []]}.get(parameter.kind, [])


def _just_outside(bound: Any, step: float) -> Any:
    match bound:
        case Ge():
            return bound.ge - step  # type: ignore[operator]
        case Le():
            return bound.le + step  # type: ignore[operator]
        case Gt():
            return bound.gt
        case Lt():
            return bound.lt
    raise AssertionError(f"A {type(bound).__name__} is no bound that Privet checks.")


def check_bad_values_are_refused(make: Make) -> None:
    """``fit`` refuses every value that the declaration rules out, before it looks at the data."""
    for parameter in _declared(make):
        for value in bad_values(parameter):
            model = make(schema=public(make)).set_params(**{parameter.name: value})
            with refused(ParameterError, f"{parameter.name} = {value!r}"):
                model.fit(None)


def check_fit_keeps_parameters(make: Make) -> None:
    """``fit`` leaves the parameters as they are, returns the model, and what it learned ends in ``_``."""
    model = make(schema=public(make), random_state=0)
    before = model.get_params(deep=False)
    assert model.fit(example()) is model, "fit must return the model itself."
    for name, value in model.get_params(deep=False).items():
        assert value is before[name], f"fit changes the parameter {name}."
    surplus = [name for name in vars(model) if name not in before and not name.endswith("_")]
    assert not surplus, f"What fit learns must end in an underscore: {surplus}."


def check_scikit_learn(make: Make) -> None:
    """scikit-learn's own checks, in full. Their tables come without a schema, so it is inferred."""
    import warnings

    from sklearn.exceptions import SkipTestWarning
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        # One check needs a variable of the environment that SciPy reads when it is first imported.
        warnings.simplefilter("ignore", SkipTestWarning)
        check_estimator(make(schema="infer", epsilon=100.0))


def _declared(make: Make) -> tuple[Parameter, ...]:
    return parameters_of(type(make()))
