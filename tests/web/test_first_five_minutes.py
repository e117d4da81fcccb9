"""From the start page to a private result, a refusal and a script: by keyboard alone, and by mouse.

By mouse it is the tutorial in the browser, as it is written: its pictures are taken on the way, so they
cannot go stale. ``make screenshots`` writes them to ``docs/images``; otherwise they go where all pictures go.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.web.conftest import DRAWN, SHOTS, WIDE, Visitor
from tests.web.hands import Hand, Keyboard, Mouse
from tests.web.workbench import ROOT

TUTORIAL = ROOT / "docs" / "tutorials" / "first-private-result-in-the-browser.md"


class Journey:
    """The five minutes; ``seen`` is called wherever there is something to look at."""

    def __init__(self, visitor: Visitor, hand: Hand) -> None:
        self.visitor, self.page, self.hand = visitor, visitor.page, hand

    def seen(self, what: str) -> None:
        raise NotImplementedError

    def go(self) -> None:
        self.to_the_budget()
        self.to_a_result()
        self.to_a_refusal()
        self.to_the_script()

    def to_the_budget(self) -> None:
        page, press = self.page, self.hand.press
        self.visitor.at("")
        assert "Practice" in page.inner_text("header")
        self.seen("start")
        press(page, "Open: The clinic")
        page.get_by_text("2 of 11 left", exact=True).wait_for()
        self.seen("public")
        press(page, "Yes, bmi is public")
        page.get_by_text("1 of 11 left", exact=True).wait_for()
        press(page, "Yes, glucose is public")
        page.get_by_text("All 11 answered").wait_for()
        press(page, "Register this and open the budget")

    def to_a_result(self) -> None:
        """The automatic choice is chosen already, and the forecast comes by itself."""
        page, hand = self.page, self.hand
        page.get_by_role("heading", name="Classify").wait_for()
        page.get_by_text("of what is attainable").wait_for()
        page.get_by_text("of 100 after this run").wait_for()  # it and the forecast come in either order
        assert page.get_by_role("radio", name=re.compile("^Auto")).is_checked()
        self.seen("decide")
        after, share = r"(\d+) of 100 after this run", r"About (\d+) %"
        dots, accuracy = number_in(page, after), number_in(page, share)
        hand.slide(page, 0.05)
        expect(page.locator("main")).not_to_contain_text(f"{dots} of 100 after this run")
        assert number_in(page, after) < dots
        assert number_in(page, share) < accuracy
        hand.slide(page, 0.5)
        page.get_by_text(f"{dots} of 100 after this run").wait_for()

        # Practice is free; "Do this for real" keeps the settings.
        hand.press(page, "Run on made-up people")
        page.get_by_role("button", name="Do this for real").wait_for()
        self.seen("result-practice")
        hand.press(page, "Do this for real")
        assert "For real" in page.inner_text("header")
        page.get_by_role("button", name="Run: spends ε = 0.5").wait_for()
        hand.press(page, "Run: spends ε = 0.5")
        assert "cannot be undone" in page.get_by_role("dialog").inner_text()
        self.seen("confirm")
        hand.spend(page)
        page.get_by_role("heading", name="In words").wait_for()
        assert "Released" in page.inner_text("main")
        assert "ε = 0.5" in page.inner_text("main")
        self.seen("result")

    def to_a_refusal(self) -> None:
        """A second run that is too large is refused, with the most that fits."""
        page, hand = self.page, self.hand
        hand.press(page, "Classify")
        hand.slide(page, 5)
        page.get_by_text("Too much").wait_for()
        assert page.get_by_role("button", name="Run: spends").is_disabled()
        self.seen("too-much")
        hand.press(page, "Use the most that fits: ε = 1")
        page.get_by_role("button", name="Run: spends ε = 1 ").wait_for()

    def to_the_script(self) -> None:
        """The script of what was released, and on to a table of one's own."""
        page, hand = self.page, self.hand
        hand.press(page, "Results")
        page.get_by_role("heading", name="Results").wait_for()
        newest = page.locator("li.card", has_text="Released").get_by_role("link").first
        hand.press(page, newest.inner_text())
        hand.unfold(page, "Show the script")
        page.locator("pre", has_text="import").wait_for()
        hand.press(page, "Do this with my table")
        page.get_by_role("button", name="Choose a file").wait_for()


def number_in(page: Any, pattern: str) -> int:
    found = re.search(pattern, page.inner_text("main").replace("\n", " "))
    assert found, pattern
    return int(found.group(1))


class ByKeyboard(Journey):
    """Each state is checked with axe, wide and narrow."""

    def seen(self, what: str) -> None:
        if what != "start":  # how it is before anything was opened is looked at elsewhere
            self.visitor.look(f"five-minutes-{what}")


#: What each picture of the tutorial shows: the top of the page down to here, or one part of it.
PARTS = {
    "start": 780,
    "public": "section[aria-labelledby=columns]",
    "decide": ".decide",
    "result": 1400,  # down to the first pictures
    "too-much": ".decide > section:last-child",
}


class Tutorial(Journey):
    """The pictures of the tutorial, in its order."""

    def __init__(self, visitor: Visitor, folder: Path) -> None:
        super().__init__(visitor, Mouse())
        self.folder = folder
        self.taken: list[str] = []

    def seen(self, what: str) -> None:
        if what not in PARTS:
            return
        page, part, name = self.page, PARTS[what], f"workbench-{what}"
        page.set_viewport_size({"width": 1280, "height": part if isinstance(part, int) else 780})
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        page.evaluate(DRAWN)
        self.folder.mkdir(exist_ok=True)
        shown = page.locator(part) if isinstance(part, str) else page
        shown.screenshot(path=self.folder / f"{name}.png")
        page.set_viewport_size(WIDE)
        self.taken.append(name)


def test_by_keyboard_alone(visitor):
    ByKeyboard(visitor, Keyboard()).go()


def test_before_a_first_table_and_the_tutorial_by_mouse(newcomer):
    """In a workbench in which nothing has been done yet: every page without a table, then the tutorial."""
    visitor, page = newcomer, newcomer.page
    visitor.at("")
    page.get_by_text("There are none yet").wait_for()
    visitor.look("start")
    for name in ("catalogue", "budget", "learn", "learn/why", "learn/not", "no-such-page"):
        visitor.at(name)
        visitor.look(f"top-{name.replace('/', '-')}")
    visitor.at("learn/attack")
    for name in ("Strong privacy", "Usual privacy", "Weak privacy", "No noise at all"):
        page.get_by_role("button", name=name).click()
        page.get_by_role("heading", name=name).wait_for()
    assert "100 of 100 guessed right" in page.inner_text("main")
    visitor.look("attack")

    tutorial = Tutorial(visitor, Path(os.environ.get("PRIVET_SCREENSHOTS", SHOTS)))
    tutorial.go()
    text = TUTORIAL.read_text(encoding="utf-8")
    assert re.findall(r"\(\.\./images/(workbench-[a-z-]+)\.png\)", text) == tutorial.taken
    for word in re.findall(r"\*\*(.+?)\*\*", text):
        assert word in SAID, f"the tutorial names '{word}', which is on no page it has seen"


#: What the tutorial tells readers to look for; each is used by name above.
SAID = {
    "Open: The clinic",
    "Practice",
    "Yes",
    "Register this and open the budget",
    "Classify",
    "Run on made-up people: free",
    "Do this for real",
    "For real",
    "Run",
    "Results",
    "Use it elsewhere",
    "Do this with my table",
}
