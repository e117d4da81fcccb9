"""Where the steps of a flow stand in a picture: in layers from left to right.

An edge that leaps over a layer has a room of its own there, as a step has, and passes beside the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from privet.flow.graph import whole
from privet.flow.steps import FlowStep

__all__ = ["HIGH", "WIDE", "layout"]

WIDE, HIGH, GAP_X, GAP_Y = 150, 46, 70, 24
#: A step by its name, or what an edge carries on its way through a layer.
Item = str | tuple[str, int]


def layout(steps: Sequence[FlowStep]) -> dict[Item, tuple[int, int]]:
    """The left upper corner of each step, and of the room that long edges have in the layers between.

    A step stands to the right of all that it takes from. Steps may be in any order, and even in a circle:
    what comes back is not followed.

    >>> layout([FlowStep("people", "source"), FlowStep("model", "naive-bayes", ("people",))])
    {'people': (0, 0), 'model': (220, 0)}
    """
    depths = _depths(steps)
    before: dict[Item, list[Item]] = {}  # in the layer to the left
    for step in steps:
        before[step.name] = []
        for name in step.inputs:
            if whole(name) not in depths:
                continue
            between = range(depths[whole(name)] + 1, depths[step.name])
            way: list[Item] = [whole(name), *((name, depth) for depth in between), step.name]
            for left, right in pairwise(way):
                before.setdefault(right, []).append(left)
    layers: dict[int, list[Item]] = {}
    for item in before:
        layers.setdefault(depths[item] if isinstance(item, str) else item[1], []).append(item)
    rows: dict[Item, int] = {}
    for depth in sorted(layers):
        # Each as near as may be to the middle of what leads to it, and none above another that was nearer.
        known = {item: [rows[each] for each in before[item] if each in rows] for item in layers[depth]}
        middle = {item: sum(each) / len(each) if each else 0.0 for item, each in known.items()}
        free = 0
        for item in sorted(layers[depth], key=middle.__getitem__):
            rows[item] = max(free, int(middle[item]))
            free = rows[item] + 1
    across = {item: depth for depth, items in layers.items() for item in items}
    return {item: (across[item] * (WIDE + GAP_X), row * (HIGH + GAP_Y)) for item, row in rows.items()}


def _depths(steps: Sequence[FlowStep]) -> dict[str, int]:
    """The layer of each step: the longest way to it; in a circle it ends where it would go on for ever."""
    found = {step.name: 0 for step in steps}
    for _ in steps:
        for step in steps:
            before = [found[whole(each)] for each in step.inputs if whole(each) in found]
            found[step.name] = min(max(before, default=-1) + 1, len(steps) - 1)
    return found
