"""What a run would cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from privet.budget import (
    Amount,
    Approximate,
    Balance,
    Event,
    GaussianEvent,
    Ledger,
    Pure,
    PureEvent,
    Sequential,
    rho_for,
)
from privet.release import Step
from privet.service.ledgers import amount_to_dict, balance_to_dict

__all__ = ["Plan", "event_for", "plan_against"]


@dataclass(frozen=True)
class Plan:
    """A run that has not happened: its steps with their expected errors, its cost, and what would be left."""

    what: str
    amount: Amount
    unit: str
    steps: tuple[Step, ...]
    dataset: str | None = None
    before: Balance | None = None
    after: Balance | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "dry_run": True,
            "what": self.what,
            "amount": amount_to_dict(self.amount),
            "unit": self.unit,
            "steps": [step.to_dict() | {"amount": amount_to_dict(step.amount)} for step in self.steps],
            "dataset": self.dataset,
            "before": balance_to_dict(self.before) if self.before else None,
            "after": balance_to_dict(self.after) if self.after else None,
            "notes": list(self.notes),
        }


def event_for(amount: Pure | Approximate, what: str) -> Event:
    """What the curator reserves for a run of this amount: ε, or the ρ that (ε, δ) allows."""
    if isinstance(amount, Pure):
        return PureEvent(amount.epsilon, what)
    return GaussianEvent(rho_for(amount.epsilon, amount.delta), what)


def plan_against(
    ledger: Ledger, dataset: str, unit: Any, events: Sequence[Event]
) -> tuple[Balance, Balance]:
    """The balances before and after; raises as the run itself would be refused, and writes nothing."""
    event = events[0] if len(events) == 1 else Sequential(tuple(events))
    return ledger.balance(dataset), ledger.preview(dataset, event, unit=unit)
