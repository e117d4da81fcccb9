"""A flow that is being made: what is known of it so far, what is wrong with it, and what may be connected.

A flow as a value is right or refused. Whoever draws one needs more: the kinds of the edges that are right
already, the reason for each step that is not, and for every pair of steps whether an edge between them may be
drawn. All of it follows from the same graph that refuses a leak when a flow is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privet.errors import ParameterError
from privet.flow.graph import PARTS, Graph, mismatch, whole
from privet.flow.layout import layout
from privet.flow.steps import PRIVATE, FlowStep, Kind, kind_of

__all__ = ["Draft", "DraftEdge", "DraftStep", "Link", "draft"]


@dataclass(frozen=True)
class DraftStep:
    """A step as far as it is known; ``gives`` is "" and ``problem`` says why, where it is not right."""

    name: str
    do: str
    gives: str
    measures: bool
    place: tuple[int, int]
    problem: str = ""
    advice: str = ""
    setting: str = ""


@dataclass(frozen=True)
class DraftEdge:
    """An edge as it is drawn; ``kind`` is "" where it is not known, or not right."""

    source: str
    part: str
    target: str
    slot: int
    kind: str


@dataclass(frozen=True)
class Link:
    """Whether an edge may be drawn: the slot that it would fill, or the reason why it cannot be."""

    source: str
    target: str
    slot: int
    reason: str = ""


@dataclass(frozen=True)
class Draft:
    """A flow that is being made."""

    steps: tuple[DraftStep, ...]
    edges: tuple[DraftEdge, ...]
    links: tuple[Link, ...]

    @property
    def whole(self) -> bool:
        """Whether every step is right."""
        return not any(step.problem for step in self.steps)


def draft(steps: Sequence[FlowStep]) -> Draft:
    """Look at steps that may not be right yet.

    >>> people, page = FlowStep("people", "source"), FlowStep("page", "report")
    >>> found = draft([people, page])
    >>> found.steps[1].problem
    'It is not connected yet: it takes model or score or table.'
    >>> [link.reason for link in found.links if (link.source, link.target) == ("people", "page")]
    ["'people' gives private rows to 'page' (report), which would show them: a private edge can end only at \
a step that measures."]
    """
    known = {step.name: step for step in steps}
    places = layout(steps)
    gives: dict[str, str] = {}
    found = []
    for step in steps:
        problem = advice = setting = ""
        measures = False
        try:
            graph = _graph_to(step, known)
            gives[step.name] = graph.gives(step.name)
            measures = any(each.name == step.name for each in graph.priced())
        except ParameterError as error:
            problem, advice = error.message, error.advice
            setting = error.parameter.rpartition(".")[2] if error.parameter else ""
        found.append(
            DraftStep(
                step.name,
                step.do,
                gives.get(step.name, ""),
                measures,
                places[step.name],
                problem,
                advice,
                setting,
            )
        )
    edges = tuple(
        DraftEdge(whole(name), name.partition(".")[2], step.name, slot, _edge_kind(step, slot, name, gives))
        for step in steps
        for slot, name in enumerate(step.inputs)
        if whole(name) in known
    )
    return Draft(tuple(found), edges, tuple(_links(steps, gives)))


def _graph_to(step: FlowStep, known: dict[str, FlowStep]) -> Graph:
    """The graph of a step and all before it, or the first thing that is wrong with it."""
    kind = kind_of(step.do)
    left = [slot for slot, name in enumerate(step.inputs) if not name]
    if left or len(step.inputs) < len(kind.takes):
        wanted = kind.wanted(len(step.inputs))
        empty = left or range(len(step.inputs), len(wanted))
        needs = "; ".join(" or ".join(wanted[slot]) for slot in empty if slot < len(wanted))
        raise ParameterError(f"It is not connected yet: it takes {needs}.", "Say which step it takes from.")
    for name in _before(step.name, known) - {step.name}:
        if name in known and (not all(known[name].inputs) or not _stands(known[name])):
            raise ParameterError(f"It waits for '{name}', which is not right yet.", "Look at that first.")
    return Graph([each for each in known.values() if each.name in _before(step.name, known)])


def _stands(step: FlowStep) -> bool:
    try:
        return len(step.inputs) >= len(kind_of(step.do).takes)
    except ParameterError:
        return False


def _before(name: str, known: dict[str, FlowStep]) -> set[str]:
    found, left = set[str](), [name]
    while left:
        each = left.pop()
        if each not in found and each in known:
            found.add(each)
            left += [whole(source) for source in known[each].inputs]
    return found


def _edge_kind(step: FlowStep, slot: int, name: str, gives: dict[str, str]) -> str:
    try:
        wanted = kind_of(step.do).wanted(len(step.inputs))
    except ParameterError:
        return ""
    given = gives.get(whole(name), "")
    return given if slot < len(wanted) and given in wanted[slot] else ""


def _links(steps: Sequence[FlowStep], gives: dict[str, str]) -> list[Link]:
    known = {step.name: step for step in steps}
    found = []
    for target in steps:
        try:
            kind = kind_of(target.do)
        except ParameterError:
            continue
        after = {step.name for step in steps if target.name in _before(step.name, known)}
        for step in steps:
            names = [f"{step.name}.{part}" for part in PARTS] if step.do == "split" else [step.name]
            found += [_link(name, step, target, kind, after, gives) for name in names]
    return found


def _link(
    name: str, source: FlowStep, target: FlowStep, kind: Kind, after: set[str], gives: dict[str, str]
) -> Link:
    given = gives.get(source.name)
    if source.name == target.name:
        reason = "A step does not take from itself."
    elif not kind.takes:
        reason = f"'{target.name}' ({target.do}) takes from no step: a flow begins there."
    elif source.name in after:
        reason = f"The flow would run in a circle: '{source.name}' depends on '{target.name}'."
    elif given is None:
        reason = f"'{source.name}' is not right yet, so it is not known what it gives."
    else:
        slots = [slot for slot, accepted in enumerate(kind.takes) if given in accepted]
        if slots:
            places = list(range(len(target.inputs) + 1)) if kind.many else slots
            return Link(name, target.name, _free(places, target))
        accepted = kind.takes[0] if given == PRIVATE or len(kind.takes) == 1 else sum(kind.takes, ())
        reason = mismatch(target, source.name, given, accepted).message
    return Link(name, target.name, -1, reason)


def _free(slots: list[int], target: FlowStep) -> int:
    """The first slot that is empty; the first of all, if none is."""
    empty = [slot for slot in slots if slot >= len(target.inputs) or not target.inputs[slot]]
    return (empty or slots)[0]
