"""A flow as a value: steps, one budget for all of them, and how it is divided."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.budget import Approximate, Ledger, Pure, budget
from privet.curator.composition import Composition
from privet.errors import ParameterError
from privet.flow.graph import Graph, whole
from privet.flow.settings import Head, Part
from privet.flow.steps import FlowStep
from privet.parameters import parameters_of
from privet.schema.columns import toml_key, toml_text

if TYPE_CHECKING:
    from privet.flow.accuracy import FlowGoal
    from privet.flow.places import Places
    from privet.flow.planning import FlowPlan
    from privet.flow.running import FlowResult
    from privet.flow.store import Releases

__all__ = ["Flow", "plain"]

#: What is said of a flow as a whole; its epsilon is a number like that of a part, and is never left out.
_SAID = (
    *parameters_of(Head),
    *(replace(p, optional=False) for p in parameters_of(Part) if p.name == "epsilon"),
)
_HEAD = ("epsilon", "delta", "allocation", "goal", "name", "accuracy", "guess")
_KNOWN = ("flow", *_HEAD, "steps")


@dataclass(frozen=True)
class Flow:
    """A process with one budget. Building one checks its graph: what could leak is refused here.

    ``allocation`` says how the budget is divided among the steps that measure: by the steps' own errors
    (``auto``), in equal parts, by each step's ``weight``, or ``fixed`` by each step's ``epsilon``. ``goal``
    is what ``auto`` serves: a good last ``model``, or a narrow ``interval`` around its score. ``accuracy``
    takes the place of an ε: how much the last model may lose to privacy. A ``guess``, such as of how many
    records there are, serves that and the division of the budget.

    >>> flow = Flow.from_dict({"epsilon": 1.0, "steps": {
    ...     "people": {"do": "source", "data": "people.csv"},
    ...     "model": {"do": "naive-bayes", "from": "people"},
    ...     "score": {"do": "evaluate", "from": ["model", "people"]},
    ... }})
    >>> [(edge.source, edge.kind) for edge in flow.graph.edges]
    [('people', 'private rows'), ('model', 'model'), ('people', 'private rows')]
    >>> Flow.from_dict({"epsilon": 1, "steps": {"people": {"do": "source", "data": "people.csv"},
    ...     "page": {"do": "report", "from": "people"}}})
    Traceback (most recent call last):
    ...
    privet.errors.ParameterError: 'people' gives private rows to 'page' (report), which would show them: \
a private edge can end only at a step that measures.
      What to do: Put a step between them that measures, such as an algorithm or an evaluation.
    """

    steps: tuple[FlowStep, ...]
    epsilon: float = 1.0
    delta: float = 0.0
    allocation: str = "auto"
    goal: str = "model"
    name: str = "flow"
    accuracy: float | None = None
    guess: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.steps:
            raise ParameterError(
                "The flow has no steps.", 'Begin with a source:  [steps.people]  do = "source"'
            )
        for each in _SAID:
            if fault := each.fault(getattr(self, each.name)):
                raise ParameterError(f"The flow's {each.name} {fault}.")
        if not isinstance(self.guess, Mapping):
            raise ParameterError("The flow's guess must name what is guessed.", "guess = {records = 40000}")
        self.graph.priced()
        self._check_budgets()
        _ = self.amount

    @cached_property
    def graph(self) -> Graph:
        return Graph(self.steps)

    @property
    def amount(self) -> Pure | Approximate:
        """What the whole flow may cost. With fixed parts it is their sum."""
        if self.allocation == "fixed":
            return budget(
                sum(float(step.epsilon or 0) for step in self.graph.priced()) or self.epsilon, self.delta
            )
        return budget(float(self.epsilon), float(self.delta))

    @cached_property
    def searches(self) -> bool:
        """Whether a step looks for values that nobody listed: then δ is for that, and ε is divided."""
        return any(step.kind.searches for step in self.graph.priced())

    def composed(self, parts: Iterable[Pure | Approximate]) -> Composition:
        """These parts of the flow, as one amount and as one event."""
        return Composition(tuple((1, part) for part in parts), self.searches)

    def _check_budgets(self) -> None:
        fixed = [step for step in self.graph.priced() if step.epsilon is not None]
        if self.allocation == "fixed":
            if left := [step.name for step in self.graph.priced() if step.epsilon is None]:
                raise ParameterError(
                    f"The parts of the budget are fixed, and '{left[0]}' has none.",
                    f"Write under [steps.{left[0]}]:  epsilon = 0.1",
                )
            if self.delta and not self.searches:
                raise ParameterError(
                    "Budgets of mixed kinds: each step has an epsilon of its own, and the flow a delta.",
                    "Divide one (epsilon, delta) by weights or automatically, or fix parts without a delta.",
                )
        elif fixed:
            raise ParameterError(
                f"Budgets of mixed kinds: '{fixed[0].name}' fixes its epsilon, and the flow divides one.",
                'Set  allocation = "fixed",  or use weights.',
            )
        if self.allocation != "weights" and (weighed := [s for s in self.steps if s.weight is not None]):
            raise ParameterError(
                f"'{weighed[0].name}' has a weight, and the budget is not divided by weights.",
                'Set  allocation = "weights",  or take the weight away.',
            )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Flow:
        """A flow from plain data; ``to_dict`` is the inverse. Nodes and edges beside it are not read."""
        if surplus := sorted(set(data) - {*_KNOWN, "nodes", "edges", "price"}):
            raise ParameterError(f"Unknown entries {surplus} in the flow.", f"Known ones are {list(_KNOWN)}.")
        if data.get("flow", 1) != 1:
            raise ParameterError("This flow is in a newer format.", "Update Privet to read it.")
        steps = data.get("steps")
        if not isinstance(steps, Mapping):
            raise ParameterError(
                "The flow has no [steps.NAME] entries.", 'Begin with  [steps.people]  do = "source"'
            )
        if "accuracy" in data and "epsilon" in data:
            raise ParameterError("An accuracy was given, and an epsilon too.", "Give one of the two.")
        more = {key: data[key] for key in _HEAD if key in data}
        return cls(tuple(FlowStep.from_dict(str(name), entry) for name, entry in steps.items()), **more)

    @classmethod
    def read(cls, path: str | Path) -> Flow:
        """The flow in a text file (TOML)."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise ParameterError(f"There is no flow file {path.name}.", "Check its path.") from None
        except (OSError, ValueError):
            raise ParameterError(f"{path.name} is not a flow: it cannot be read.") from None
        name = path.name.removesuffix(".toml").removesuffix(".flow")
        return cls.from_dict({"name": name} | plain(text, path.name))

    @classmethod
    def from_pipeline(cls, pipeline: Any, data: str, **more: Any) -> Flow:
        """The flow that a scikit-learn pipeline of Privet's own estimators stands for, on a table's file."""
        from privet.flow.pipeline import steps_of

        return cls(steps_of(pipeline, data), **more)

    def to_dict(self) -> dict[str, Any]:
        """The flow as plain data, with its nodes and typed edges, for a canvas to draw."""
        graph = self.graph
        priced = {step.name for step in graph.priced()}
        nodes = [
            {"name": s.name, "do": s.do, "gives": graph.gives(s.name), "measures": s.name in priced}
            for s in graph.order
        ]
        return {
            "flow": 1,
            **self._head(),
            "steps": {step.name: step.to_dict() for step in self.steps},
            "nodes": nodes,
            "edges": [edge.to_dict() for edge in graph.edges],
        }

    def _head(self) -> dict[str, Any]:
        """What is said of the flow as a whole. A goal takes the place of an epsilon."""
        spent = "epsilon" if self.accuracy is None else "accuracy"
        guess = {"guess": dict(self.guess)} if self.guess else {}
        return {
            "name": self.name,
            spent: getattr(self, spent),
            **guess,
            "delta": self.delta,
            "allocation": self.allocation,
            "goal": self.goal,
        }

    def prepared(self) -> set[str]:
        """The steps that take rows which a step before them has changed, not only cut or clamped."""
        found: set[str] = set()
        for step in self.graph.order:
            before = [self.graph.step(whole(name)) for name in step.inputs]
            if any(each.name in found or each.kind.changes for each in before):
                found.add(step.name)
        return found

    def text(self) -> str:
        """The flow as the text of its file."""
        lines = [f"{key} = {_toml(value)}" for key, value in self._head().items()]
        for step in self.steps:
            lines += ["", f"[steps.{toml_key(step.name)}]"]
            lines += [f"{toml_key(key)} = {_toml(value)}" for key, value in step.to_dict().items()]
        return "\n".join(lines) + "\n"

    def write(self, path: str | Path) -> None:
        Path(path).write_text(self.text(), encoding="utf-8")

    def svg(self) -> str:
        """A picture of the graph."""
        from privet.flow.drawing import drawn

        return drawn(self)

    def plan(
        self,
        tables: Mapping[str, Any] | None = None,
        *,
        folder: str | Path | None = ".",
        store: str | Path | Releases | None = None,
        until: str | None = None,
    ) -> FlowPlan:
        """What each step would get and buy, and the price of all. Nothing is read and nothing is spent.

        ``tables`` gives a (table, schema) for a source's name, in place of its file. With a ``store``, what
        it holds already is not priced again. ``until`` is the last step that is wanted now.
        """
        from privet.flow.planning import planned

        found, places = self.settled(tables, folder=folder), _places(tables, folder)
        return replace(planned(found.flow, places, store, until), why=found.why)

    def settled(
        self, tables: Mapping[str, Any] | None = None, *, folder: str | Path | None = "."
    ) -> FlowGoal:
        """The flow with its ε: the one that was given, or the smallest that should reach the accuracy.

        The second rests on guesses and on a forecast. Nothing is read and nothing is spent.
        """
        from privet.flow.accuracy import FlowGoal, flow_within
        from privet.worlds import Guess

        if self.accuracy is None:
            return FlowGoal(self, "")
        return flow_within(self, self.accuracy, _places(tables, folder), Guess.from_text(self.guess))

    def run(
        self,
        tables: Mapping[str, Any] | None = None,
        *,
        folder: str | Path | None = ".",
        ledger: Ledger | None = None,
        store: str | Path | Releases | None = None,
        random_state: Any = None,
        until: str | None = None,
    ) -> FlowResult:
        """Run all steps for one reservation. With a ``store``, what was released before is used again.

        There a table in memory is known by the name of its source: take another store for other rows.
        """
        from privet.flow.running import run_flow

        flow, places = self.settled(tables, folder=folder).flow, _places(tables, folder)
        return run_flow(flow, places, ledger, store, random_state, until)


def _places(tables: Mapping[str, Any] | None, folder: str | Path | None) -> Places:
    from privet.flow.places import Places

    return Places(tables or {}, None if folder is None else Path(folder))


def plain(text: str, name: str = "The text") -> dict[str, Any]:
    """What a flow's text says, as plain data; whether it is a flow is not looked at."""
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ParameterError(f"{name} is not a flow: {error}.") from None


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | Path):
        return toml_text(str(value))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(str(k))} = {_toml(v)}" for k, v in value.items()) + "}"
    return repr(value)
