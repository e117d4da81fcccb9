"""Each check of the perturbations rejects a perturbation that breaks its promise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any

import pytest

from privet.budget import Pure
from privet.checks import perturbation
from privet.errors import DataError
from privet.perturbation import Rotation
from privet.perturbation.nominal import RandomisedColumns
from privet.registry import algorithms_with


class StoresMore(Rotation):
    def __init__(self, *, schema: Any = None, columns: Any = None, key: Any = None, random_state: Any = None):
        super().__init__(schema=schema, columns=columns, key=key, random_state=random_state)
        self.when = "today"


class Undeclared(RandomisedColumns):
    def __init__(self, *, schema: Any = None, columns: Any = None, epsilon: float = 1.0):
        super().__init__(schema=schema, columns=columns, epsilon=epsilon)


class TakesAnything(RandomisedColumns):
    def fit(self, X: Any, y: Any = None) -> Any:
        self.epsilon = self.epsilon if isinstance(self.epsilon, int | float) and self.epsilon > 0 else 1.0
        return super().fit(X, y)


class WritesParameters(Rotation):
    def fit(self, X: Any = None, y: Any = None) -> Any:
        super().fit(X, y)
        self.columns = self.columns_
        return self


class ClaimsTooMuch(RandomisedColumns):
    """WRONG: the age and the height leave as they are."""

    def fit(self, X: Any, y: Any = None) -> Any:
        super().fit(X, y)
        self.guarantee_ = replace(self.guarantee_, amount=Pure(Fraction(1)), voided=())
        return self


class AlwaysTheSame(Rotation):
    def fit(self, X: Any = None, y: Any = None) -> Any:
        given, self.random_state = self.random_state, 7
        super().fit(X, y)
        self.random_state = given
        return self


class LosesParts(Rotation):
    def in_parts(self, batches: Any) -> Any:
        return list(super().in_parts(batches))[1:]


class DrawsAgain(Rotation):
    def __init__(
        self,
        *,
        schema: Annotated[Any, "Public."] = None,
        columns: Annotated[Any, "Which."] = None,
        key: Annotated[Any, "Not used."] = None,
        random_state: Annotated[Any, "A seed."] = None,
    ) -> None:
        super().__init__(schema=schema, columns=columns, key=key, random_state=random_state)

    def _start(self, *settled: Any) -> None:
        given, self.key = self.key, None
        super()._start(*settled)
        self.key = given


class ShowsItsKey(Rotation):
    def described(self) -> dict[str, Any]:
        return super().described() | {"how": self.key_.values}


class QuotesTheTable(RandomisedColumns):
    def _coded(self, name: str, values: Any) -> Any:
        try:
            return super()._coded(name, values)
        except DataError:
            raise DataError(f"{name} holds {values[0]}.") from None


BROKEN = [
    ("check_constructor_only_stores", StoresMore),
    ("check_perturbation_is_declared", Undeclared),
    ("check_bad_values_are_refused", TakesAnything),
    ("check_fit_keeps_parameters", WritesParameters),
    ("check_guarantee_is_stated", ClaimsTooMuch),
    ("check_seed_voids", AlwaysTheSame),
    ("check_parts_are_perturbed", LosesParts),
    ("check_key_round_trip", DrawsAgain),
    ("check_key_round_trip", ShowsItsKey),
    ("check_errors_hold_no_data", QuotesTheTable),
]


@pytest.mark.parametrize(("check", "broken"), BROKEN, ids=lambda each: getattr(each, "__name__", each))
def test_what_is_broken_is_found(check, broken):
    with pytest.raises(AssertionError):
        getattr(perturbation, check)(broken)


def test_every_check_has_a_broken_perturbation():
    assert {check.__name__ for check in perturbation.CHECKS} == {name for name, _ in BROKEN}


def test_every_perturbation_has_these_checks():
    assert all(entry.checks() == perturbation.CHECKS for entry in algorithms_with("perturb"))


def test_keys_are_known_by_the_registered_name():
    for entry in algorithms_with("perturb"):
        assert getattr(entry.load(), "method", entry.name) == entry.name
