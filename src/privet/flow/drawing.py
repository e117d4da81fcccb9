"""A picture of a flow's graph: steps in layers from left to right, edges coloured by their kind."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from privet.flow.steps import MODEL, PRIVATE, PUBLIC, SCORE, TABLE

if TYPE_CHECKING:
    from privet.flow.flow import Flow

__all__ = ["drawn"]

_WIDE, _HIGH, _GAP_X, _GAP_Y = 150, 46, 70, 24
_COLOURS = {PRIVATE: "#b3261e", PUBLIC: "#1b6e3c", MODEL: "#1f4e9c", SCORE: "#6b3fa0", TABLE: "#1b6e3c"}
_DASHES = {PRIVATE: "", PUBLIC: "6 3", MODEL: "", SCORE: "2 3", TABLE: "6 3"}


def drawn(flow: Flow) -> str:
    """The graph as SVG, with a title and a description for people who cannot see it."""
    graph = flow.graph
    layer: dict[str, int] = {}
    for step in graph.order:
        layer[step.name] = max((layer[n.partition(".")[0]] + 1 for n in step.inputs), default=0)
    rows: dict[int, int] = {}
    place: dict[str, tuple[int, int]] = {}
    for step in graph.order:
        depth = layer[step.name]
        place[step.name] = (depth * (_WIDE + _GAP_X) + 10, rows.get(depth, 0) * (_HIGH + _GAP_Y) + 10)
        rows[depth] = rows.get(depth, 0) + 1
    width = (max(layer.values()) + 1) * (_WIDE + _GAP_X) - _GAP_X + 20
    height = max(rows.values()) * (_HIGH + _GAP_Y) + 40
    told = "; ".join(f"{e.source} gives {e.kind} to {e.target}" for e in graph.edges)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="13">',
        f"<title>{escape(flow.name)}</title><desc>{escape(told)}</desc>",
    ]
    for edge in graph.edges:
        x, y = place[edge.source][0] + _WIDE, place[edge.source][1] + _HIGH / 2
        to_x, to_y = place[edge.target][0], place[edge.target][1] + _HIGH / 2
        bend = (to_x - x) / 2
        dash = f' stroke-dasharray="{_DASHES[edge.kind]}"' if _DASHES[edge.kind] else ""
        parts.append(
            f'<path d="M{x} {y:g} C{x + bend:g} {y:g} {to_x - bend:g} {to_y:g} {to_x} {to_y:g}" fill="none" '
            f'stroke="{_COLOURS[edge.kind]}" stroke-width="2"{dash}/>'
        )
        label = edge.kind + (f" ({edge.part})" if edge.part else "")
        parts.append(
            f'<text x="{(x + to_x) / 2:g}" y="{(y + to_y) / 2 - 5:g}" text-anchor="middle" font-size="10" '
            f'fill="{_COLOURS[edge.kind]}">{escape(label)}</text>'
        )
    priced = {step.name for step in graph.priced()}
    for step in graph.order:
        x, top = place[step.name]
        line = 2.5 if step.name in priced else 1
        parts.append(
            f'<rect x="{x}" y="{top}" width="{_WIDE}" height="{_HIGH}" rx="6" fill="#fff" stroke="#333" '
            f'stroke-width="{line}"/>'
            f'<text x="{x + 10}" y="{top + 19}" font-weight="bold">{escape(step.name)}</text>'
            f'<text x="{x + 10}" y="{top + 36}" fill="#444">{escape(step.do)}</text>'
        )
    parts.append(
        f'<text x="10" y="{height - 8}" font-size="11" fill="#444">'
        "Thick frames measure and are paid for.</text></svg>"
    )
    return "\n".join(parts)
