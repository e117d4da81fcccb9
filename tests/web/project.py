"""Short ways to a state that a test needs."""

from __future__ import annotations

from typing import Any

from tests.web.conftest import Visitor


def open_clinic(visitor: Visitor, budget: str = "1.5", place: str = "mine/classify") -> str:
    """The clinic example, confirmed and with a budget, at one of its pages; its identifier.

    By the API: how a person does it is tested in the first five minutes. What learns is foretold, which takes
    the server some seconds: a test that needs no forecast opens another place.
    """
    dataset = visitor.call("POST", "/examples/clinic", {})["id"]
    visitor.call("POST", f"/datasets/{dataset}/schema/confirm", {"columns": ["bmi", "glucose"]})
    visitor.call("POST", f"/datasets/{dataset}/open", {"epsilon": float(budget)})
    visitor.at("data", dataset, *place.split("/"))
    visitor.page.get_by_role("navigation", name="This table").get_by_role("link", name="Budget").wait_for()
    return str(dataset)


def released(visitor: Visitor, dataset: str, **plan: Any) -> str:
    """Run something for real without a page, and wait for its release; its identifier."""
    planned = visitor.call("POST", "/plans", {"dataset": dataset, **plan})
    run = visitor.call("POST", "/runs", {"plan": planned["id"]})["id"]
    while (now := visitor.call("GET", f"/runs/{run}"))["state"] in ("queued", "running"):
        visitor.page.wait_for_timeout(50)
    assert now["state"] == "released", now
    return str(now["release"])


def shared_clinic(visitor: Visitor, place: str = "mine/classify") -> str:
    """The clinic example once more, for tests that spend nothing: what was foretold of it comes at once."""
    known = visitor.__dict__.setdefault("shared", [])
    if not known:
        known.append(open_clinic(visitor, "1.5", "budget"))
    visitor.page.evaluate("sessionStorage.clear()")  # as it was: practice, and no setting changed
    visitor.page.goto("about:blank")
    visitor.at("data", known[0], *place.split("/"))
    return str(known[0])


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
