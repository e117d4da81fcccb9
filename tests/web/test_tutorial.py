"""The tutorial in the browser, as it is written: its pictures are taken here, so they cannot go stale.

``make screenshots`` writes them to ``docs/images``; otherwise they go where all pictures of the tests go.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.web.conftest import DRAWN, SHOTS
from tests.web.project import set_epsilon
from tests.web.workbench import ROOT

PAGE = ROOT / "docs" / "tutorials" / "first-private-result-in-the-browser.md"
VIEW = {"width": 1280, "height": 780}


def test_the_tutorial_in_the_browser(newcomer):
    visitor = newcomer
    folder = Path(os.environ.get("PRIVET_SCREENSHOTS", SHOTS))
    page = visitor.page
    taken = []

    def picture(name: str, part: str = "", height: int = VIEW["height"]) -> None:
        """Keep what is seen: the top of the page, or one part of it."""
        page.set_viewport_size(VIEW | {"height": height})
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        page.evaluate(DRAWN)
        folder.mkdir(exist_ok=True)
        (page.locator(part) if part else page).screenshot(path=folder / f"{name}.png")
        taken.append(name)

    visitor.at("")
    page.get_by_text("There are none yet").wait_for()
    picture("workbench-start")
    page.get_by_role("button", name="Open: The clinic").click()
    page.get_by_text("2 of 11 left", exact=True).wait_for()
    picture("workbench-public", "section[aria-labelledby=columns]")
    for name in ("bmi", "glucose"):
        page.get_by_role("button", name=f"Yes, {name} is public").click()
    page.get_by_role("button", name="Register this").click()
    page.get_by_text("of what is attainable").wait_for()
    picture("workbench-decide", ".decide")
    page.get_by_role("button", name="Run on made-up people").click()
    page.get_by_role("button", name="Do this for real").click()
    page.get_by_role("button", name="Run: spends ε = 0.5 ").click()
    page.get_by_role("button", name="Yes, spend").click()
    page.get_by_role("heading", name="In words").wait_for()
    picture("workbench-result", height=1400)  # down to the first pictures
    page.get_by_role("link", name="Classify").click()
    set_epsilon(page, "5")
    page.get_by_text("Too much").wait_for()
    picture("workbench-too-much", ".decide > section:last-child")

    shown = re.findall(r"\(\.\./images/(workbench-[a-z-]+)\.png\)", PAGE.read_text(encoding="utf-8"))
    assert shown == taken
    for word in re.findall(r"\*\*(.+?)\*\*", PAGE.read_text(encoding="utf-8")):
        assert word in SAID, f"the tutorial names '{word}', which is on no page it has seen"


#: What the tutorial tells readers to look for; each is used by name above or in the first five minutes.
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
