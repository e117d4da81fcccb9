"""What all diagnoses share: figures with error bars for a reader, a page, and the guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.evaluation.figures import Figure
from privet.release import Guarantee

if TYPE_CHECKING:
    from privet.report import Chart, Page

__all__ = ["NOISE_ONLY", "Diagnosis"]

NOISE_ONLY = "± covers the privacy noise in 95 % of cases, not the choice of test records."


class Diagnosis:
    """The contract: lines of figures, charts, plain data."""

    guarantee: Guarantee
    title: str

    @property
    def headline(self) -> Figure:
        """The one figure that says most."""
        raise NotImplementedError

    def lines(self) -> list[tuple[str, str]]:
        """Each figure as a name and a text."""
        raise NotImplementedError

    def charts(self) -> tuple[Chart, ...]:
        """The pictures."""
        return ()

    def in_words(self) -> str:
        """What was found, in a sentence."""
        return ""

    def text(self) -> str:
        """The diagnosis for a reader."""
        found = self.lines()
        width = max(len(name) for name, _ in found) + 3
        lines = [self.title, "", *(f"{name:<{width}}{text}" for name, text in found)]
        for chart in self.charts():
            header, rows = chart.table()
            widths = [max(len(row[place]) for row in (header, *rows)) + 2 for place in range(len(header))]
            lines += ["", chart.title]
            for row in (header, *rows):
                lines.append("".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())
        if self.guarantee.steps:
            lines += ["", NOISE_ONLY]
        if said := self.in_words():
            lines += ["", said]
        return "\n".join([*lines, "", self.guarantee.headline])

    def __str__(self) -> str:
        return self.text()

    def page(self) -> Page:
        """The diagnosis as a page."""
        from privet.report import Page

        page = Page(self.title, self.guarantee.headline)
        section = page.section("Figures")
        if said := self.in_words():
            section.text(said)
        section.table(["figure", "value"], [list(line) for line in self.lines()], "Figures")
        for chart in self.charts():
            section.chart(chart)
        section.text(NOISE_ONLY)
        page.section("Guarantee").prose(self.guarantee.text())
        return page

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        plain = {
            name: value.to_dict()
            for name, value in vars(self).items()
            if isinstance(value, Figure | Guarantee)
        }
        return plain | {"charts": [chart.to_dict() for chart in self.charts()]}
