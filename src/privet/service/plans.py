"""What a run would cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.budget import Amount, Balance, Event, Ledger, Sequential
from privet.curator.caveats import when_counted
from privet.curator.currency import event_for
from privet.curator.owner import as_read
from privet.release import Guarantee, Step, numbered
from privet.schema import Schema
from privet.service.accounts import account_of, amount_to_dict, balance_to_dict

if TYPE_CHECKING:
    from privet.evaluation.search_plan import SearchPlan

__all__ = ["Plan", "for_real", "planned"]


@dataclass(frozen=True)
class Plan:
    """A run that has not happened: its steps with their expected errors, its cost, and what would be left.

    ``amount`` is None if nothing would be promised. ``search`` is there if settings would be chosen: what
    would be tried, and how it would be paid for. ``public`` and ``caveats`` are those of the guarantee that
    a run would come with: what it takes to be public, with the origin of each entry, and what it does not
    cover.
    """

    what: str
    amount: Amount | None
    unit: str
    steps: tuple[Step, ...]
    dataset: str | None = None
    before: Balance | None = None
    after: Balance | None = None
    notes: tuple[str, ...] = ()
    how: str = ""
    search: SearchPlan | None = None
    public: tuple[tuple[str, str], ...] = ()
    caveats: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "dry_run": True,
            "what": self.what,
            "amount": amount_to_dict(self.amount),
            "unit": self.unit,
            "how": self.how,
            "steps": [step.to_dict() | {"amount": amount_to_dict(step.amount)} for step in self.steps],
            "dataset": self.dataset,
            "before": balance_to_dict(self.before) if self.before else None,
            "after": balance_to_dict(self.after) if self.after else None,
            "notes": list(self.notes),
        } | ({"search": self.search.to_dict()} if self.search else {})

    def text(self) -> str:
        """The cost, the balance before and after, and the expected error of each step."""
        cost = "" if self.amount is None else f" It would cost {self.amount}, protecting {self.unit}."
        lines = [f"Planned: {self.what}.{cost}"]
        if self.how:
            lines.append(f"How: {self.how}")
        lines += [f"It would have NO guarantee. {note}" for note in self.notes]
        if self.search:
            lines += self.search.lines()
        heading = "Steps, those of a trial with the first of the settings:" if self.search else "Steps:"
        lines += ["", heading, *(f"  {line}" for line in numbered(self.steps)), ""]
        if self.before is not None and self.after is not None:
            lines += [
                f"Ledger account '{self.dataset}'",
                f"  now:   {self.before}",
                f"  after: {self.after}",
            ]
        else:
            lines.append("No ledger keeps count of this run.")
        return "\n".join(lines)


def for_real(guarantee: Guarantee) -> tuple[str, ...]:
    """The caveats of a run on made-up people as those of one that a ledger counts."""
    return when_counted(guarantee.caveats)


def planned(
    what: str,
    guarantee: Guarantee,
    schema: Schema,
    events: Sequence[Event] | None,
    ledger: Ledger | None,
    how: str = "",
) -> Plan:
    """The plan of a run with this guarantee; raises as the ledger would refuse it, and writes nothing.

    Only what is public is looked at: no record is read. ``events`` are what the run is to a ledger: by
    default, one spend of the guarantee's amount. ``how`` says which method would be used, and why.
    """
    dataset = before = after = None
    caveats = guarantee.caveats
    if ledger is not None:
        if events is None:
            events = [event_for(guarantee.amount, what)]
        dataset = account_of(ledger, schema)
        read = as_read(schema, ledger)  # a schema that is not the owner's is refused
        caveats = when_counted(caveats, read)
        event = events[0] if len(events) == 1 else Sequential(tuple(events))
        before = ledger.balance(dataset)
        after = ledger.preview(dataset, event, unit=schema.unit, asked=guarantee.amount)
    return Plan(
        what,
        guarantee.amount,
        schema.unit.describe(),
        guarantee.steps,
        dataset,
        before,
        after,
        guarantee.voided,
        how,
        public=guarantee.public,
        caveats=caveats,
    )
