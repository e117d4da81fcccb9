"""WHAT IS SPENT: amounts, events, accountants, and the ledger that no copy can overspend."""

from privet.budget.accountants import Accountant, accountant_for
from privet.budget.amounts import (
    Amount,
    Approximate,
    Pure,
    Zcdp,
    amount_from_dict,
    budget,
    exact,
    rounded_down,
)
from privet.budget.book import Account
from privet.budget.conversions import rho_for, zcdp_to_epsilon
from privet.budget.cost import Cost, cost_of
from privet.budget.events import (
    ApproximateEvent,
    Event,
    GaussianEvent,
    NoGuarantee,
    Parallel,
    PureEvent,
    Sequential,
    event_from_dict,
)
from privet.budget.history import Entry, Head
from privet.budget.ledger import Ledger, PrivacyUnit, Reservation
from privet.budget.moving import move_ledger
from privet.budget.refusal import Balance
from privet.budget.stores.address import is_database, require_place, shown
from privet.budget.tight import tight_epsilon

__all__ = [
    "Account",
    "Accountant",
    "Amount",
    "Approximate",
    "ApproximateEvent",
    "Balance",
    "Cost",
    "Entry",
    "Event",
    "GaussianEvent",
    "Head",
    "Ledger",
    "NoGuarantee",
    "Parallel",
    "PrivacyUnit",
    "Pure",
    "PureEvent",
    "Reservation",
    "Sequential",
    "Zcdp",
    "accountant_for",
    "amount_from_dict",
    "budget",
    "cost_of",
    "event_from_dict",
    "exact",
    "is_database",
    "move_ledger",
    "require_place",
    "rho_for",
    "rounded_down",
    "shown",
    "tight_epsilon",
    "zcdp_to_epsilon",
]
