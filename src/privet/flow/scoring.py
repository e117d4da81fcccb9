"""What the score of a flow's model needs to be worth reading, and what its part of the budget buys.

By the error formula of an accuracy (``evaluation.score_goal``), from guesses alone: how many records there
are, and how many of them the model predicts right. A score should know the accuracy to ± 0.05. Where that
takes more than 15 % of the flow, it gets 15 % if this buys ± 0.1; where it does not, no part that the model
could spare makes the score worth reading, and it gets what its step's error formula says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from privet.budget import Approximate, Pure
from privet.evaluation.score_goal import Known, accuracy_known
from privet.flow.flow import Flow
from privet.flow.graph import whole
from privet.schema import Category, Schema
from privet.worlds import Guess

__all__ = ["Scored", "parts_of", "records_at", "scored"]

_GOAL, _ENOUGH = 0.05, 0.1
_MOST = 0.15
_GRAIN = 1000


@dataclass(frozen=True)
class Scored:
    """How closely a score with all of the flow's budget would know the accuracy, and by what records."""

    known: Known
    records: int
    power: float

    def share(self, most: float) -> float:
        """The part that it should get at least; 0 if none up to ``most`` makes it worth reading."""
        for grain in range(1, int(most * _GRAIN) + 1):
            if self.known.within(grain / _GRAIN, self.power) <= _GOAL:
                return grain / _GRAIN
        return most if self.known.within(most, self.power) <= _ENOUGH else 0.0

    def buys(self, share: float) -> str:
        """What a part of the flow buys, in words."""
        width = self.known.within(share, self.power)
        return (
            f"expected to know the accuracy to ± {width:.2g} (noise and choice of test records, in 95 % of "
            f"cases), if there are about {self.records:,} test records"
        )


def scored(
    flow: Flow, schemas: Mapping[str, Schema], amount: Pure | Approximate, *, pure: bool
) -> dict[str, Scored]:
    """The paid scores of classifiers, by their step; ``schemas`` are what they read their rows through.

    ``amount`` is all of the flow; ``pure`` says that it is divided by ε, and not by the zCDP ρ.
    """
    guess = Guess.from_text(flow.guess)
    found = {}
    for step in flow.graph.priced():
        schema = schemas.get(step.name)
        if schema is None or not isinstance(schema[schema.target or ""], Category):
            continue
        records = records_at(flow, step.inputs[1], guess.size)
        known = accuracy_known(schema, amount, guess, step.settings.get("measures", "all"), records)
        found[step.name] = Scored(known, records, 1.0 if pure else 0.5)
    return found


def parts_of(found: Mapping[str, Scored]) -> dict[str, float]:
    """What the scores should get at least of the flow: together no more than the most."""
    return {name: each.share(_MOST / len(found)) for name, each in found.items()}


def records_at(flow: Flow, name: str, size: int) -> int:
    """How many records there would be at a step, of so many people: a split deals them out."""
    step, (_, _, part) = flow.graph.step(whole(name)), name.partition(".")
    if step.do == "source" or not step.inputs:
        return size
    records = records_at(flow, step.inputs[0], size)
    if step.do != "split":
        return records
    held = max(records // int(step.settings.get("folds", 4)), 10)
    return held if part == "test" else max(records - held, 10)
