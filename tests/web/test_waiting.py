"""Whoever waits is told so, and no button is pressed twice: the server's answers are held back here.

Nothing is timed: as long as an answer is held, the page must say so, however slow or fast the machine is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from playwright.sync_api import Error, expect

from tests.web.project import go_for_real, open_clinic, released, set_epsilon, shared_clinic

API = "**/api/v1/**"
#: Both presses come before the page could draw anything, as when a hand trembles.
TWICE = "button => { button.click(); button.click(); }"


@contextmanager
def held(page: Any, asked: str, *, dropped: bool = False) -> Iterator[list[str]]:
    """Hold back every answer to what is asked here; in the end they come, or never (``dropped``)."""
    kept: list[Any] = []
    seen: list[str] = []
    open_now = True

    def keep(route: Any) -> None:
        seen.append(route.request.url)
        if open_now:
            kept.append(route)
        else:
            route.continue_()

    page.route(asked, keep)
    try:
        yield seen
    finally:
        open_now = False
        for route in kept:
            with suppress(Error):  # the page may have given up waiting for it
                route.abort() if dropped else route.continue_()
        page.unroute(asked, keep)


def told(visitor: Any, words: str) -> None:
    """The page says that it waits, to eyes and to ears, and axe finds nothing wrong with it meanwhile."""
    page = visitor.page
    page.locator(".waiting[role=status]").get_by_text(words).wait_for()
    expect(page.locator("main")).to_have_attribute("aria-busy", "true")
    visitor.check(f"waiting at {page.url}")


def over(page: Any) -> None:
    expect(page.locator("main")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".waiting")).to_be_empty()


@pytest.fixture(scope="module")
def practised(_person) -> tuple[str, str, str]:
    """A table that nobody has looked at (so its pages wait), a practised model and the run it came from."""
    dataset = open_clinic(_person, place="budget")
    asked = {"use_case": "fit", "algorithm": "one-r", "parameters": {"epsilon": 0.5}, "practice": True}
    release = released(_person, dataset, **asked)
    runs = _person.call("GET", f"/runs?dataset={dataset}")
    return dataset, release, next(run["id"] for run in runs if run["release"] == release)


def test_every_page_says_that_it_is_loading(visitor, practised):
    visitor.expected = ("net::ERR_FAILED",)
    page = visitor.page
    dataset, release, run = practised
    tabs = ("public", "look", "ask", "mine/prepare", "perturb", "flow", "experiment", "results", "budget")
    of_a_table = (*tabs, f"result/{release}", f"evaluate/{release}", f"run/{run}")
    places = ("", "catalogue", "budget", "people", *(f"data/{dataset}/{name}" for name in of_a_table))
    visitor.at("learn")
    for place in places:
        with held(page, API, dropped=True):  # an answer would only make the server work
            page.goto(f"{visitor.workbench.root}#/{place}")
            told(visitor, "Loading …")
        over(page)
        visitor.at("learn")
    with held(page, "**/api/v1/session"):
        page.goto("about:blank")
        page.goto(visitor.workbench.root)
        page.get_by_text("Opening the workbench …").wait_for()
        told(visitor, "Loading …")
        visitor.look("waiting")
    over(page)
    with held(page, "**/assets/Learn*"):  # the program of a page that was not needed before
        page.get_by_role("link", name="Learn", exact=True).first.click()
        told(visitor, "Loading …")
    page.get_by_role("heading", level=1).wait_for()


def test_a_price_a_forecast_and_a_look_say_what_they_wait_for(visitor, practised):
    page = visitor.page
    dataset, release, _ = practised
    waits = {
        "mine/prepare": ("**/plans", "Working out the price …"),
        "mine/classify": ("**/forecasts", "Rehearsing on made-up people …"),
        "mine/cluster": ("**/algorithms/*", "Looking up its settings …"),
        "flow": ("**/flows/check", "Working out the price …"),
        "experiment": ("**/experiments/price", "Asking for the price …"),
        "ask": ("**/plans", "Working out the price …"),
        "look": ("**/plans", "Drawing the same pictures of made-up people …"),
    }
    visitor.expected = ("net::ERR_FAILED",)
    shared_clinic(visitor, "budget")
    for place, (asked, words) in waits.items():
        visitor.at("learn")
        with held(page, asked, dropped=True):
            page.goto(f"{visitor.workbench.root}#/data/{dataset}/{place}")
            if place == "ask":
                page.get_by_role("button", name="How many records are there?").click()
            page.get_by_role("status").filter(has_text=words).wait_for()
            told(visitor, "Loading …")
    shared_clinic(visitor, "mine/classify")
    page.get_by_text("of what is attainable").wait_for()
    with held(page, "**/forecasts", dropped=True):  # nothing that was foretold for another method is shown
        page.get_by_role("radio", name="One R").check()
        page.get_by_text("You need not wait for it").wait_for()
        expect(page.get_by_text("of what is attainable")).to_have_count(0)
    visitor.at("data", dataset, "result", release)
    with held(page, "**/export?as=python"):
        page.locator("summary", has_text="Show the script").click()
        told(visitor, "Loading …")
    page.locator("pre", has_text="import").wait_for()


def test_no_button_is_pressed_twice(visitor, practised):
    visitor.expected = ("net::ERR_FAILED",)
    page = visitor.page
    dataset, *_ = practised

    def pressed(name: str, asked: str, *, dropped: bool = True) -> None:
        button = page.get_by_role("button", name=name).first
        expect(button).to_be_enabled()
        with held(page, asked, dropped=dropped) as seen:
            button.evaluate(TWICE)
            if not page.get_by_role("dialog").is_visible():  # which says it itself, over the page
                told(visitor, "The server is at work …")
            assert len(seen) == 1, seen
        over(page)

    visitor.at("")
    pressed("Open: The clinic", "**/examples/clinic", dropped=False)
    pressed("Yes, bmi is public", "**/schema/confirm")
    visitor.at("budget")
    pressed("Check the chain", "**/ledger/verify")
    visitor.at("learn", "attack")
    pressed("Usual privacy", "**/attacks/membership")
    visitor.at("data", dataset, "perturb")
    pressed("Try it on made-up people", "**/perturbations")
    visitor.at("data", dataset, "experiment")
    pressed("free cells", "**/api/v1/experiments")
    for place in ("flow", "mine/prepare"):
        shared = shared_clinic(visitor, place)
        pressed("Run on made-up people", "**/plans")
        go_for_real(page)
        set_epsilon(page, "0.4")
        page.get_by_role("button", name="Run: spends ε = 0.4 ").click()
        pressed("Yes, spend", "**/api/v1/runs")
        assert "Whether the run was accepted is not known yet" in page.inner_text("main")
        assert visitor.call("GET", f"/datasets/{shared}")["account"]["spent"]["epsilon"] == 0


def test_a_file_on_its_way_says_so(visitor):
    visitor.expected = ("net::ERR_FAILED",)
    page = visitor.page
    visitor.at("")
    with held(page, "**/rows?*", dropped=True) as seen:
        content = {"name": "small.csv", "mimeType": "text/csv", "buffer": b"age\n30\n40\n"}
        page.locator("input[type=file]").set_input_files(content)
        told(visitor, "Sending the file …")
        assert page.get_by_role("button", name="Reading …").is_disabled()
        assert len(seen) == 1
    over(page)
    page.get_by_role("alert").wait_for()
