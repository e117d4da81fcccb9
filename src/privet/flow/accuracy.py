"""Accuracy first, for a flow: the smallest ε of all of it that is expected to lose no more than is allowed.

The last model must come within the loss of what is attainable (a forecast on made-up worlds says with which
ε), and its evaluation, if it is paid for, must know the accuracy to ± the same (an error formula says that).
The flow's ε is the smallest of which both get what they need when it is divided; an automatic division
between just these two follows their needs. Nothing is read, and the worlds come from a fixed seed: what is
planned is what is spent.

Rows that a private step has changed are a world that nobody knows before that step is paid for: such flows
are refused, as are parts that are fixed, and budgets with a δ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from privet.curator.tables import empty_table
from privet.errors import ParameterError
from privet.evaluation.forecast import epsilon_within
from privet.evaluation.score_goal import epsilon_for_accuracy
from privet.flow.flow import Flow
from privet.flow.graph import whole
from privet.flow.parts import in_parts
from privet.flow.places import Places
from privet.flow.planning import planned
from privet.flow.scoring import records_at
from privet.flow.steps import FlowStep
from privet.flow.walk import RowsAt, passed_on
from privet.registry import algorithms_with
from privet.worlds import Guess

__all__ = ["FlowGoal", "flow_within"]

#: An ε beyond this is never chosen by itself: it would protect nobody.
_MOST = 10.0
_FREE = ("keep", "clip", "split")


@dataclass(frozen=True)
class FlowGoal:
    """A flow with the ε that was chosen for it, and why it is this one."""

    flow: Flow
    why: str


def flow_within(flow: Flow, loss: float, places: Places, guess: Guess | None = None) -> FlowGoal:
    """The flow with the smallest ε that is expected to reach the goal; refused where none is."""
    guess = guess or Guess()
    if flow.allocation == "fixed" or flow.delta or in_parts(flow):
        raise ParameterError(
            "An epsilon is chosen for a goal where one pure epsilon is divided among the steps of one table: "
            "not with fixed parts, a delta, or a table in parts.",
            "Give the flow an epsilon.",
        )
    model, score = _last(flow)
    rows, records = _rows(flow, places, model.inputs[0], guess)
    assert model.kind.algorithm is not None
    if all(entry.name != model.do for entry in algorithms_with("forecast")):
        raise ParameterError(f"'{model.name}' ({model.do}) has no forecast.", "Give the flow an epsilon.")
    words, needed = [], {}
    if score is not None:  # first, since a formula costs nothing
        tested, size = _rows(flow, places, score.inputs[1], guess)
        known = epsilon_for_accuracy(tested.schema, loss, replace(guess, records=size))
        needed[score.name] = known.epsilon
        words.append(
            f"'{score.name}' needs epsilon = {known.epsilon:g} for ± {loss:g}, with {known.rests_on}"
        )
    estimator = model.kind.algorithm.load()(**model.settings, schema=rows.schema)
    chosen = epsilon_within(estimator, loss, guess=replace(guess, records=records))
    needed[model.name] = chosen.epsilon
    words.append(
        f"'{model.name}' needs epsilon = {chosen.epsilon:g} to lose at most {loss:g} of the "
        f"{chosen.forecast.measure} that is attainable, in nine made-up worlds of ten. "
        f"{chosen.forecast.tested} It rests on: {' '.join(chosen.forecast.rests_on)}"
    )
    found = _smallest(flow, places, needed)
    if found.epsilon > _MOST:
        more = math.ceil(guess.size * found.epsilon / _MOST)
        raise ParameterError(
            f"The whole flow would need epsilon = {found.epsilon:g} for {loss:g}, and none above {_MOST:g} "
            f"is chosen by itself: about {more:,} records would be needed.",
            "Allow more to be lost, guess the number of records if there are more, or give an epsilon.",
        )
    why = (
        f"epsilon = {found.epsilon:g} was chosen for the whole flow. No record was read to know this; it is "
        "a guide, not a promise."
    )
    return FlowGoal(found, " ".join([why, *words]))


def _last(flow: Flow) -> tuple[FlowStep, FlowStep | None]:
    """The last model that is paid for, and its evaluation, if that is paid for, too."""
    priced = flow.graph.priced()
    models = [step for step in priced if flow.graph.gives(step.name) == "model"]
    if not models:
        raise ParameterError(
            "The flow pays for no model whose accuracy could be a goal.", "Give it an epsilon."
        )
    scores = [step for step in priced if step.do == "evaluate" and step.inputs[0] == models[-1].name]
    return models[-1], scores[-1] if scores else None


def _rows(flow: Flow, places: Places, name: str, guess: Guess) -> tuple[RowsAt, int]:
    """The rows that a step takes, without records, and how many there would be."""
    step, (_, _, part) = flow.graph.step(whole(name)), name.partition(".")
    if step.do == "source":
        schema = places.schema(step)
        private = step.settings.get("public") is not True
        return RowsAt(empty_table(schema), schema, private, frozenset(schema.names)), guess.size
    if step.do not in _FREE:
        raise ParameterError(
            f"What '{step.name}' ({step.do}) makes of the rows is not known before it is paid for, so nobody "
            "can forecast what a model of them loses.",
            "Give the flow an epsilon, or run it up to there and plan the rest with a schema of its own.",
        )
    rows, _ = _rows(flow, places, step.inputs[0], guess)
    given: Any = passed_on(step, [rows], None, None)
    return given[part] if step.do == "split" else given, records_at(flow, name, guess.size)


def _smallest(flow: Flow, places: Places, needed: Mapping[str, float]) -> Flow:
    """The flow with the smallest ε, to three digits, whose division gives these steps what they need."""
    epsilon = _upwards(sum(needed.values()))
    if flow.allocation == "auto" and {step.name for step in flow.graph.priced()} == set(needed):
        steps = tuple(replace(step, weight=needed.get(step.name)) for step in flow.steps)
        flow = replace(flow, steps=steps, allocation="weights")
    for turn in range(40):  # shares hardly depend on ε, so the second is nearly right
        plan = planned(replace(flow, epsilon=epsilon), places)
        short = max(e / float(plan.amount_of(n).epsilon) for n, e in needed.items())  # type: ignore[union-attr]
        # Where the part of a score leaps with ε, none may be nearly right: then one that is enough is taken.
        if (0.98 if turn < 10 else 0) < short <= 1:
            break
        epsilon = _upwards(epsilon * short)
    return replace(flow, epsilon=epsilon, accuracy=None)


def _upwards(number: float) -> float:
    """The number with three digits that is no smaller."""
    step = 10.0 ** (math.floor(math.log10(number)) - 2)
    return round(math.ceil(number / step) * step, 12)
