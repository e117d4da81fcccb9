"""The common checks of what runs a user's function: those of other algorithms, with a function to run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from privet.checks.contract import check_constructor_only_stores, check_fit_keeps_parameters
from privet.checks.example import Make
from privet.checks.guarantee import (
    check_approximate,
    check_epsilon_is_refused,
    check_guarantee,
    check_schema_is_needed,
    check_secure_runs_differ,
    check_seed_voids,
)
from privet.checks.spending import (
    check_fit_spends_once,
    check_ledger_needs_a_guarantee,
    check_refusal_reads_nothing,
    check_rehearsal_is_free,
)
from privet.parameters import parameters_of

__all__ = ["CHECKS"]


def mean_height(block: Any) -> float:
    """What the checks run on each block."""
    return float(block["height"].mean())


def _names(make: Make) -> set[str]:
    """The parameters of what is checked: how much it runs at a time has no common name."""
    return {
        parameter.name for parameter in parameters_of(type(make(function=mean_height, low=1.0, high=2.2)))
    }


def _with_function(check: Callable[[Make], None]) -> Callable[[Make], None]:
    @wraps(check)
    def run(make: Make) -> None:
        few = {"blocks": 4} if "blocks" in _names(make) else {"units": 20}
        check(partial(make, function=mean_height, low=1.0, high=2.2, **few))

    return run


CHECKS: tuple[Callable[[Make], None], ...] = tuple(
    map(
        _with_function,
        (
            check_constructor_only_stores,
            check_fit_keeps_parameters,
            check_epsilon_is_refused,
            check_guarantee,
            check_approximate,
            check_schema_is_needed,
            check_seed_voids,
            check_secure_runs_differ,
            check_fit_spends_once,
            check_refusal_reads_nothing,
            check_ledger_needs_a_guarantee,
            check_rehearsal_is_free,
        ),
    )
)
