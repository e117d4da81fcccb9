"""Where the steps of a flow stand in a picture: in layers from left to right, in their order within each."""

from __future__ import annotations

from collections.abc import Sequence

from privet.flow.graph import whole
from privet.flow.steps import FlowStep

__all__ = ["GAP_X", "GAP_Y", "HIGH", "WIDE", "layout"]

WIDE, HIGH, GAP_X, GAP_Y = 150, 46, 70, 24


def layout(steps: Sequence[FlowStep]) -> dict[str, tuple[int, int]]:
    """The left upper corner of each step; a step stands to the right of all that it takes from.

    Steps may be in any order, and even in a circle: what comes back is not followed.

    >>> layout([FlowStep("people", "source"), FlowStep("model", "naive-bayes", ("people",))])
    {'people': (0, 0), 'model': (220, 35)}
    """
    layers = {step.name: 0 for step in steps}
    for _ in steps:  # the longest way to each step; in a circle it ends where it would go on for ever
        for step in steps:
            before = [layers[whole(each)] for each in step.inputs if whole(each) in layers]
            layers[step.name] = min(max(before, default=-1) + 1, len(steps) - 1)
    rows: dict[int, int] = {}
    place: dict[str, tuple[int, int]] = {}
    for step in steps:
        depth = layers[step.name]
        # Every other layer stands half a row lower, so that an edge which leaps over a layer passes between.
        down = rows.get(depth, 0) * 2 + depth % 2
        place[step.name] = (depth * (WIDE + GAP_X), down * (HIGH + GAP_Y) // 2)
        rows[depth] = rows.get(depth, 0) + 1
    return place
