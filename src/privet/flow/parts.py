"""A flow over parts of a table that grows, or of a stream that is cut into files: run once for each part.

**Composition.** Every part is a run of its own, paid for from the account that its schema names.

- ``people = "new"``: nobody is in two parts, which is the owner's word. A person's records then enter the
  runs of one part alone, and those of all other parts are the same with and without them, whatever was
  released before: so all parts together are as private as the most expensive one (parallel composition).
  Each part has an account of its own, since other people pay; the unit must be "present or absent", because
  a unit that is *replaced* could leave one part and enter another.
- ``people = "same"``: a person may be in every part, so what the parts cost adds up (sequential composition),
  and one account pays for all.

What was released before is used again: whoever adds a part to the list and runs the flow pays for that part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.budget import Approximate, Ledger, Pure, Sequential
from privet.curator.owner import account_name
from privet.errors import ParameterError
from privet.flow.flow import Flow
from privet.flow.places import Places
from privet.flow.steps import FlowStep

if TYPE_CHECKING:
    from privet.flow.planning import FlowPlan
    from privet.flow.running import FlowResult
    from privet.schema import Schema

__all__ = [
    "PartsPlan",
    "PartsResult",
    "in_parts",
    "parts_of",
    "plan_parts",
    "refuse_mixed",
    "run_parts",
    "source_in_parts",
]

_NEW = "Nobody is in two parts, as their owner says, so they compose in parallel: each person pays at most"
_SAME = "The same people may be in every part, so what the parts cost adds up (sequential composition):"


def in_parts(flow: Flow) -> bool:
    """Whether a source of the flow is a list of tables."""
    return any(isinstance(step.settings.get("data"), list | tuple) for step in flow.steps)


def parts_of(flow: Flow) -> dict[str, Flow]:
    """The flow for each part, by the part's name: that of its file without the ending.

    >>> steps = {"people": {"do": "source", "data": ["may.csv", "june.csv"], "people": "new"},
    ...          "model": {"do": "naive-bayes", "from": "people"}}
    >>> [part.name for part in parts_of(Flow.from_dict({"name": "clinic", "steps": steps})).values()]
    ['clinic (may)', 'clinic (june)']
    """
    source = source_in_parts(flow)
    files = [str(each) for each in source.settings["data"]]
    names = [Path(file).name.split(".")[0] for file in files]
    if not files or len(set(names)) < len(names):
        raise ParameterError(
            f"The parts of '{source.name}' need names of their own, and there must be one.",
            'For example: data = ["may.csv", "june.csv"]',
        )
    return {
        name: replace(
            flow,
            name=f"{flow.name} ({name})",
            steps=tuple(_of_part(step, source, file, name) for step in flow.steps),
        )
        for name, file in zip(names, files, strict=True)
    }


def source_in_parts(flow: Flow) -> FlowStep:
    """The one source that is in parts; all other rows must be public, or they would be measured in each."""
    private = [s for s in flow.steps if s.do == "source" and s.settings.get("public") is not True]
    if len(private) != 1 or not isinstance(private[0].settings.get("data"), list | tuple):
        raise ParameterError(
            "A flow in parts has one private source, which is a list of tables.",
            "Make flows of their own of the other sources.",
        )
    if private[0].settings.get("people") is None:
        raise ParameterError(
            f"'{private[0].name}' is in parts, and does not say whether its parts are of the same people.",
            f'Write under [steps.{private[0].name}]:  people = "new"  (nobody is in two parts), or "same".',
        )
    return private[0]


def _of_part(step: FlowStep, source: FlowStep, file: str, name: str) -> FlowStep:
    if step.name == source.name:
        kept = {key: value for key, value in step.settings.items() if key != "people"}
        return replace(step, settings=kept | {"data": file})
    if isinstance(output := step.settings.get("output"), str):  # each part writes files of its own
        place = Path(output)
        own = str(place.with_name(f"{place.stem}.{name}{place.suffix}"))
        return replace(step, settings={**step.settings, "output": own})
    return step


@dataclass(frozen=True)
class PartsPlan:
    """What a flow over parts would cost: each part's own plan, and how they compose."""

    people: str
    plans: dict[str, FlowPlan]

    @property
    def total(self) -> Pure | Approximate | None:
        """What one person would pay now at most."""
        paid = [plan.total for plan in self.plans.values() if plan.total is not None]
        if not paid:
            return None
        if self.people == "new":
            return max(paid, key=lambda each: (each.epsilon, each.delta))
        return self._flow.composed(paid).total

    @property
    def _flow(self) -> Flow:
        return next(iter(self.plans.values())).flow

    def refuse_what_does_not_fit(self, ledger: Ledger) -> None:
        """Ask every account whether it could pay for all of its parts, before anything is spent."""
        paid = [plan for plan in self.plans.values() if plan.total is not None]
        for account in dict.fromkeys(account_name(plan.schema) for plan in paid if plan.schema):
            mine = [p for p in paid if p.schema is not None and account_name(p.schema) == account]
            total = self._flow.composed(p.total for p in mine if p.total is not None).total
            event = Sequential(tuple(plan.event() for plan in mine))
            schema = mine[0].schema
            assert schema is not None
            ledger.preview(account, event, unit=schema.unit, asked=total)

    def to_dict(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "total": None if self.total is None else self.total.to_dict(),
            "parts": {name: plan.to_dict() for name, plan in self.plans.items()},
        }

    def text(self) -> str:
        return "\n".join([*(plan.text() + "\n" for plan in self.plans.values()), self.stated()])

    def stated(self) -> str:
        """How the parts compose, and what that comes to."""
        total = "nothing" if self.total is None else str(self.total)
        return f"{_NEW if self.people == 'new' else _SAME} {total} now."


def plan_parts(
    flow: Flow, folder: str | Path = ".", store: str | Path | None = None, until: str | None = None
) -> PartsPlan:
    """What each part would cost, and all of them. Nothing is read, and nothing is spent."""
    people = str(source_in_parts(flow).settings["people"])
    plans = {name: p.plan(folder=folder, store=store, until=until) for name, p in parts_of(flow).items()}
    refuse_mixed(people, [plan.schema for plan in plans.values() if plan.schema is not None])
    return PartsPlan(people, plans)


def refuse_mixed(people: str, schemas: Sequence[Schema]) -> None:
    """Refuse parts whose accounts or units do not fit what is said about their people."""
    accounts = [account_name(schema) for schema in schemas]
    if people == "same" and len({(s.unit, a) for s, a in zip(schemas, accounts, strict=True)}) > 1:
        raise ParameterError(
            "The parts are of the same people, and their schemas name several data sets or units.",
            "Give them one data set's name: one account pays for all parts.",
        )
    if people == "new":
        if len(set(accounts)) < len(accounts):
            raise ParameterError(
                "The parts are of new people each, and two of them are paid for by one account.",
                "Give each part's schema a data set's name of its own, or say  people = \"same\".",
            )
        if any(schema.unit.neighbours != "add_remove" for schema in schemas):
            raise ParameterError(
                "Somebody who is replaced could leave one part and enter another, so parts of new people "
                "cannot be counted by themselves.",
                'Use the unit "present or absent", or say  people = "same".',
            )


@dataclass(frozen=True, eq=False)
class PartsResult:
    """What a flow gave, part by part."""

    plan: PartsPlan
    results: dict[str, FlowResult]

    def __getitem__(self, name: str) -> FlowResult:
        return self.results[name]

    def to_dict(self) -> dict[str, Any]:
        return {
            "people": self.plan.people,
            "composition": self.plan.stated(),
            "parts": {name: result.to_dict() for name, result in self.results.items()},
        }

    def text(self) -> str:
        return "\n\n".join([*(result.text() for result in self.results.values()), self.plan.stated()])


def run_parts(
    flow: Flow,
    folder: str | Path = ".",
    ledger: Ledger | None = None,
    store: str | Path | None = None,
    until: str | None = None,
) -> PartsResult:
    """Run the flow on each part. All are priced, and all accounts asked, before the first is paid for."""
    plan, parts = plan_parts(flow, folder, store, until), parts_of(flow)
    if ledger is not None:
        plan.refuse_what_does_not_fit(ledger)
    before = {name: _states(part, folder) for name, part in parts.items()}
    results: dict[str, FlowResult] = {}
    for name, part in parts.items():
        if _states(part, folder) != before[name]:
            raise ParameterError(
                f"The table of the part '{name}' has changed since the flow was priced. Nothing was spent on "
                f"it{_done(list(results))}.",
                "Run the flow again: parts that were released are used again.",
            )
        results[name] = part.run(folder=folder, ledger=ledger, store=store, until=until)
    return PartsResult(plan, results)


def _states(flow: Flow, folder: str | Path) -> list[str]:
    return [Places({}, Path(folder)).state(step) for step in flow.steps if step.do == "source"]


def _done(names: Sequence[str]) -> str:
    return f"; done before it: {', '.join(names)}" if names else ""
