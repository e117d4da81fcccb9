"""A page of sections: text, tables, figures, code and notes, written as one self-contained HTML file.

Everything given to a page is text and is escaped: a column's name cannot become markup. The file loads
nothing from elsewhere, so that it can be mailed, archived and opened without a network.

>>> page = Page("Visits", "A small example.")
>>> section = page.section("Counts")
>>> section.table(["clinic", "visits"], [["A & B", "12"]], caption="Visits of each clinic")
>>> "A &amp; B" in page.html()
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from privet.report.look import STYLE
from privet.report.plots import svg_text

if TYPE_CHECKING:
    from privet.report.charts import Chart

__all__ = ["Page", "Section"]

Tone = Literal["plain", "good", "warning"]


class Section:
    """A heading and what stands below it, in the order in which it was added."""

    def __init__(self, heading: str, number: int) -> None:
        self.heading = heading
        self._id = f"section-{number}"
        self._figures = 0
        self._parts: list[str] = []

    def text(self, *paragraphs: str) -> None:
        """One or more paragraphs."""
        self._parts += [f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs]

    def note(self, text: str, tone: Tone = "plain") -> None:
        """A paragraph that stands out: a result, or a warning."""
        self._parts.append(f'<p class="note {tone}">{escape(text)}</p>')

    def prose(self, text: str) -> None:
        """Text that keeps its lines, and breaks those that are too long for the page: a guarantee."""
        self._parts.append(f'<pre class="prose"><code>{escape(text)}</code></pre>')

    def code(self, text: str, label: str = "") -> None:
        """Text that keeps its lines as they are: a command, a file, a table of figures."""
        title = f'<p class="label">{escape(label)}</p>' if label else ""
        self._parts.append(f'{title}<pre tabindex="0"><code>{escape(text)}</code></pre>')

    def table(self, header: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> None:
        """A table; numbers are set to the right. The caption says what it shows, to readers and listeners."""
        self._parts.append(_table(header, rows, caption))

    def figure(self, figure: Any, *, alt: str, caption: str) -> None:
        """A matplotlib figure as an inline drawing; ``alt`` says in words what it shows."""
        self._figures += 1
        drawing = svg_text(figure, prefix=f"{self._id}-{self._figures}-", themed=True)
        self._parts.append(
            f'<figure><div class="scroll" tabindex="0"><div role="img" aria-label="{escape(alt)}">{drawing}'
            f"</div></div><figcaption>{escape(caption)}</figcaption></figure>"
        )

    def chart(self, chart: Chart) -> None:
        """A chart as a drawing, with the same figures in a table that unfolds below it."""
        self.figure(chart.figure(), alt=chart.spoken(), caption=f"{chart.title}. {chart.note}".strip())
        header, rows = chart.table()
        table = _table(header, rows, chart.title)
        self._parts.append(f"<details><summary>The same in figures</summary>{table}</details>")

    def html(self) -> str:
        return (
            f'<section aria-labelledby="{self._id}"><h2 id="{self._id}">{escape(self.heading)}</h2>'
            f"{''.join(self._parts)}</section>"
        )


class Page:
    """A report: a title, a line below it, and sections."""

    def __init__(self, title: str, subtitle: str = "", language: str = "en") -> None:
        self.title = title
        self.subtitle = subtitle
        self.language = language
        self._sections: list[Section] = []

    def section(self, heading: str) -> Section:
        """Begin a section; add to what is returned."""
        section = Section(heading, len(self._sections) + 1)
        self._sections.append(section)
        return section

    def html(self) -> str:
        """The whole file."""
        subtitle = f'<p class="subtitle">{escape(self.subtitle)}</p>' if self.subtitle else ""
        return (
            f'<!DOCTYPE html>\n<html lang="{escape(self.language)}"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark">'
            f"<title>{escape(self.title)}</title><style>{STYLE}</style></head><body><main>"
            f"<header><h1>{escape(self.title)}</h1>{subtitle}</header>"
            f"{''.join(section.html() for section in self._sections)}"
            "<footer>Made with Privet.</footer></main></body></html>\n"
        )

    def write(self, path: str | Path) -> Path:
        """Write the page; a file that is there already is replaced in one step."""
        path = Path(path)
        partial = path.with_name(path.name + ".partial")
        partial.write_text(self.html(), encoding="utf-8")
        return partial.replace(path)


_RIGHT = ' class="number"'


def _table(header: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    rows = [list(row) for row in rows]
    numeric = [bool(rows) and all(map(_is_number, column)) for column in zip(*rows, strict=True)]
    numeric += [False] * (len(header) - len(numeric))
    head = "".join(
        f'<th scope="col"{_RIGHT if right else ""}>{escape(name)}</th>'
        for name, right in zip(header, numeric, strict=True)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    shown = str(value).replace(" ± ", "\u00a0±\u00a0")  # a line never breaks before an error bar
    if _is_number(value):
        shown = f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"
    return f"<td{_RIGHT if _is_number(value) else ''}>{escape(shown)}</td>"
