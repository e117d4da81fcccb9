"""A picture of a flow's graph: steps in layers from left to right, edges coloured by their kind."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from privet.flow.layout import GAP_Y, HIGH, WIDE, layout
from privet.flow.steps import MODEL, PRIVATE, PUBLIC, SCORE, TABLE

if TYPE_CHECKING:
    from privet.flow.flow import Flow

__all__ = ["drawn"]

_COLOURS = {PRIVATE: "#b3261e", PUBLIC: "#1b6e3c", MODEL: "#1f4e9c", SCORE: "#6b3fa0", TABLE: "#1b6e3c"}
_DASHES = {PRIVATE: "", PUBLIC: "6 3", MODEL: "", SCORE: "2 3", TABLE: "6 3"}


def drawn(flow: Flow) -> str:
    """The graph as SVG, with a title and a description for people who cannot see it."""
    graph = flow.graph
    place = {name: (x + 10, y + 10) for name, (x, y) in layout(graph.order).items()}
    width = max(x for x, _ in place.values()) + WIDE + 10
    height = max(y for _, y in place.values()) + HIGH + GAP_Y + 20
    told = "; ".join(f"{e.source} gives {e.kind} to {e.target}" for e in graph.edges)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="13">',
        f"<title>{escape(flow.name)}</title><desc>{escape(told)}</desc>",
    ]
    for edge in graph.edges:
        x, y = place[edge.source][0] + WIDE, place[edge.source][1] + HIGH / 2
        to_x, to_y = place[edge.target][0], place[edge.target][1] + HIGH / 2
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
            f'<rect x="{x}" y="{top}" width="{WIDE}" height="{HIGH}" rx="6" fill="#fff" stroke="#333" '
            f'stroke-width="{line}"/>'
            f'<text x="{x + 10}" y="{top + 19}" font-weight="bold">{escape(step.name)}</text>'
            f'<text x="{x + 10}" y="{top + 36}" fill="#444">{escape(step.do)}</text>'
        )
    parts.append(
        f'<text x="10" y="{height - 8}" font-size="11" fill="#444">'
        "Thick frames measure and are paid for.</text></svg>"
    )
    return "\n".join(parts)
