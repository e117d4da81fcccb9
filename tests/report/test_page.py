from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.report import Page, bars


class Outline(HTMLParser):
    """Collects the tags, ids and text of a page, and checks that tags close in order."""

    VOID = frozenset({"meta", "br", "img", "link", "use", "path"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href"):
                self.links.append(value or "")
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def full_page() -> Page:
    page = Page("A report", "of two sections")
    for heading in ("One", "Two"):
        section = page.section(heading)
        section.text("First.", "Second.")
        section.note("Well done.", "good")
        section.table(["name", "value"], [["a", 1234], ["b", 0.5], ["c", True]], caption="Some values")
        section.figure(bars(["a", "b"], [1, 2], xlabel="x"), alt="a is 1, b is 2", caption="Two bars")
        section.code("privet demo\n", label="a command")
    return page


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere() -> None:
    outline = Outline(full_page().html())
    assert outline.tags.count("section") == 2
    assert outline.tags.count("svg") == 2
    assert not {"script", "link", "img", "iframe", "object"} & set(outline.tags)
    assert all(link.startswith("#") for link in outline.links)
    assert "@import" not in full_page().html()
    assert not re.search(r"url\((?!#)", full_page().html())


def test_ids_are_unique_and_inner_links_lead_somewhere() -> None:
    html = full_page().html()
    outline = Outline(html)
    assert len(outline.ids) == len(set(outline.ids))
    inner = set(re.findall(r'(?:url\(|href=")#([^")]+)', html))
    assert inner, "the drawings use clip paths and marks"
    assert inner <= set(outline.ids)


def test_figures_and_tables_say_what_they_show() -> None:
    html = full_page().html()
    assert html.count('role="img" aria-label="a is 1, b is 2"') == 2
    assert html.count("<caption>Some values</caption>") == 2
    assert html.count('scope="col"') == 4


def test_drawings_follow_the_readers_light_or_dark_setting() -> None:
    html = full_page().html()
    drawings = "".join(re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL))
    assert "var(--ink)" in drawings
    assert "var(--series-1)" in drawings
    assert "#0072b2" not in drawings
    assert "prefers-color-scheme: dark" in html


@given(st.text(alphabet=st.characters(exclude_categories=["C"]), min_size=1))
def test_no_text_can_become_markup(text: str) -> None:
    hostile = f'<script>"{text}"</script>&amp;\''
    page = Page(hostile, hostile)
    section = page.section(hostile)
    section.text(hostile)
    section.note(hostile)
    section.code(hostile, label=hostile)
    section.table([hostile], [[hostile]], caption=hostile)
    outline = Outline(page.html())
    assert "script" not in outline.tags
    assert outline.text.count(hostile) == 11  # every place, the title twice: also in the head


def test_numbers_are_set_to_the_right_and_other_cells_are_not() -> None:
    html = full_page().html()
    assert '<td class="number">1,234</td>' in html
    assert '<td class="number">0.5</td>' in html
    assert "<td>True</td>" in html


def test_writing_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    assert full_page().write(path) == path
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_page_is_the_same_file() -> None:
    assert full_page().html() == full_page().html()


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    from privet.errors import MissingExtra

    real = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"privet\[report\]"):
        bars(["a"], [1], xlabel="x")
