"""A picture of a flow's graph: steps in layers from left to right, edges coloured by their kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

from privet.flow.graph import Edge
from privet.flow.layout import HIGH, WIDE, Item, layout
from privet.flow.steps import MODEL, PRIVATE, PUBLIC, SCORE, TABLE

if TYPE_CHECKING:
    from privet.flow.flow import Flow

__all__ = ["drawn"]

_COLOURS = {PRIVATE: "#b3261e", PUBLIC: "#1b6e3c", MODEL: "#1f4e9c", SCORE: "#6b3fa0", TABLE: "#1b6e3c"}
_DASHES = {PRIVATE: "", PUBLIC: "6 3", MODEL: "", SCORE: "2 3", TABLE: "10 4"}
_EDGE, _LETTERS, _LEGEND = 10, 17, 130  # around the picture; in a step's box; for an entry of the legend
_PAID = "measures, and is paid for"


def drawn(flow: Flow) -> str:
    """The graph as SVG, with a title and a description for people who cannot see it."""
    graph = flow.graph
    places = {item: (x + _EDGE, y + _EDGE) for item, (x, y) in layout(graph.order).items()}
    kinds = [kind for kind in _COLOURS if any(edge.kind == kind for edge in graph.edges)]
    bottom = max(y for _, y in places.values()) + HIGH
    right = max(x for x, _ in places.values()) + WIDE
    width, height = max(right, _LEGEND * (len(kinds) + 2)) + _EDGE, bottom + 40
    told = "; ".join(f"{e.source} gives {e.kind} to {e.target}" for e in graph.edges)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="13">',
        f"<title>{escape(flow.name)}</title><desc>{escape(told)}</desc>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for step in graph.order:
        edges = [edge for edge in graph.edges if edge.target == step.name]
        for slot, (edge, name) in enumerate(zip(edges, step.inputs, strict=True), 1):
            # What a step takes comes in one below the other.
            parts += _edge(edge, name, places, HIGH * slot / (len(edges) + 1))
    priced = {step.name for step in graph.priced()}
    for step in graph.order:
        x, top = places[step.name]
        parts.append(
            f"<g><title>{escape(step.name)}</title>"
            f'<rect x="{x}" y="{top}" width="{WIDE}" height="{HIGH}" {_frame(step.name in priced)}/>'
            f'<text x="{x + 10}" y="{top + 19}" font-weight="bold">{escape(_short(step.name))}</text>'
            f'<text x="{x + 10}" y="{top + 36}" fill="#444">{escape(_short(step.do))}</text></g>'
        )
    return "\n".join([*parts, *_legend(kinds, height - 14), "</svg>"])


def _edge(edge: Edge, name: str, places: Mapping[Item, tuple[int, int]], down: float) -> Iterator[str]:
    """An edge from the middle of a step, through its rooms, to so far down the side of another."""
    (x, y), (left, top) = places[edge.source], places[edge.target]
    x, middle = x + WIDE, y + HIGH / 2  # where the line is drawn on from
    path = f"M{x} {middle:g}"
    rooms = [at for item, at in places.items() if not isinstance(item, str) and item[0] == name]
    stops = [(x, y + HIGH / 2) for x, y in sorted(rooms) if x < left]
    for to, height in (*stops, (left, top + down)):
        half = (x + to) / 2
        path += f" C{half:g} {middle:g} {half:g} {height:g} {to} {height:g}"
        if to < left:
            path += f" h{WIDE}"
        x, middle = to + WIDE, height
    yield f'<path d="{path}" fill="none" {_line(edge.kind)}/>'
    if edge.part:
        (at, height), anchor = (stops[0], "start") if stops else ((left, top + down), "end")
        yield (
            f'<text x="{at + (8 if stops else -8)}" y="{height - 5:g}" text-anchor="{anchor}" font-size="11" '
            f'fill="{_COLOURS[edge.kind]}" stroke="#fff" stroke-width="4" paint-order="stroke">{edge.part}'
            "</text>"
        )


def _line(kind: str) -> str:
    dash = f' stroke-dasharray="{_DASHES[kind]}"' if _DASHES[kind] else ""
    return f'stroke="{_COLOURS[kind]}" stroke-width="2"{dash}'


def _frame(thick: bool) -> str:
    return f'rx="6" fill="#fff" stroke="#333" stroke-width="{2.5 if thick else 1}"'


def _short(text: str) -> str:
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


def _legend(kinds: list[str], y: int) -> Iterator[str]:
    """What the lines and frames mean."""
    for place, kind in enumerate([*kinds, _PAID]):
        x = _EDGE + place * _LEGEND
        if kind == _PAID:
            yield f'<rect x="{x}" y="{y - 10}" width="24" height="13" {_frame(True)}/>'
        else:
            yield f'<path d="M{x} {y - 4} h24" {_line(kind)}/>'
        yield f'<text x="{x + 32}" y="{y}" font-size="11" fill="#444">{kind}</text>'
