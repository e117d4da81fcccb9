"""The plan of a flow: every step rehearsed on no records, the budget divided, and the price of all of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from privet.budget import Approximate, Event, Pure, exact
from privet.curator.run import Run
from privet.curator.tables import empty_table
from privet.errors import ParameterError, PrivetError
from privet.flow.allocation import amounts, error_of, searching_amounts, shares
from privet.flow.flow import Flow
from privet.flow.graph import whole as step_of
from privet.flow.places import Places
from privet.flow.scoring import parts_of, scored
from privet.flow.steps import FlowStep
from privet.flow.store import Releases, Store, identities, reserved_for
from privet.flow.walk import Given, Measured, RowsAt, measured, passed_on, public_run, run_schema, taken
from privet.randomness import seeded
from privet.release import Step, numbered
from privet.schema import Schema

__all__ = ["FlowPlan", "PlannedStep", "planned"]


@dataclass(frozen=True)
class PlannedStep:
    """What a step gets of the budget, and what that buys: its questions with their expected errors.

    ``amount`` is None for steps that cost nothing; ``free`` says why. ``later`` says that the plan ends
    before the step: its part of the budget is set, and not paid for. ``identity`` is what a release of it is
    kept by. ``expected`` is what a score is expected to tell of its model.
    """

    name: str
    do: str
    amount: Pure | Approximate | None
    share: Fraction | None
    buys: tuple[Step, ...]
    free: str = ""
    later: bool = False
    identity: str = ""
    expected: str = ""

    @property
    def paid(self) -> bool:
        """Whether it would be paid for now."""
        return self.amount is not None and not self.free and not self.later

    def in_words(self) -> list[str]:
        """What it buys: its questions with their errors, and what a score is expected to tell."""
        return [*(asked.sentence() for asked in self.buys), *([f"{self.expected}."] if self.expected else [])]

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "do": self.do,
            "amount": None if self.amount is None else self.amount.to_dict(),
            "epsilon": None if self.amount is None else float(self.amount.epsilon),
            "share": None if self.share is None else str(self.share),
            "buys": [step.to_dict() for step in self.buys],
            "free": self.free,
            "later": self.later,
            "expected": self.expected,
        }


@dataclass(frozen=True)
class FlowPlan:
    """A flow that has not run: what each step gets and buys, and the price of all. Nothing was spent.

    ``total`` is what would be paid now: less than the flow's budget if some steps were released before; None
    if nothing would be paid.
    """

    flow: Flow
    steps: tuple[PlannedStep, ...]
    total: Pure | Approximate | None
    schema: Schema | None
    why: str = ""  # why it is this epsilon, where it was chosen for a goal

    def amount_of(self, name: str) -> Pure | Approximate | None:
        return next(step.amount for step in self.steps if step.name == name)

    def event(self) -> Event:
        """What the flow is to a ledger."""
        parts = (s.amount for s in self.steps if s.amount is not None and s.paid)
        return self.flow.composed(parts).event(f"flow {self.flow.name}")

    def to_dict(self) -> dict[str, Any]:
        price = None if self.total is None else self.total.to_dict()
        unit = None if self.schema is None else self.schema.unit.describe()
        return {
            **self.flow.to_dict(),
            "price": {"total": price, "unit": unit, "steps": [step.to_dict() for step in self.steps]},
        }

    def text(self) -> str:
        unit = "" if self.schema is None else f", protecting {self.schema.unit.describe()}"
        cost = f"It would cost {self.total}{unit}." if self.total else "It would cost nothing."
        lines = [f"Planned: the flow '{self.flow.name}'. {cost}", *([self.why] if self.why else []), ""]
        for step in self.steps:
            if step.free:
                lines.append(f"{step.name} ({step.do}): free. {step.free}")
                continue
            later = " (later)" if step.later else ""
            share = f", {100 * float(step.share):.3g} % of the budget" if step.share is not None else ""
            lines.append(f"{step.name} ({step.do}){later}: {step.amount}{share}")
            lines += [f"    {line}" for line in numbered(step.buys)]
            lines += [f"    {step.expected}."] if step.expected else []
        return "\n".join(lines)


def planned(
    flow: Flow, places: Places, store: str | Path | Releases | None = None, until: str | None = None
) -> FlowPlan:
    """What a flow would cost, from what is public alone; ``until`` a step, or all of it.

    The budget is divided among all steps, whatever is run now: so what is run later fits what was run before.
    """
    schema = paying_schema(flow, places)
    priced = flow.graph.priced()
    wanted = wanted_steps(flow, until)
    whole = flow.amount
    searching = [step.name for step in priced if step.kind.searches]
    alone = {s.name: Pure(whole.epsilon) if searching and s.name not in searching else whole for s in priced}
    first = _Rehearsal(flow, places, alone)
    by_name = {step.name: step for step in flow.graph.order}
    errors = {n: error_of(found.guarantee.steps, by_name[n]) for n, found in first.measured.items()}
    expected: Mapping[str, str] = {}
    if flow.allocation == "fixed":
        fixed = {s.name: exact(float(s.epsilon or 0)) for s in priced}
        got: Mapping[str, Pure | Approximate] = searching_amounts(fixed, whole.delta, searching)
        parts: dict[str, Fraction | None] = dict.fromkeys(got)
        whole = flow.composed(got.values()).total if got else whole
    else:
        pure = isinstance(whole, Pure) or bool(searching)
        read = {s.name: first.read[s.name] for s in priced if s.do == "evaluate"}
        scores = scored(flow, read, Pure(whole.epsilon) if searching else whole, pure=pure)
        least = parts_of(scores)
        divided = shares(priced, flow.allocation, flow.goal, errors, pure=pure, scores=least)
        got, parts = amounts(whole, divided, searching), dict(divided)
        expected = {name: each.buys(float(divided[name])) for name, each in scores.items()}
    second = _Rehearsal(flow, places, got)
    known = {} if store is None else identities(flow, places, got)
    held, reserved = _held(flow, known, store, wanted)
    steps = []
    for step in flow.graph.order:
        amount = got.get(step.name)
        free = "" if amount is not None else _why_free(step)
        free = (
            "The reservation of the run that was interrupted pays for it." if step.name in reserved else free
        )
        free = "It was released before, and is used again." if step.name in held else free
        buys = second.measured[step.name].guarantee.steps if amount is not None else ()
        later, identity = step.name not in wanted, known.get(step.name, "")
        steps.append(
            PlannedStep(
                step.name,
                step.do,
                amount,
                parts.get(step.name),
                buys,
                free,
                later,
                identity,
                expected.get(step.name, ""),
            )
        )
    new = [step.amount for step in steps if step.amount is not None and step.paid]
    if len(new) == len(priced):
        total = whole if priced else None
    else:
        total = flow.composed(new).total if new else None
    return FlowPlan(flow, tuple(steps), total, schema)


def wanted_steps(flow: Flow, until: str | None) -> set[str]:
    """The steps that are to run: all, or one with all that it depends on."""
    names = {step.name for step in flow.steps}
    if until is None:
        return names
    if until not in names:
        raise ParameterError(f"The flow has no step '{until}'.", f"Its steps: {', '.join(sorted(names))}.")
    return flow.graph.before(until)


def _held(
    flow: Flow, known: Mapping[str, str], store: str | Path | Releases | None, wanted: set[str]
) -> tuple[set[str], set[str]]:
    """The steps that were released before, and those that an interrupted run has paid for."""
    if store is None or (isinstance(store, str | Path) and not Path(store).is_dir()):
        return set(), set()
    kept = Store(store) if isinstance(store, str | Path) else store
    held = {name for name, identity in known.items() if kept.has(identity)}
    journal = kept.journal if isinstance(kept, Store) else None
    return held, reserved_for(journal, flow, known, wanted) - held


def _why_free(step: FlowStep) -> str:
    if step.do in ("keep", "clip", "split"):
        return (
            "It reads one record at a time and public constants."
            if step.do != "split"
            else ("Every unit draws its part by itself; nobody is told which.")
        )
    return "It shows what was released." if step.do in ("report", "save") else "It measures no private rows."


def paying_schema(flow: Flow, places: Places) -> Schema | None:
    """The schema that says who pays: one account for all private sources."""
    schemas = {
        step.name: places.schema(step)
        for step in flow.graph.order
        if step.do == "source" and step.settings.get("public") is not True
    }
    if len({(schema.dataset, schema.unit) for schema in schemas.values()}) > 1:
        raise ParameterError(
            "The flow's private sources are of several data sets or units of privacy, and one account pays.",
            "Make a flow for each, or declare the tables as one data set.",
        )
    return next(iter(schemas.values()), None)


class _Rehearsal:
    """The flow on tables without records."""

    def __init__(self, flow: Flow, places: Places, got: Mapping[str, Pure | Approximate]) -> None:
        self.measured: dict[str, Measured] = {}
        self.read: dict[str, Schema] = {}  # what each step that measures reads its rows through
        outputs: dict[str, Given] = {}
        self._graph = flow.graph
        for step in flow.graph.order:
            if step.do == "source":
                schema = places.schema(step)
                private = step.settings.get("public") is not True
                outputs[step.name] = RowsAt(empty_table(schema), schema, private, frozenset(schema.names))
                continue
            try:
                outputs[step.name] = self._passed(step, taken(step, outputs), got.get(step.name))
            except PrivetError as error:
                place = f"steps.{step.name}"
                if not error.parameter.startswith("steps."):
                    error.parameter = f"{place}.{error.parameter}" if error.parameter else place
                raise

    def _passed(self, step: FlowStep, given: list[Given], amount: Pure | Approximate | None) -> Given:
        found = None
        if step.kind.measures:
            schema = self.read[step.name] = run_schema(step, given)
            run = (
                public_run(step, schema) if amount is None else self._run(schema, amount, step.kind.searches)
            )
            if amount is not None:
                self._require_whatever_is_chosen(step, given, amount)
            found = self._tried(step, given, run)
            self.measured[step.name] = found
        return passed_on(step, given, found, None)

    def _require_whatever_is_chosen(
        self, step: FlowStep, given: list[Given], amount: Pure | Approximate
    ) -> None:
        """Refuse a step that could fail by what a choice before it leaves, after that was paid for."""
        if step.do == "evaluate":
            by = given[1].dropped_by
            if by and by not in self._graph.before(step_of(step.inputs[0])):
                raise ParameterError(
                    f"'{step.name}' scores a model on rows of which '{by}' may drop columns that it needs.",
                    f"Take rows from before '{by}', or score a model that was learned behind it.",
                )
            return
        rows: RowsAt = given[0]
        for case in rows.others:
            other = replace(rows, source=empty_table(case), schema=case, others=())
            try:
                measured(step, [other], self._run(case, amount, step.kind.searches))
            except PrivetError as error:
                raise ParameterError(
                    f"'{step.name}' ({step.do}) needs what '{rows.dropped_by}' may not give: {error.message}",
                    f"Put it before '{rows.dropped_by}', or let that choose among columns that all suit it.",
                ) from None

    @staticmethod
    def _run(schema: Schema, amount: Pure | Approximate, searches: bool = False) -> Run:
        # Nothing is read. From a seed, so that a plan divides the budget in the same way each time.
        return Run(schema, amount, randomness=seeded(0), what="rehearsal", searches=searches)

    def _tried(self, step: FlowStep, given: list[Given], run: Run) -> Measured:
        if run.public is not None:  # exact answers about no records cannot be scored: only the shape matters
            rows = given[1] if step.do == "evaluate" else given[0]
            run = self._run(run.schema, run.amount, step.kind.searches)
            assert not rows.private
        return measured(step, given, run)
