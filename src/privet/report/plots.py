"""Plots in the house style: few lines, and colours that all readers can tell apart.

Each function returns a matplotlib figure, made without matplotlib's global state; ``Section.figure`` puts it
on a page and ``save_svg`` writes it to a file.

>>> figure = bars(["age", "smoker"], [0.7, 0.3], xlabel="share of ε")
>>> svg_text(figure, prefix="one-").startswith("<svg")
True
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import cycle
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from privet.errors import MissingExtra
from privet.report.look import FAINT, INK, SERIES, VARIABLES

__all__ = [
    "bars",
    "error_bars",
    "heatmap",
    "intervals",
    "lines",
    "points",
    "save_svg",
    "scattered",
    "stacked",
    "svg_text",
    "tree",
]

_WIDTH = 7.2
_RULES: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.unicode_minus": True,
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "svg.fonttype": "none",  # text stays text: it can be searched, selected and read aloud
    "svg.hashsalt": "privet",
    "text.color": INK,
    "text.parse_math": False,  # a column's name may hold dollar signs
    "xtick.color": INK,
    "xtick.labelsize": 9.5,
    "ytick.color": INK,
    "ytick.labelsize": 9.5,
}


def bars(labels: Sequence[str], values: Sequence[float], *, xlabel: str, form: str = "{:.3g}") -> Any:
    """Horizontal bars, the first label on top, each with its value written beside it."""
    with _axes(0.6 + 0.34 * len(labels)) as (figure, axes):
        places = range(len(labels))
        axes.barh(places, values, color=SERIES[0], height=0.62)
        axes.set_yticks(places, labels)
        axes.invert_yaxis()
        axes.margins(x=0.12)
        axes.tick_params(axis="y", length=0)
        for place, value in zip(places, values, strict=True):
            axes.annotate(
                form.format(value), (value, place), xytext=(5, 0), textcoords="offset points", va="center"
            )
        axes.set_xlabel(xlabel)
    return figure


def error_bars(
    labels: Sequence[str],
    values: Sequence[float],
    errors: Sequence[float],
    *,
    ylabel: str,
    name: str = "released",
    truth: Sequence[float] | None = None,
    truth_name: str = "exact",
) -> Any:
    """Points with error bars for what was released; hollow bars for exact values, where those may be seen."""
    with _axes(3.2) as (figure, axes):
        places = range(len(labels))
        if truth is not None:
            axes.bar(
                places, truth, width=0.55, color="none", edgecolor=SERIES[1], linewidth=1.6, label=truth_name
            )
        axes.errorbar(
            places,
            values,
            yerr=errors,
            fmt="o",
            color=SERIES[0],
            markersize=6,
            capsize=6,
            linewidth=1.8,
            label=name,
        )
        axes.set_xticks(places, labels)
        axes.set_xlim(-0.6, len(labels) - 0.4)
        if min(value - error for value, error in zip(values, errors, strict=True)) >= 0:
            axes.set_ylim(bottom=0)
        else:
            axes.axhline(0, color=INK, linewidth=1)
        axes.set_ylabel(ylabel)
        axes.grid(axis="y")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


def intervals(
    labels: Sequence[str],
    series: Mapping[str, tuple[Sequence[float] | NDArray[Any], Any]],
    *,
    xlabel: str,
) -> Any:
    """A dot for each label, the first on top, with its interval to both sides where it has one.

    ``series`` are values and half widths by name (or a pair: how far to the left, and to the right); several
    stand below each other within each label.
    """
    thick = max(0.34, 0.16 * len(series))
    with _axes(0.6 + thick * len(labels)) as (figure, axes):
        axes.axvline(0, color=INK, linewidth=1)
        looks = zip(series.items(), cycle(SERIES), cycle("os^Dv*P"))
        for number, ((name, (values, widths)), colour, marker) in enumerate(looks):
            offset = 0.7 * ((number + 0.5) / len(series) - 0.5)
            axes.errorbar(
                values,
                [place + offset for place in range(len(labels))],
                xerr=widths,
                fmt=marker,
                color=colour,
                markersize=5,
                capsize=3,
                linewidth=1.6,
                label=name,
            )
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(xlabel)
        axes.grid(axis="x")
        if len(series) > 1:
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return figure


def lines(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    *,
    xlabel: str,
    ylabel: str,
    bands: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
    references: Mapping[str, float] | None = None,
    diagonal: str = "",
    log_x: bool = False,
) -> Any:
    """Curves, each with an optional band (lowest, highest), and dashed lines to compare them with: levels,
    and y = x under the name ``diagonal``."""
    with _axes(3.6) as (figure, axes):
        for (name, values), colour, marker in zip(series.items(), cycle(SERIES), cycle("os^Dv*P")):
            axes.plot(x, values, color=colour, marker=marker, markersize=5, linewidth=2, label=name)
            if bands and name in bands:
                axes.fill_between(x, *bands[name], color=colour, alpha=0.18, linewidth=0)
        for (name, level), style in zip((references or {}).items(), ("--", ":"), strict=False):
            axes.axhline(level, color=INK, linestyle=style, linewidth=1.3, label=name)
        if diagonal:
            axes.plot(x, x, color=INK, linestyle="--", linewidth=1.3, label=diagonal)
        if log_x:
            axes.set_xscale("log")
            axes.set_xticks(x, [f"{value:g}" for value in x])
            axes.minorticks_off()
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.grid(axis="y")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return figure


def points(
    x: Sequence[float] | NDArray[Any],
    y: Sequence[float] | NDArray[Any],
    error: float,
    *,
    xlabel: str,
    ylabel: str,
    ticks: Sequence[tuple[float, str]] = (),
    diagonal: bool = False,
) -> Any:
    """Points with the same error bar each; ``ticks`` name places of x, ``diagonal`` draws y = x."""
    with _axes(3.4) as (figure, axes):
        axes.errorbar(
            x, y, yerr=error, fmt="o", color=SERIES[0], ecolor=FAINT, markersize=5, capsize=3, linewidth=1.4
        )
        if diagonal:
            ends = (min(x), max(x))
            axes.plot(ends, ends, color=INK, linestyle="--", linewidth=1.3, label="chance")
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0))
        if ticks:
            axes.set_xticks([place for place, _ in ticks], [name for _, name in ticks])
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.grid(axis="y")
    return figure


def stacked(
    parts: Mapping[str, float],
    limit: float,
    *,
    xlabel: str,
    limit_name: str = "limit",
    refused: Mapping[str, float] | None = None,
) -> Any:
    """One bar of what was spent, piece by piece, against a limit; what was refused is hollow."""
    with _axes(2.0) as (figure, axes):
        start = 0.0
        for place, (name, value) in enumerate(parts.items()):
            axes.barh([0], [value], left=[start], height=0.5, color=SERIES[place % len(SERIES)], label=name)
            start += value
        for name, value in (refused or {}).items():
            hollow = {"fill": False, "edgecolor": INK, "linestyle": "--", "linewidth": 1.2}
            axes.barh([0], [value], left=[start], height=0.5, label=name, **hollow)
            start += value
        axes.axvline(limit, color=INK, linewidth=2, label=f"{limit_name} {limit:g}")
        axes.set_xlim(0, max(limit, start) * 1.06)
        axes.set_ylim(-0.4, 0.4)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(xlabel)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


def scattered(
    groups: Sequence[str],
    points: Sequence[Sequence[tuple[float, float]]],
    errors: Sequence[Sequence[float]] | None = None,
    sizes: Sequence[Sequence[float]] | None = None,
    *,
    xlabel: str,
    ylabel: str,
    level: float | None = None,
) -> Any:
    """Points by group, with error bars or sizes where they have them, and a level line to compare with."""
    most = max((size for each in sizes or () for size in each), default=1.0) or 1.0
    with _axes(3.8) as (figure, axes):
        looks = zip(groups, points, cycle(SERIES), cycle("os^Dv*P"))
        for number, (name, places, colour, marker) in enumerate(looks):
            if not places:
                continue
            x, y = zip(*places, strict=True)
            if errors is not None:
                axes.errorbar(x, y, yerr=errors[number], fmt="none", ecolor=FAINT, capsize=3, linewidth=1.4)
            area = 36.0 if sizes is None else [20 + 280 * max(s, 0) / most for s in sizes[number]]
            axes.scatter(x, y, s=area, color=colour, marker=marker, alpha=0.85, label=name, zorder=3)
        if level is not None:
            axes.axhline(level, color=INK, linestyle="--", linewidth=1.3)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.grid()
        if len(groups) > 1:
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
    return figure


def heatmap(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    xlabel: str,
    ylabel: str,
    diverging: bool = False,
) -> Any:
    """A shade for each cell; small tables also show the numbers, so that nobody has to guess a shade."""
    with _axes(0.9 + 0.34 * len(rows)) as (figure, axes):
        most = max((abs(value) for row in values for value in row), default=1.0) or 1.0
        shades = {"cmap": "RdBu", "vmin": -most, "vmax": most} if diverging else {"cmap": "Blues"}
        image = axes.imshow(values, aspect="auto", alpha=0.85, **shades)
        axes.set_xticks(range(len(columns)), columns, rotation=0 if len(columns) <= 6 else 60)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        if len(rows) * len(columns) <= 100:
            for (row, column), value in (
                (((r, c), values[r][c])) for r in range(len(rows)) for c in range(len(columns))
            ):
                dark = abs(image.norm(value) - (0.5 if diverging else 0)) > (0.35 if diverging else 0.6)
                axes.text(
                    column, row, _short(value), ha="center", va="center", color="white" if dark else "black"
                )
        else:
            figure.colorbar(image, ax=axes)
    return figure


def tree(root: Any) -> Any:
    """A tree from left to right: leaves below each other, each node beside the middle of its children."""
    places: list[tuple[Any, float, int]] = []
    links: list[tuple[float, int, float, int]] = []

    def place(node: Any, depth: int, next_leaf: float) -> tuple[float, float]:
        if not node.children:
            places.append((node, next_leaf, depth))
            return next_leaf, next_leaf + 1
        heights = []
        for child in node.children:
            height, next_leaf = place(child, depth + 1, next_leaf)
            heights.append(height)
        middle = (heights[0] + heights[-1]) / 2
        places.append((node, middle, depth))
        links.extend((middle, depth, height, depth + 1) for height in heights)
        return middle, next_leaf

    _, leaves = place(root, 0, 0.0)
    with _axes(0.6 + 0.44 * leaves) as (figure, axes):
        for height, depth, below, next_depth in links:
            axes.plot([depth, next_depth], [height, below], color=FAINT, linewidth=1.4, zorder=1)
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": SERIES[0], "linewidth": 1.2}
        for node, height, depth in places:
            text = f"{node.edge}\n{node.text}" if node.edge else node.text
            axes.text(depth, height, text, ha="center", va="center", fontsize=8, bbox=box, zorder=2)
        axes.set_xlim(-0.6, max(depth for _, _, depth in places) + 0.6)
        axes.set_ylim(leaves - 0.4, -0.6)
        axes.axis("off")
    return figure


def save_svg(figure: Any, path: str | Path) -> None:
    """Write a figure to a file of its own, on a white ground."""
    Path(path).write_text(svg_text(figure, themed=False) + "\n", encoding="utf-8")


def svg_text(figure: Any, *, prefix: str = "", themed: bool = True) -> str:
    """A figure as an ``<svg>`` element. ``themed``: without a ground, its colours those of the page.

    Names within the drawing get the prefix, since several drawings on one page may not share them.
    """
    buffer = StringIO()
    with _style():
        ground = "none" if themed else "white"
        # Without a date the same figure gives the same file.
        figure.savefig(buffer, format="svg", facecolor=ground, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = re.sub(r'(url\(|href=")#', rf"\1#{prefix}", text)
    if themed:
        for colour, variable in VARIABLES.items():
            text = text.replace(colour, variable)
    return text


def _short(value: float) -> str:
    """A number for a small cell, without an exponent where people count."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"


@contextmanager
def _axes(height: float) -> Iterator[tuple[Any, Any]]:
    """A figure with one set of axes, drawn in the house style."""
    with _style() as matplotlib:
        figure = matplotlib.figure.Figure(figsize=(_WIDTH, height + 0.4), layout="constrained")
        yield figure, figure.subplots()


@contextmanager
def _style() -> Iterator[Any]:
    try:
        import matplotlib.figure
    except ImportError:
        raise MissingExtra.of("report", "Drawing plots") from None
    with matplotlib.rc_context(_RULES):
        yield matplotlib
