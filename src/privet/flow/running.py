"""Running a flow: one reservation, its parts in order, and every release kept as soon as it is made.

**Privacy.** Every step that measures is differentially private for its part of the budget, by its own proof,
given what was released before it: the schema that it reads through, the columns, the model that it scores.
So the steps compose sequentially and adaptively, and the parts add up to no more than the whole: ε itself, or
the zCDP ρ (``allocation.amounts``); ε and δ themselves in a flow that searches for values. A split gives
every unit of privacy its part by an independent draw under a secret key (proof: ``curator.folds``); what is
measured on the two parts is nevertheless added up.
"""

from __future__ import annotations

import secrets
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from privet import randomness
from privet.budget import Approximate, Ledger, Pure, Reservation, amount_from_dict
from privet.curator.owner import account_name, as_read, require_word
from privet.curator.run import Run
from privet.errors import LedgerError, ParameterError
from privet.flow.ends import FlowEnd, ended, require_places
from privet.flow.flow import Flow
from privet.flow.places import Places
from privet.flow.planning import FlowPlan, planned, wanted_steps
from privet.flow.steps import TABLE, FlowStep
from privet.flow.store import Releases, Store, is_of, priced_names, states
from privet.flow.walk import Given, Measured, RowsAt, measured, passed_on, public_run, run_schema, taken
from privet.model import model_from_dict, model_to_dict
from privet.release import Guarantee

__all__ = ["FlowResult", "run_flow"]

_ONE_STEP = "It is one step of a flow; the other steps have guarantees of their own, and they add up."
_UNCHANGED = "That a table's file has changed between two parts of a flow is noticed, and not protected."


@dataclass(frozen=True)
class KeptScore:
    """A score that was released before: its figures and its text, as they were."""

    figures: dict[str, Any]
    words: str
    guarantee: Guarantee

    def to_dict(self) -> dict[str, Any]:
        return self.figures

    def text(self) -> str:
        return self.words


@dataclass(frozen=True, eq=False)
class FlowResult:
    """What a flow gave: the model or score of each step, and the guarantee of what was paid for now."""

    plan: FlowPlan
    found: dict[str, Measured]
    guarantee: Guarantee | None
    reused: tuple[str, ...] = ()
    ends: tuple[FlowEnd, ...] = field(default=())

    def __getitem__(self, name: str) -> Any:
        """The fitted model, or the score, of a step."""
        found = self.found[name]
        return found.model if found.model is not None else found.score

    def to_dict(self) -> dict[str, Any]:
        steps = {}
        for name, each in self.found.items():
            about: dict[str, Any] = {"reused": name in self.reused, "guarantee": each.guarantee.to_dict()}
            if each.score is not None:
                about["score"] = each.score.to_dict()
            else:
                about |= {"model": type(each.model).__name__, "words": each.model.in_words()}
                about["charts"] = [chart.to_dict() for chart in each.model.pictures()]
            steps[name] = about
        return {
            "flow": self.plan.flow.name,
            "guarantee": None if self.guarantee is None else self.guarantee.to_dict(),
            "steps": steps,
            "files": [str(end.place) for end in self.ends],
        }

    def in_words(self) -> str:
        """What each step found."""
        lines = [f"The flow '{self.plan.flow.name}' has run."]
        for name, each in self.found.items():
            again = " (released before)" if name in self.reused else ""
            amount = each.guarantee.amount
            lines.append(f"\n{name}{again}: {amount if amount is not None else 'no guarantee'}")
            words = (
                each.score.text().rpartition("\n\n")[0] if each.score is not None else each.model.in_words()
            )
            lines += [f"  {line}" for line in words.splitlines()[:30]]
        return "\n".join(lines)

    def text(self) -> str:
        lines = [self.in_words(), "", *(f"Written: {end.place}" for end in self.ends)]
        lines.append("Nothing was paid for." if self.guarantee is None else self.guarantee.headline)
        return "\n".join(lines)


def run_flow(
    flow: Flow,
    places: Places,
    ledger: Ledger | None,
    store: str | Path | Releases | None,
    random_state: Any,
    until: str | None = None,
) -> FlowResult:
    """Plan, reserve, run, keep. What can be refused is refused before anything is reserved."""
    if store is not None and random_state is not None:
        raise ParameterError(
            "Seeded noise has no guarantee, so what it gives is not kept to be used again.",
            "Leave out the seed, or the store.",
        )
    for step in flow.graph.order:
        if step.do == "source":
            places.state(step)
    with Store(store).held() if isinstance(store, str | Path) else nullcontext(store) as held:
        plan = planned(flow, places, store, until)
        wanted = wanted_steps(flow, until)
        return _Running(plan, places, ledger, held, randomness.of(random_state), wanted).result()


class _Running:
    def __init__(
        self,
        plan: FlowPlan,
        places: Places,
        ledger: Ledger | None,
        store: Releases | None,
        root: Any,
        wanted: set[str],
    ) -> None:
        self._plan, self._flow, self._places, self._wanted = plan, plan.flow, places, wanted
        self._ledger, self._store, self._root = ledger, store, root
        # Only a folder is a run's own, and can be taken up after an interruption.
        self._folder = store if isinstance(store, Store) else None
        self._order = [step for step in self._flow.graph.order if step.name in wanted]
        all_parts = {step.name: step.amount for step in plan.steps if step.amount is not None}
        self._got = {name: part for name, part in all_parts.items() if name in wanted}
        self._known = {step.name: step.identity for step in plan.steps if step.identity}
        # With fixed parts, the whole is their sum.
        self._flow_amount = (
            plan.flow.composed(all_parts.values()).total
            if plan.flow.allocation == "fixed" and all_parts
            else plan.flow.amount
        )
        self._parts_in_all = len(all_parts)
        self._states = states(self._flow, places)
        self._journal: dict[str, Any] = {}
        self._again: set[str] = set()  # not paid for by the reservation that is taken up: once more
        self.reused: list[str] = []
        self.found: dict[str, Measured] = {}
        self._parts: list[Guarantee] = []

    def result(self) -> FlowResult:
        # Tables are opened and places looked at first: whatever can be refused, costs nothing then.
        outputs: dict[str, Given] = {
            step.name: self._rows(step) for step in self._order if step.do == "source"
        }
        if self._places.folder is not None:
            tables = {name for name in self._wanted if self._flow.graph.gives(name) == TABLE}
            require_places(self._order, tables, self._places)
        new = [name for name in self._got if self._known.get(name) is None or not self._store_has(name)]
        whole = self._whole(new)
        ends: list[FlowEnd] = []
        if whole is None:
            self._walk(outputs, ends, None)
        else:
            with whole:
                self._note_reservation(whole, new)
                self._walk(outputs, ends, whole)
                whole.carry(self._parts)
            if self._folder is not None:
                self._folder.note(None)
        guarantee = None if whole is None else self._with_repeats(whole.guarantee)
        return FlowResult(self._plan, self.found, guarantee, tuple(self.reused), tuple(ends))

    def _with_repeats(self, guarantee: Guarantee) -> Guarantee:
        """The guarantee of the reservation and of what was paid for once more beside it."""
        if guarantee.amount is None:
            return guarantee
        begun, paid = self._journal.get("begun", []), self._journal.get("paid", [])
        more = [
            amount
            for name, amount in self._got.items()
            if (known := self._known.get(name)) is not None
            for _ in range(begun.count(known) - paid.count(known))
        ]
        if not more:
            return guarantee
        return replace(guarantee, amount=self._flow.composed([guarantee.amount, *more]).total)

    def _whole(self, new: list[str]) -> Run | None:
        """The run that pays for all that is new; the one that was begun, if there was one."""
        schema = self._plan.schema
        if schema is None or not new:
            return None
        what = f"flow {self._flow.name}"
        parts = [self._got[name] for name in new]
        whole = len(parts) == self._parts_in_all  # the budget that was asked for; else a sum
        composed = self._flow.composed(parts)
        amount, event = self._flow_amount if whole else composed.total, composed.event(what)
        reservation = None
        if (earlier := self._taken_up(new)) is not None:
            amount = _amount(earlier["amount"])
            if (about := earlier["reservation"]) is not None:
                paid = None if about["amount"] is None else amount_from_dict(about["amount"])
                reservation = Reservation(
                    about["number"], about["dataset"], about["what"], paid, about["hash"]
                )
        run = Run(
            schema,
            amount,
            ledger=self._ledger,
            randomness=self._root,
            what=what,
            event=event,
            reservation=reservation,
        )
        if self._folder is not None:
            run.admit(_UNCHANGED)
        return run

    def _store_has(self, name: str) -> bool:
        return self._store is not None and self._store.has(self._known[name])

    def _taken_up(self, new: list[str]) -> dict[str, Any] | None:
        """The journal of the run that was interrupted, if it was this flow's; refused if a table changed."""
        if self._folder is None or (journal := self._folder.journal) is None:
            return None
        same = journal.get("steps") == priced_names(self._flow, self._wanted)
        if same and journal.get("sources") != states(self._flow, self._places):
            raise ParameterError(
                "A table of this flow has changed since the flow was interrupted, so its parts would be "
                "about different records.",
                "Put the table back, or run the flow with another store: it is then paid for as a whole.",
            )
        if not is_of(journal, self._flow, self._known, self._wanted):
            return None  # another flow used this folder: what it reserved stays spent
        if (journal["reservation"] is None) != (self._ledger is None):
            return None  # paid for in another way: all that is left is paid for now
        self._journal = journal
        # What the reservation was not made for had been kept then, and was taken away since: a second draw.
        covered = {known for known in journal.get("paid", []) if known not in journal["begun"]}
        self._again = {name for name in new if self._known[name] not in covered}
        if self._ledger is not None and journal.get("stream"):
            state = self._ledger.state_of(journal["stream"])
            if state not in (journal["state"], journal["next"]):
                raise LedgerError(
                    "This flow was taken up from a copy of its store, so this copy may go no further.",
                    "Run the flow with another store: it is then paid for as a whole.",
                )
            journal["state"] = state
        return journal

    def _note_reservation(self, whole: Run, new: list[str]) -> None:
        if self._folder is None or self._journal:
            return
        about, held = None, whole.reservation
        if held is not None:
            amount = None if held.amount is None else held.amount.to_dict()
            about = {"number": held.number, "dataset": held.dataset, "what": held.what, "hash": held.hash}
            about["amount"] = amount
        names = priced_names(self._flow, self._wanted)
        self._journal = {
            "steps": names,
            "known": [self._known[name] for name in names],
            "paid": [self._known[name] for name in new],
            "sources": states(self._flow, self._places),
            "amount": whole.amount.to_dict(),
            "reservation": about,
            "begun": [],
            "stream": f"flow-{secrets.token_hex(16)}",
            "state": None,
            "next": None,
        }
        self._folder.note(self._journal)

    def _walk(self, outputs: dict[str, Given], ends: list[FlowEnd], whole: Run | None) -> None:
        for step in self._order:
            if step.do == "source":
                continue
            given, found = taken(step, outputs), None
            if step.kind.measures:
                found = self._measured(step, given, whole)
                self.found[step.name] = found
            if not step.kind.gives and self._places.folder is not None:
                ends.append(ended(step, given, self._flow, self._places.folder))
            outputs[step.name] = passed_on(step, given, found, self._key(step))

    def _rows(self, step: FlowStep) -> RowsAt:
        declared = self._places.schema(step)
        private = step.settings.get("public") is not True
        schema = as_read(declared, self._ledger) if private else declared
        if not private:  # if the ledger knows these people, that takes their owner's word
            require_word(self._ledger, declared, f"flow {self._flow.name}", step.settings.get("owner_says"))
        source = self._places.source(step, schema)
        schema.require_columns(source.names)
        return RowsAt(source, declared, private, frozenset(declared.names))

    def _key(self, step: FlowStep) -> Any:
        if step.do != "split":
            return None
        return self._root if self._store is None else self._store.key(step.name)

    def _measured(self, step: FlowStep, given: list[Given], whole: Run | None) -> Measured:
        schema = run_schema(step, given)
        amount = self._got.get(step.name)
        if amount is None:
            return measured(step, given, public_run(step, schema))
        if self._store is not None and self._store.has(self._known[step.name]):
            self.reused.append(step.name)
            return _restored(self._store.kept(self._known[step.name]))
        assert whole is not None
        if states(self._flow, self._places) != self._states:
            raise ParameterError(
                f"A table of this flow was changed while the flow ran, before '{step.name}': its parts would "
                "be about different records.",
                "Put the table back and run the flow again: what was released before is used again.",
            )
        [noise] = self._root.spawn(1)
        what = f"flow {self._flow.name}: {step.name}"
        searches = step.kind.searches
        run = whole.part(amount, noise, schema, what, searches)
        if step.name in self._again:
            what = f"{what}, once more"
            run = Run(schema, amount, ledger=self._ledger, randomness=noise, what=what, searches=searches)
        self._begin(step)
        run.admit(_ONE_STEP)
        found = measured(step, given, run)
        whole.steps += [replace(s, what=f"{step.name}: {s.what}") for s in found.guarantee.steps]
        caveats = tuple(each for each in found.guarantee.caveats if each != _ONE_STEP)
        self._parts.append(replace(found.guarantee, caveats=caveats))
        if self._store is not None:
            self._store.keep(self._known[step.name], _document(found))
        return found

    def _begin(self, step: FlowStep) -> None:
        """Note that a step is about to read records, here and in the ledger, before it does."""
        if self._folder is None:
            return
        before, after = self._journal["state"], secrets.token_hex(16)
        begun = [*self._journal["begun"], self._known[step.name]]
        self._journal |= {"begun": begun, "next": after}
        self._folder.note(self._journal)
        if self._ledger is not None and self._plan.schema is not None:
            dataset = account_name(self._plan.schema)
            self._ledger.advance(dataset, self._journal["stream"], before, after)
        self._journal["state"] = after


def _amount(data: dict[str, Any]) -> Pure | Approximate:
    found = amount_from_dict(data)
    assert isinstance(found, Pure | Approximate)
    return found


def _document(found: Measured) -> dict[str, Any]:
    if found.model is not None:
        return {"model": model_to_dict(found.model)}
    score = found.score
    return {"score": score.to_dict(), "text": score.text(), "guarantee": score.guarantee.to_dict()}


def _restored(document: dict[str, Any]) -> Measured:
    if "model" in document:
        return Measured(model=model_from_dict(document["model"]))
    guarantee = Guarantee.from_dict(document["guarantee"])
    return Measured(score=KeptScore(document["score"], document["text"], guarantee))
