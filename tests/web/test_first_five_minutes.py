"""From the start page to a private result, a refusal and a script: by keyboard alone, and by mouse."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.hands import Hand, Keyboard, Mouse


def number_in(page: Any, pattern: str) -> int:
    found = re.search(pattern, page.inner_text("main").replace("\n", " "))
    assert found, pattern
    return int(found.group(1))


@pytest.mark.parametrize("hand", [Keyboard(), Mouse()], ids=["keyboard", "mouse"])
def test_the_first_five_minutes(visitor, hand: Hand):
    page = visitor.page
    visitor.at("")
    assert "Practice" in page.inner_text("header")
    hand.press(page, "Open: The clinic")
    page.get_by_text("2 of 11 left", exact=True).wait_for()
    hand.press(page, "Yes, bmi is public")
    page.get_by_text("1 of 11 left", exact=True).wait_for()
    hand.press(page, "Yes, glucose is public")
    page.get_by_text("All 11 answered").wait_for()
    hand.press(page, "Register this and open the budget")

    # The automatic choice is chosen already, and the forecast comes by itself.
    page.get_by_role("heading", name="Classify").wait_for()
    page.get_by_text("of what is attainable").wait_for()
    page.get_by_text("of 100 after this run").wait_for()  # the price and the forecast come in either order
    assert page.get_by_role("radio", name=re.compile("^Auto")).is_checked()
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
    hand.press(page, "Do this for real")
    assert "For real" in page.inner_text("header")
    page.get_by_role("button", name="Run: spends ε = 0.5").wait_for()
    hand.press(page, "Run: spends ε = 0.5")
    assert "cannot be undone" in page.get_by_role("dialog").inner_text()
    hand.spend(page)
    page.get_by_role("heading", name="In words").wait_for()
    assert "Released" in page.inner_text("main")
    assert "ε = 0.5" in page.inner_text("main")

    # A second run that is too large is refused, with the most that fits.
    hand.press(page, "Classify")
    hand.slide(page, 5)
    page.get_by_text("Too much").wait_for()
    assert page.get_by_role("button", name="Run: spends").is_disabled()
    hand.press(page, "Use the most that fits: ε = 1")
    page.get_by_role("button", name="Run: spends ε = 1 ").wait_for()

    # The script of what was released, and on to a table of one's own.
    hand.press(page, "Results")
    page.get_by_role("heading", name="Results").wait_for()
    newest = page.locator("li.card", has_text="Released").get_by_role("link").first
    hand.press(page, newest.inner_text())
    hand.unfold(page, "Show the script")
    page.locator("pre", has_text="import").wait_for()
    hand.press(page, "Do this with my table")
    page.get_by_role("button", name="Choose a file").wait_for()
