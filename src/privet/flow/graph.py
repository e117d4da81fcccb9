"""The graph of a flow: its order, the kinds of its edges, and why it is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privet.errors import ParameterError
from privet.flow.steps import MODEL, PRIVATE, PUBLIC, SCORE, FlowStep

__all__ = ["PARTS", "Edge", "Graph", "mismatch", "whole"]

PARTS = ("train", "test")
_WORDS = {"train": "the larger part", "test": "the part held out"}


def whole(name: str) -> str:
    """The step that an input names, without its part.

    >>> whole("parts.train")
    'parts'
    """
    return name.partition(".")[0]


@dataclass(frozen=True)
class Edge:
    """What one step gives to another; ``part`` is that of a split."""

    source: str
    target: str
    kind: str
    part: str = ""

    def to_dict(self) -> dict[str, str]:
        return {"from": self.source, "to": self.target, "kind": self.kind, "part": self.part}


class Graph:
    """The steps in an order in which they can run, and typed edges. Building one checks all of it."""

    def __init__(self, steps: Sequence[FlowStep]) -> None:
        self._steps = {step.name: step for step in steps}
        if len(self._steps) < len(steps):
            raise ParameterError("A flow has two steps of the same name.", "Give each step its own name.")
        self.order = self._ordered(steps)
        self.edges: list[Edge] = []
        self._gives: dict[str, str] = {}
        for step in self.order:
            self._settle(step)

    def gives(self, name: str) -> str:
        """The kind of what a step gives."""
        return self._gives[whole(name)]

    def step(self, name: str) -> FlowStep:
        return self._steps[name]

    def before(self, name: str) -> set[str]:
        """A step and all that it depends on."""
        found, left = set[str](), [name]
        while left:
            step = self._steps[left.pop()]
            if step.name not in found:
                found.add(step.name)
                left += [whole(each) for each in step.inputs]
        return found

    def priced(self) -> list[FlowStep]:
        """The steps that read private rows and are paid for, in order."""
        return [
            step
            for step in self.order
            if step.kind.measures
            and any(edge.kind == PRIVATE for edge in self.edges if edge.target == step.name)
        ]

    def _ordered(self, steps: Sequence[FlowStep]) -> list[FlowStep]:
        for step in steps:
            for name in step.inputs:
                if whole(name) not in self._steps:
                    raise ParameterError(
                        f"The step '{step.name}' takes from '{name}', which is no step of the flow.",
                        f"Its steps: {', '.join(self._steps)}.",
                    )
        done: dict[str, FlowStep] = {}
        left = list(steps)
        while left:
            ready = [s for s in left if all(whole(name) in done for name in s.inputs)]
            if not ready:
                ring = ", ".join(f"'{step.name}'" for step in _in_circles(left))
                raise ParameterError(
                    f"The flow runs in a circle through {ring}.",
                    "Let one of them take nothing from the others.",
                )
            done |= {step.name: step for step in ready}
            left = [step for step in left if step.name not in done]
        return list(done.values())

    def _settle(self, step: FlowStep) -> None:
        kind = step.kind
        self._check_settings(step)
        wanted = kind.wanted(len(step.inputs))
        if len(step.inputs) != len(wanted):
            raise ParameterError(
                f"The step '{step.name}' ({step.do}) takes from {len(wanted)} steps, not {len(step.inputs)}.",
                "It takes: " + ("; ".join(" or ".join(each) for each in wanted) or "nothing") + ".",
            )
        for name, accepted in zip(step.inputs, wanted, strict=True):
            source, _, part = name.partition(".")
            given = self._gives[source]
            self._check_part(step, source, part)
            if given not in accepted:
                raise mismatch(step, source, given, accepted)
            self.edges.append(Edge(source, step.name, given, part))
        gives = kind.gives
        if step.do == "source" and step.settings.get("public") is True:
            gives = PUBLIC
        elif gives == "same":
            gives = self._gives[whole(step.inputs[0])]
        self._gives[step.name] = gives

    def _check_part(self, step: FlowStep, source: str, part: str) -> None:
        split = self._steps[source].do == "split"
        if split and part not in PARTS:
            told = ", ".join(f"'{source}.{each}' ({_WORDS[each]})" for each in PARTS)
            raise ParameterError(
                f"The step '{step.name}' must say which part of '{source}' it takes.", f"Name {told}."
            )
        if part and not split:
            raise ParameterError(f"'{source}' has no parts, so '{source}.{part}' is nothing to take from.")

    def _check_settings(self, step: FlowStep) -> None:
        kind = step.kind
        if (step.weight is not None or step.epsilon is not None) and not kind.measures:
            raise ParameterError(f"The step '{step.name}' measures nothing, so it gets no budget.")
        known = {each.name: each for each in kind.settings}
        if unknown := sorted(set(step.settings) - set(known)):
            raise _at(
                step,
                unknown[0],
                ParameterError(
                    f"The step '{step.name}' ({step.do}) has no setting '{unknown[0]}'.",
                    f"Its settings: {', '.join(known) or 'none'}.",
                ),
            )
        if missing := [each for each in known.values() if each.required and each.name not in step.settings]:
            raise _at(
                step,
                missing[0].name,
                ParameterError(
                    f"The step '{step.name}' ({step.do}) does not say its {missing[0].name}.",
                    f"{missing[0].help} Set them.",
                ),
            )
        for name, value in step.settings.items():
            if fault := known[name].fault(value):
                raise _at(step, name, ParameterError(f"The step '{step.name}' ({step.do}): {name} {fault}."))


def _at(step: FlowStep, setting: str, error: ParameterError) -> ParameterError:
    """The error, with the place of the field at fault."""
    error.parameter = f"steps.{step.name}.{setting}"
    return error


def _in_circles(steps: list[FlowStep]) -> list[FlowStep]:
    """Of steps that all wait for one another: without those that only wait for a circle."""
    while True:
        taken_from = {whole(name) for step in steps for name in step.inputs}
        left = [step for step in steps if step.name in taken_from]
        if len(left) == len(steps):
            return left
        steps = left


def mismatch(step: FlowStep, source: str, given: str, accepted: tuple[str, ...]) -> ParameterError:
    if given == PRIVATE:
        return ParameterError(
            f"'{source}' gives private rows to '{step.name}' ({step.do}), which would show them: a private "
            "edge can end only at a step that measures.",
            "Put a step between them that measures, such as an algorithm or an evaluation.",
        )
    if not given:
        return ParameterError(f"'{source}' is the end of its branch: it gives nothing to '{step.name}'.")
    needs = " or ".join(accepted)
    hint = {MODEL: "a learner", SCORE: "an evaluation"}.get(accepted[0], "a source")
    return ParameterError(
        f"'{step.name}' ({step.do}) takes {needs}, and '{source}' gives a {given}.", f"Take from {hint}."
    )
