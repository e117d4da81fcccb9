"""The common checks that every algorithm passes; shipped, so that plug-ins can run them too.

One function is one check: it takes the algorithm (its class, or anything that makes one from keyword
parameters) and raises ``AssertionError`` where the contract is broken.

>>> from privet.checks import CHECKS, check_constructor_only_stores
>>> from privet.learning.classify import NaiveBayes
>>> check_constructor_only_stores in CHECKS
True
>>> check_constructor_only_stores(NaiveBayes)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from privet.checks.audited import check_claim_is_not_refuted
from privet.checks.contract import (
    check_bad_values_are_refused,
    check_constructor_only_stores,
    check_fit_keeps_parameters,
    check_parameters_are_declared,
    check_scikit_learn,
)
from privet.checks.example import Make
from privet.checks.guarantee import (
    check_approximate,
    check_epsilon_is_refused,
    check_guarantee,
    check_inferred_schema_voids,
    check_neighbours,
    check_schema_is_needed,
    check_secure_runs_differ,
    check_seed_voids,
)
from privet.checks.spending import (
    check_failed_fit_stays_spent,
    check_fit_spends_once,
    check_ledger_needs_a_guarantee,
    check_refusal_reads_nothing,
    check_rehearsal_is_free,
    check_unfit_table_costs_nothing,
)
from privet.checks.what_leaves import check_errors_hold_no_data, check_model_round_trip
from privet.registry import ALGORITHMS

__all__ = ["CHECKS", "UNTARGETED", "Make", "check_algorithm", "check_registry"]

Check = Callable[[Make], None]

CHECKS: tuple[Check, ...] = (
    check_constructor_only_stores,
    check_parameters_are_declared,
    check_bad_values_are_refused,
    check_fit_keeps_parameters,
    check_scikit_learn,
    check_epsilon_is_refused,
    check_guarantee,
    check_approximate,
    check_neighbours,
    check_schema_is_needed,
    check_seed_voids,
    check_inferred_schema_voids,
    check_secure_runs_differ,
    check_fit_spends_once,
    check_refusal_reads_nothing,
    check_unfit_table_costs_nothing,
    check_failed_fit_stays_spent,
    check_ledger_needs_a_guarantee,
    check_rehearsal_is_free,
    check_model_round_trip,
    check_errors_hold_no_data,
    check_claim_is_not_refuted,
)


#: For algorithms without a target: scikit-learn's own checks hand every estimator one.
UNTARGETED: tuple[Check, ...] = tuple(check for check in CHECKS if check is not check_scikit_learn)


def check_algorithm(make: type[Any] | Make, checks: Iterable[Check] = CHECKS) -> None:
    """Run every check on one algorithm; the first broken promise is raised.

    The checks are those of private estimators, unless others are given: those of its family.
    """
    for check in checks:
        check(make)


def check_registry() -> None:
    """Run the checks of its family on every registered algorithm."""
    for entry in ALGORITHMS:
        check_algorithm(entry.load(), entry.checks())
