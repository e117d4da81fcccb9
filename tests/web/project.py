"""Short ways to a state that a test needs, through the pages themselves."""

from __future__ import annotations

from typing import Any

from tests.web.conftest import Visitor


def open_clinic(visitor: Visitor, budget: str = "1.5") -> str:
    """The clinic example, confirmed and with a budget; its identifier."""
    page = visitor.page
    visitor.at("")
    page.get_by_role("button", name="Open: The clinic").click()
    for name in ("bmi", "glucose"):
        page.get_by_role("button", name=f"Yes, {name} is public").click()
    page.get_by_text("All 11 answered").wait_for()
    page.get_by_role("textbox", name="Another privacy budget").fill(budget)
    page.get_by_role("button", name="Register this").click()
    page.get_by_role("heading", name="Classify").wait_for()
    return page.url.split("/data/")[1].split("/")[0]


def set_epsilon(page: Any, epsilon: str) -> None:
    """Type an epsilon."""
    box = page.get_by_role("textbox", name="Epsilon, typed")
    box.fill(epsilon)
    box.press("Tab")


def go_for_real(page: Any) -> None:
    switch = page.get_by_role("button", name="Switch to for real")
    switch.or_(page.get_by_role("button", name="Back to practice")).first.wait_for()
    if switch.is_visible():  # or the table was left so by an earlier test
        switch.click()


def spend(page: Any, epsilon: str) -> None:
    """Run for real and confirm."""
    set_epsilon(page, epsilon)
    page.get_by_role("button", name=f"Run: spends ε = {epsilon} ").click()
    page.get_by_role("button", name="Yes, spend").click()
