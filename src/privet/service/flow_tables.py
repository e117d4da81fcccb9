"""Flows over a registered table: looked at while they are made, priced and run.

A document of such a flow has no paths: where tables are, and where reports go, is not the flow's to say. A
source stands for the table at hand. One that is public names a public table that the owner has put beside it;
one in parts names the registered tables that the flow is run on, one after the other, as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol

from privet.errors import ParameterError, PrivetError
from privet.families import FAMILIES
from privet.parameters import File, Parameter, json_schema
from privet.registry import ALGORITHMS
from privet.service.case import UseCase
from privet.service.flows import FlowRan, Until, priced
from privet.service.public_tables import PUBLIC_WORD, public_tables, require_known
from privet.service.session import Session
from privet.service.tables import open_table

if TYPE_CHECKING:
    from privet.budget import Amount
    from privet.flow import Flow, FlowPlan
    from privet.flow.draft import Draft
    from privet.flow.parts import PartsPlan
    from privet.flow.steps import FlowStep, Kind
    from privet.flow.store import KeptKey
    from privet.schema import Schema
    from privet.service.plans import Plan

__all__ = [
    "FlowLook",
    "FlowOnTable",
    "Kept",
    "StepKind",
    "beginning",
    "flow_of",
    "head_schemas",
    "here",
    "look",
    "look_at_parts",
    "portable",
    "step_kinds",
    "without_places",
]

MOST_STEPS = 40
#: The settings that say where something is: the file of a flow has them, a flow over a table has not.
_PLACES = {"source": ("schema", "owner_says"), "report": ("output",), "save": ("output",)}


class Kept(Protocol):
    """Where a table's owner keeps what flows have released, to be used again for free."""

    def has(self, identity: str) -> bool: ...

    def kept(self, identity: str) -> dict[str, Any]: ...

    def keep(self, identity: str, document: dict[str, Any]) -> None: ...

    def secret(self, name: str, drawn: Callable[[], str]) -> str:
        """The secret of that name: the one that is kept, or the one that is drawn now."""


@dataclass(frozen=True)
class _Releases:
    """What is kept, as a flow reads it."""

    within: Kept

    def has(self, identity: str) -> bool:
        return self.within.has(identity)

    def kept(self, identity: str) -> dict[str, Any]:
        return self.within.kept(identity)

    def keep(self, identity: str, document: dict[str, Any]) -> None:
        self.within.keep(identity, document)

    def key(self, name: str) -> KeptKey:
        from privet.flow.store import KeptKey
        from privet.randomness import secure

        one, two = self.within.secret(name, lambda: " ".join(str(w) for w in secure().bits(2))).split()
        return KeptKey((int(one), int(two)))


def _releases(kept: Kept | None) -> _Releases | None:
    return None if kept is None else _Releases(kept)


@dataclass(frozen=True)
class StepKind:
    """A kind of step, as a form shows it: what it takes and gives, and the JSON Schema of its settings."""

    do: str
    title: str
    line: str
    family: str
    takes: tuple[tuple[str, ...], ...]
    gives: str
    measures: bool
    many: bool
    parts: tuple[str, ...]
    settings: tuple[Parameter, ...]
    json_schema: dict[str, Any]


def step_kinds() -> list[StepKind]:
    """Every kind of step that there is."""
    from privet.flow.steps import kinds

    return [_kind(kind) for kind in kinds()]


def _kind(kind: Kind) -> StepKind:
    from privet.flow.graph import PARTS

    own = json_schema(kind.declares) if kind.declares is not None else {"properties": {}, "required": []}
    if kind.algorithm is not None:
        learned = kind.algorithm.json_schema()
        own = learned | {"properties": own["properties"] | learned["properties"]}
    names = {each.name for each in kind.settings}
    properties = {name: about for name, about in own["properties"].items() if name in names}
    required = [name for name in own["required"] if name in names]
    family = "flow" if kind.algorithm is None else kind.algorithm.family
    return StepKind(
        kind.name,
        kind.title,
        kind.line,
        family,
        kind.takes,
        kind.gives,
        kind.measures,
        kind.many,
        PARTS if kind.name == "split" else (),
        kind.settings,
        own | {"title": kind.title, "properties": properties, "required": required},
    )


def head_schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON Schemas of what is said of a flow as a whole, and of a step's part of its budget."""
    from privet.flow.settings import Head, Part

    return json_schema(Head), json_schema(Part)


def beginning(schema: Schema) -> dict[str, Any]:
    """A flow to begin with: a part held out, the first algorithm that fits the target, its score, a page.

    >>> from privet.schema import Schema
    >>> list(beginning(Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill"))["steps"])
    ['people', 'parts', 'model', 'score', 'page']
    """
    from privet.schema import Number

    target = None if schema.target is None else schema[schema.target]
    wanted = None if target is None else "number" if isinstance(target, Number) else "class"
    family = next((f for f in FAMILIES.values() if f.target == wanted), None)
    if wanted is None or family is None:
        return {"name": "flow", "steps": {"people": {"do": "source"}}}
    usual = family.first or next(entry.name for entry in ALGORITHMS if entry.family == family.name)
    steps = {
        "people": {"do": "source"},
        "parts": {"do": "split", "from": "people"},
        "model": {"do": usual, "from": "parts.train"},
        "score": {"do": "evaluate", "from": ["model", "parts.test"]},
        "page": {"do": "report", "from": ["model", "score"]},
    }
    return {"name": "flow", "steps": steps}


def without_places(text: str) -> dict[str, Any]:
    """The document of a flow's text, without the places of files: sources name tables, or mean the one here.

    >>> text = '[steps.people]\\ndo = "source"\\ndata = ["data/may.csv", "june.csv"]\\npeople = "new"'
    >>> without_places(text)["steps"]["people"]["data"]
    ['may', 'june']
    """
    from privet.flow.flow import plain

    found = plain(text)
    steps = found.get("steps")
    if not isinstance(steps, Mapping):
        raise ParameterError(
            "The text has no [steps.NAME] entries, so it is no flow.", "Begin with  [steps.people]"
        )
    kept = {}
    for name, entry in steps.items():
        if not isinstance(entry, Mapping):
            raise ParameterError(f"The entry of the step '{name}' is no table of settings.")
        places = _PLACES.get(str(entry.get("do")), ())
        kept[name] = {key: value for key, value in entry.items() if key not in places}
        data = kept[name].pop("data", None)
        if isinstance(data, list):
            kept[name]["data"] = [_stem(each) for each in data]
        elif entry.get("public") is True and data is not None:
            kept[name]["data"] = _stem(data)
    return {key: value for key, value in found.items() if key not in ("nodes", "edges", "price")} | {
        "steps": kept
    }


def _stem(data: Any) -> str:
    return Path(str(data)).name.split(".")[0]


def here(flow: Flow) -> Flow:
    """The flow as it is run on the table at hand: on this part, if its source is in parts."""
    from privet.flow.parts import in_parts, source_in_parts

    if not in_parts(flow):
        return flow
    source = source_in_parts(flow)
    alone = {key: value for key, value in source.settings.items() if key not in ("data", "people")}
    return replace(
        flow, steps=tuple(replace(s, settings=alone) if s.name == source.name else s for s in flow.steps)
    )


def portable(flow: Flow, table: str) -> Flow:
    """The flow with the places that its file needs: those of tables, reports and models."""
    ends = {"report": "html", "save": "json"}

    def placed(step: FlowStep) -> FlowStep:
        data = step.settings.get("data")
        if step.do == "source" and step.settings.get("public") is True:
            # Read through the schema of the table, whose owner has said that these rows are public.
            about = {"data": f"{data}.csv", "schema": f"{table}.schema.toml", "owner_says": PUBLIC_WORD}
            return replace(step, settings={**step.settings, **about})
        if step.do == "source":
            files = f"{table}.csv" if data is None else [f"{each}.csv" for each in data]
            return replace(step, settings={**step.settings, "data": files})
        if step.do in ends:
            rows = any(flow.graph.gives(name) == "table" for name in step.inputs)
            ending = "csv" if step.do == "save" and rows else ends[step.do]
            return replace(step, settings={"output": f"{step.name}.{ending}", **step.settings})
        return step

    return replace(flow, steps=tuple(placed(step) for step in flow.steps))


def _steps(document: Mapping[str, Any]) -> tuple[FlowStep, ...]:
    from privet.flow.steps import FlowStep

    steps = document.get("steps")
    if not isinstance(steps, Mapping):
        raise ParameterError("The flow has no steps.", "Begin with a source.")
    if len(steps) > MOST_STEPS:
        raise ParameterError(f"A flow has at most {MOST_STEPS} steps here.", "Make two flows of it.")
    for name in steps:
        fine = 0 < len(name) <= 60 and all(c.isalnum() or c in " _-" for c in name)
        if not fine or name != name.strip():
            raise ParameterError(
                "A step has a name that it cannot have.", "Use letters, digits, spaces, - and _; at most 60."
            )
    return tuple(FlowStep.from_dict(name, entry) for name, entry in steps.items())


def flow_of(document: Mapping[str, Any]) -> Flow:
    """The flow of a document; refused with the reason if it is not right."""
    from privet.flow import Flow

    _steps(document)
    name = document.get("name", "flow")
    if not isinstance(name, str) or not 0 < len(name.strip()) <= 80 or not name.isprintable():
        raise ParameterError("The flow needs a short name that can be printed.", "Give it another name.")
    return Flow.from_dict(document)


@dataclass(frozen=True)
class FlowLook:
    """A flow that is being made: its draft and, if it is right, its plan; else what is wrong with it."""

    draft: Draft
    flow: Flow | None
    plan: FlowPlan | None
    problem: PrivetError | None = None

    @property
    def total(self) -> Amount | None:
        return None if self.plan is None else self.plan.total


def look(
    document: Mapping[str, Any],
    schema: Schema,
    kept: Kept | None = None,
    until: str | None = None,
    public: Collection[str] = (),
) -> FlowLook:
    """Look at a flow over a table that has this schema: from what is public alone, for free.

    ``public`` names the public tables beside it.

    >>> from privet.schema import Schema
    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> steps = {"people": {"do": "source"}, "page": {"do": "report", "from": "people"}}
    >>> found = look({"steps": steps}, schema)
    >>> found.plan is None, [step.problem != "" for step in found.draft.steps]
    (True, [False, True])
    """
    from privet.flow.draft import draft

    drawn = draft(_steps(document))
    if not drawn.whole:
        return FlowLook(drawn, None, None)
    flow = None
    try:
        flow = flow_of(document)
        plan = _planned(here(flow), schema, kept, until, public)
    except PrivetError as error:
        return FlowLook(drawn, flow, None, error)
    return FlowLook(drawn, flow, plan)


def look_at_parts(
    document: Mapping[str, Any],
    parts: Mapping[str, tuple[Schema, Kept | None, Collection[str]]],
    until: str | None = None,
) -> PartsPlan:
    """What a flow in parts would cost on each of them, and how that composes. Free."""
    from privet.flow.parts import PartsPlan, refuse_mixed, source_in_parts

    flow = flow_of(document)
    people = str(source_in_parts(flow).settings["people"])
    refuse_mixed(people, [schema for schema, *_ in parts.values()])
    plans = {}
    for name, (schema, kept, public) in parts.items():
        try:
            plans[name] = _planned(here(flow), schema, kept, until, public)
        except PrivetError as error:
            error.message = f"On the part '{name}': {error.message}"
            raise
    return PartsPlan(people, plans)


def _planned(
    flow: Flow, schema: Schema, kept: Kept | None, until: str | None, public: Collection[str]
) -> FlowPlan:
    tables = _tables(flow, schema, lambda: None, lambda name, _schema: require_known(name, public))
    return flow.plan(tables, folder=None, store=_releases(kept), until=until)


def _tables(
    flow: Flow, schema: Schema, table: Callable[[], Any], public: Callable[[str, Schema], Any]
) -> dict[str, Any]:
    """The table of each source, with its schema. Public rows have no account, and none of them is refused."""
    found: dict[str, Any] = {}
    for step in flow.steps:
        if step.do != "source":
            continue
        if step.settings.get("public") is True:
            name = str(step.settings.get("data", ""))
            about = replace(schema, dataset=f"public:{name}", outside="count")
            try:
                found[step.name] = (public(name, about), about)
            except ParameterError as error:
                error.parameter = f"steps.{step.name}.data"
                raise
        else:
            found[step.name] = (table(), schema)
    return found


@dataclass(frozen=True, kw_only=True)
class FlowOnTable(UseCase):
    """Run a flow over one table, paid for once; what its session keeps is used again for free."""

    spends: ClassVar[bool] = True
    uses_ledger: ClassVar[bool] = True

    data: Annotated[Path, File(), "The table that every private source stands for."]
    schema: Annotated[Path, File(), "What is public about it; public tables lie beside it."]
    flow: Annotated[Mapping[str, Any], "The flow, as plain data."]
    until: Until = None

    def found(self, session: Session) -> FlowPlan:
        """What each step gets, and which are paid for already."""
        return _planned(self._flow, self._schema, session.kept, self.until, public_tables(self.schema.parent))

    def plan(self, session: Session) -> Plan | None:
        return priced(self.found(session), session.opened_ledger())

    def run(self, session: Session) -> FlowRan:
        from privet.service.accounts import paying

        ledger = session.opened_ledger()
        known = public_tables(self.schema.parent)
        tables = _tables(
            self._flow,
            self._schema,
            lambda: session.table(self.data, self._schema),
            lambda name, about: open_table(known[require_known(name, known)], about),
        )
        with paying(ledger, self._schema):
            return FlowRan(
                self._flow.run(
                    tables, folder=None, ledger=ledger, store=_releases(session.kept), until=self.until
                )
            )

    @cached_property
    def _flow(self) -> Flow:
        return here(flow_of(self.flow))

    @cached_property
    def _schema(self) -> Schema:
        from privet.schema import read_schema

        return read_schema(self.schema)
