"""Charts as values: what a picture shows, apart from who draws it.

A model, a result or a forecast says what there is to see as one of these few kinds. Reports draw them with
matplotlib, the workbench draws them in the browser from ``to_dict``, and each has a table with the same
figures for people who would rather read. A new algorithm needs no new drawing code on any face.

>>> patients = Series("patients", (812.0, 188.0), (10.0, 10.0))
>>> chart = Bars("Patients", ("well", "ill"), (patients,), y="records")
>>> chart.table()
(['', 'patients'], [['well', '812 ± 10'], ['ill', '188 ± 10']])
>>> chart.to_dict()["kind"]
'bars'
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from privet.report import plots

__all__ = ["Bars", "Chart", "Heatmap", "Lines", "Node", "Points", "Series", "Tree", "numbers"]

Cells = tuple[list[str], list[list[str]]]


def in_figures(value: float, digits: int = 4) -> str:
    """A number for a reader, without an exponent where people count.

    >>> in_figures(0.12345), in_figures(1797.0), in_figures(182.4, 2)
    ('0.1235', '1,797', '182')
    """
    return (
        f"{value:,.0f}"
        if 100 <= abs(value) < 1e9 and abs(value) >= 10 ** (digits - 1)
        else f"{value:.{digits}g}"
    )


@dataclass(frozen=True)
class Series:
    """Values with a name; ``errors`` are the half widths of their error bars, None if they have none.

    ``within`` says between which ends such a value can lie: no bar is drawn beyond them.
    """

    name: str
    values: tuple[float, ...]
    errors: tuple[float, ...] | None = None
    within: tuple[float | None, float | None] = (None, None)

    def ends(self) -> tuple[list[float], list[float]]:
        """Where the error bars begin and end.

        >>> Series("accuracy", (0.9,), (0.2,), (0, 1)).ends()
        ([0.7], [1])
        """
        low, high = self.within
        pairs = list(zip(self.values, self.errors or [0.0] * len(self.values), strict=True))
        below = [v - e if low is None else max(v - e, low) for v, e in pairs]
        return below, [v + e if high is None else min(v + e, high) for v, e in pairs]

    def sides(self) -> tuple[list[float], list[float]] | None:
        """How far the error bars reach below the values and above them; None if there are none."""
        if self.errors is None:
            return None
        pairs = list(zip(self.values, *self.ends(), strict=True))
        return [max(v - low, 0.0) for v, low, _ in pairs], [max(high - v, 0.0) for v, _, high in pairs]

    def cell(self, place: int) -> str:
        """One value as text, with its error bar."""
        shown = in_figures(self.values[place])
        return shown if self.errors is None else f"{shown} ± {in_figures(self.errors[place], 2)}"


@dataclass(frozen=True, kw_only=True)
class _Labels:
    """What every kind of chart says beside its figures: ``note`` tells a reader what to see in it."""

    x: str = ""
    y: str = ""
    note: str = ""


class Chart(_Labels):
    """The contract of all kinds: plain data, a table of the same figures, and a drawing."""

    kind: ClassVar[str]
    title: str

    def to_dict(self) -> dict[str, Any]:
        """The chart as plain data, for JSON, with its table beside it."""
        header, rows = self.table()
        return {"kind": self.kind, **asdict(self), "table": {"header": header, "rows": rows}}

    def table(self) -> Cells:
        """The same figures as text: a header, and rows."""
        raise NotImplementedError

    def figure(self) -> Any:
        """The drawing: a matplotlib figure."""
        raise NotImplementedError

    def svg(self) -> str:
        """The drawing as text, on a white ground."""
        return plots.svg_text(self.figure(), themed=False)

    def spoken(self) -> str:
        """What the chart shows, for people who cannot see it."""
        header, rows = self.table()
        told = "; ".join(
            f"{row[0]}: {', '.join(f'{h} {c}'.strip() for h, c in zip(header[1:], row[1:], strict=True))}"
            for row in rows[:40]
        )
        return f"{self.title}. {told}"


@dataclass(frozen=True)
class Bars(Chart):
    """One bar per label, in one or several series: counts, weights, scores."""

    kind: ClassVar[str] = "bars"
    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]

    def table(self) -> Cells:
        rows = [[label, *(s.cell(place) for s in self.series)] for place, label in enumerate(self.labels)]
        return ["", *(s.name for s in self.series)], rows

    def figure(self) -> Any:
        return plots.intervals(
            self.labels, {s.name: (s.values, s.sides()) for s in self.series}, xlabel=self.y or self.x
        )


@dataclass(frozen=True)
class Lines(Chart):
    """Curves over a number, with bands: shape functions, accuracy against ε, ROC, calibration.

    ``levels`` are horizontal lines to compare with, by name; ``diagonal`` is the name of the line y = x, if
    it is drawn to compare with.
    """

    kind: ClassVar[str] = "lines"
    title: str
    at: tuple[float, ...]
    series: tuple[Series, ...]
    levels: tuple[tuple[str, float], ...] = ()
    log_x: bool = False
    diagonal: str = ""

    def table(self) -> Cells:
        rows = [[f"{x:.4g}", *(s.cell(place) for s in self.series)] for place, x in enumerate(self.at)]
        return [self.x, *(s.name for s in self.series)], rows

    def figure(self) -> Any:
        bands = {s.name: s.ends() for s in self.series if s.errors is not None}
        return plots.lines(
            self.at,
            {s.name: s.values for s in self.series},
            xlabel=self.x,
            ylabel=self.y,
            bands=bands,
            references=dict(self.levels),
            diagonal=self.diagonal,
            log_x=self.log_x,
        )


@dataclass(frozen=True)
class Points(Chart):
    """Points in the plane by group: cluster centres, variants along a genome, two principal components.

    ``sizes`` is how much each point stands for; None if all are alike. ``level`` is a horizontal line.
    """

    kind: ClassVar[str] = "points"
    title: str
    groups: tuple[str, ...]
    points: tuple[tuple[tuple[float, float], ...], ...]
    errors: tuple[tuple[float, ...], ...] | None = None
    sizes: tuple[tuple[float, ...], ...] | None = None
    labels: tuple[tuple[str, ...], ...] | None = None
    level: float | None = None

    def table(self) -> Cells:
        rows = []
        for g, group in enumerate(self.groups):
            for place, (x, y) in enumerate(self.points[g]):
                bar = "" if self.errors is None else f" ± {in_figures(self.errors[g][place], 2)}"
                name = group if self.labels is None else self.labels[g][place]
                size = [] if self.sizes is None else [in_figures(self.sizes[g][place])]
                rows.append([name, in_figures(x), f"{in_figures(y)}{bar}", *size])
        return ["", self.x, self.y, *([] if self.sizes is None else ["size"])], rows

    def figure(self) -> Any:
        return plots.scattered(
            self.groups,
            self.points,
            self.errors,
            self.sizes,
            xlabel=self.x,
            ylabel=self.y,
            level=self.level,
        )


@dataclass(frozen=True)
class Heatmap(Chart):
    """A number for each pair of labels: cross-tables, confusion matrices, correlations, two-way shapes.

    ``errors`` has one half width for all cells, None if there is none. ``diverging`` scales around 0.
    """

    kind: ClassVar[str] = "heatmap"
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    error: float | None = None
    diverging: bool = False

    def table(self) -> Cells:
        bar = "" if self.error is None else f" ± {in_figures(self.error, 2)}"
        rows = [
            [name, *(f"{in_figures(value)}{bar}" for value in values)]
            for name, values in zip(self.rows, self.values, strict=True)
        ]
        corner = " \\ ".join(name for name in (self.y, self.x) if name)
        return [corner, *self.columns], rows

    def figure(self) -> Any:
        return plots.heatmap(
            self.rows, self.columns, self.values, xlabel=self.x, ylabel=self.y, diverging=self.diverging
        )


@dataclass(frozen=True)
class Node:
    """A node of a tree: its text, what leads to it from its parent, and its children."""

    text: str
    edge: str = ""
    children: tuple[Node, ...] = ()

    def lines(self, depth: int = 0) -> list[tuple[int, str, str]]:
        """Each node below this one, itself first: its depth, what leads to it, its text."""
        below = [line for child in self.children for line in child.lines(depth + 1)]
        return [(depth, self.edge, self.text), *below]


@dataclass(frozen=True)
class Tree(Chart):
    """A tree of decisions, or of columns that depend on each other."""

    kind: ClassVar[str] = "tree"
    title: str
    root: Node

    def table(self) -> Cells:
        rows = [[f"{'    ' * depth}{edge}", text] for depth, edge, text in self.root.lines()]
        return ["if", "then"], rows

    def figure(self) -> Any:
        return plots.tree(self.root)


def numbers(values: Iterable[Any]) -> tuple[float, ...]:
    """Plain floats, for a chart's fields: arrays do not compare as values."""
    return tuple(float(value) for value in values)
