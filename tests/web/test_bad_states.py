"""What goes wrong has a state of its own: it says what happened, what it cost and what to do."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Error as PlaywrightError

from tests.web.project import go_for_real, open_clinic, set_epsilon, shared_clinic, spend

#: Where something is spent, and nothing is foretold before: a forecast takes the server some seconds.
CHEAP = "mine/prepare"


def upload(page, name: str, text: str) -> None:
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    )


def test_two_tabs_on_one_budget(visitor):
    """Both see enough left; the second to press is refused, and nothing is overspent."""
    page = visitor.page
    open_clinic(visitor, "1", CHEAP)
    go_for_real(page)
    set_epsilon(page, "0.8")
    page.get_by_role("button", name="Run: spends ε = 0.8 ").wait_for()
    other = visitor.tab()
    other.goto(page.url)
    go_for_real(other)
    set_epsilon(other, "0.7")
    other.get_by_role("button", name="Run: spends ε = 0.7 ").wait_for()
    spend(page, "0.8")
    page.get_by_role("heading", name="In words").wait_for()
    other.get_by_role("button", name="Run: spends ε = 0.7 ").click()
    other.get_by_role("button", name="Yes, spend").click()
    other.get_by_role("heading", name="Refused").wait_for()
    other.get_by_text("The budget of 'clinic' does not allow").wait_for()  # by the name that people know
    assert other.inner_text("main").count("Nothing was spent.") == 1
    other.close()


def test_the_back_button_after_a_spend(visitor):
    page = visitor.page
    open_clinic(visitor, place=CHEAP)
    go_for_real(page)
    spend(page, "0.3")
    page.get_by_role("heading", name="In words").wait_for()
    page.go_back()
    page.get_by_text("This exact run is paid for already").wait_for()
    visitor.look("mine-paid-already")


def test_a_reload_while_a_run_is_queued(visitor):
    """However quick the server is: as long as the page hears that the run waits, it says so."""
    page = visitor.page
    open_clinic(visitor, place=CHEAP)
    go_for_real(page)

    def waits(route) -> None:
        with suppress(PlaywrightError):  # the page asks all the time, also while this is taken away
            found = route.fetch()
            said = found.json() | {"state": "queued", "release": None, "step": None}
            route.fulfill(response=found, json=said)

    page.route("**/api/v1/runs/*", waits)
    spend(page, "0.3")
    page.wait_for_url("**/run/**")
    waiting = page.get_by_role("heading", name="Waiting for its turn")
    waiting.wait_for()
    visitor.look("run-queued")
    page.reload()
    waiting.wait_for()
    page.get_by_role("button", name="Cancel: nothing is spent").wait_for()
    page.unroute("**/api/v1/runs/*", waits)
    page.get_by_role("heading", name="In words").wait_for()


def test_the_server_is_killed_in_the_middle_of_a_run(visitor):
    """Killed after it has paid and before it could store a release: the run is lost, and says so."""
    visitor.expected = ("net::ERR_",)
    page, workbench = visitor.page, visitor.workbench
    dataset = open_clinic(visitor, place=CHEAP)
    go_for_real(page)
    with stuck(workbench.home):
        spend(page, "0.3")
        page.wait_for_url("**/run/**")
        run = page.url.rpartition("/")[2]
        while visitor.call("GET", f"/runs/{run}")["state"] != "running":
            page.wait_for_timeout(50)
        page.get_by_role("heading", name="Running").wait_for()
        visitor.look("run-running")
        workbench.stop(signal.SIGKILL)
        page.get_by_role("heading", name="does not answer").wait_for()
        visitor.look("run-away")
    workbench.start()
    visitor.at("data", dataset, "run", run)
    page.get_by_role("heading", name="Lost").wait_for()
    visitor.look("run-lost")
    assert visitor.call("GET", f"/datasets/{dataset}")["account"]["spent"]["epsilon"] == 0.3


@contextmanager
def stuck(home: Path) -> Iterator[None]:
    """The server's database never finishes storing a release, as a disk that hangs."""
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    endless = f"SELECT count(*) FROM ({numbers})"
    with sqlite3.connect(home / "privet-server.db", timeout=60) as database:
        database.execute(f"CREATE TRIGGER stuck BEFORE INSERT ON releases BEGIN {endless}; END")
    yield
    with sqlite3.connect(home / "privet-server.db", timeout=60) as database:
        database.execute("DROP TRIGGER stuck")


def test_names_with_html_in_them_are_text(visitor):
    page = visitor.page
    visitor.at("")
    nasty = '<img src=x onerror="document.title=1">'
    rows = "".join(f"{20 + i % 50},{'ab'[i % 2]}\n" for i in range(400))
    upload(page, "<b>people<b>.csv", f'age,"{nasty.replace(chr(34), chr(34) * 2)}"\n{rows}')
    page.get_by_text("2 of 2 left", exact=True).wait_for()
    assert page.get_by_role("heading", name=nasty).is_visible()
    assert page.locator("main img").count() == 0
    assert "<b>people<b>" in page.inner_text("header")
    visitor.look("public-html")


def test_five_hundred_columns(visitor):
    page = visitor.page
    visitor.at("")
    head = ",".join(f"c{i}" for i in range(500))
    rows = "\n".join(",".join(str((i * j) % 7) for i in range(500)) for j in range(60))
    upload(page, "wide.csv", f"{head}\n{rows}\n")
    page.get_by_text("of 500 left", exact=False).first.wait_for()
    assert page.locator("[data-open]").count() <= 40
    page.get_by_role("searchbox", name="Find").fill("c499")
    page.get_by_role("heading", name="c499").wait_for()
    visitor.look("public-500")
    dataset = page.url.split("/data/")[1].split("/")[0]
    left = visitor.call("GET", f"/datasets/{dataset}")["unconfirmed"]
    visitor.call("POST", f"/datasets/{dataset}/schema/confirm", {"columns": left})
    visitor.call("POST", f"/datasets/{dataset}/open", {"epsilon": 1})
    visitor.at("data", dataset, *CHEAP.split("/"))
    page.get_by_role("heading", name="What it costs").wait_for()
    visitor.look("mine-500")
    go_for_real(page)
    spend(page, "1")
    page.get_by_role("heading", name="In words").wait_for()
    visitor.look("result-500")


def test_the_server_stops_while_nobody_runs_anything(visitor):
    """Pages whose program is there say so as a problem, others as a page that cannot be loaded."""
    visitor.expected = ("net::ERR_", "Failed to fetch")
    page = visitor.page
    dataset = shared_clinic(visitor, CHEAP)
    page.get_by_role("heading", name="What it costs").wait_for()
    visitor.workbench.stop()
    page.get_by_role("link", name="Associate", exact=True).click()
    page.get_by_text("The server does not answer").wait_for()
    visitor.look("mine-away")
    page.route("**/assets/Joined*", lambda route: route.abort())  # whether or not the browser has kept it
    page.evaluate("location.hash = '#/study/any'")
    page.get_by_text("This page could not be loaded").wait_for()
    visitor.look("page-away")
    visitor.workbench.start()
    visitor.at("data", dataset, "budget")
    page.get_by_role("heading", name="Who spent what").wait_for()


def test_an_address_of_nothing(visitor):
    visitor.expected = ("status of 404",)
    dataset = shared_clinic(visitor, "mine/nonsense")
    visitor.page.get_by_role("heading", name="There is no such page").wait_for()
    for place in ("result/nonsense", "run/nonsense", "evaluate/nonsense", "experiment/nonsense"):
        visitor.at("data", dataset, *place.split("/"))
        visitor.page.get_by_text("There is no such thing").wait_for()
        visitor.check(place)


def test_a_file_that_is_no_table(visitor):
    visitor.expected = ("status of 4",)
    page = visitor.page
    visitor.at("")
    upload(page, "photo.exe", "\0\1\2")
    page.get_by_role("alert").wait_for()
    assert "What to do" in page.get_by_role("alert").inner_text()
    visitor.look("start-refused")


def test_a_project_without_a_table(visitor):
    """Whoever went away between naming a project and choosing its file comes back to that question."""
    visitor.expected = ("status of 4",)
    page = visitor.page
    visitor.at("")
    upload(page, "empty.csv", "")
    page.get_by_role("alert").wait_for()
    visitor.at("")
    page.reload()
    page.get_by_role("link", name="empty").first.click()
    page.get_by_role("heading", name="There is no table here yet").wait_for()
    visitor.look("rows")


def test_a_session_that_ends(visitor):
    visitor.expected = ("status of 401",)
    page = visitor.page
    open_clinic(visitor, place=CHEAP)
    page.get_by_role("heading", name="What it costs").wait_for()
    kept = visitor.context.cookies()
    visitor.context.clear_cookies()
    page.get_by_role("link", name="Results").click()
    page.get_by_text("Your session has ended").wait_for()
    assert "Nothing was spent" in page.inner_text("main")
    visitor.look("login")
    page.get_by_label("Name").fill("nobody")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    visitor.look("login-wrong")
    visitor.context.add_cookies(kept)
    page.reload()
    page.get_by_role("heading", name="Results").wait_for()


def test_a_session_that_ends_before_a_spend(visitor):
    """Who says yes after it has ended spends nothing, and finds the form as it was."""
    visitor.expected = ("status of 401",)
    page = visitor.page
    dataset = open_clinic(visitor, place=CHEAP)
    go_for_real(page)
    set_epsilon(page, "0.3")
    page.get_by_role("button", name="Run: spends ε = 0.3 ").wait_for()
    kept = visitor.context.cookies()
    visitor.context.clear_cookies()
    spend(page, "0.3")
    page.get_by_text("Your session has ended").wait_for()
    assert "Nothing was spent" in page.inner_text("main")
    visitor.context.add_cookies(kept)
    assert visitor.call("GET", f"/datasets/{dataset}")["account"]["spent"]["epsilon"] == 0
    page.reload()
    page.get_by_role("button", name="Run: spends ε = 0.3 ").wait_for()


def test_the_address_with_a_key_pasted_over_an_open_page(visitor):
    """The browser changes only what is behind the #; the key is taken, and leaves the address."""
    visitor.expected = ("status of 401",)
    page = visitor.page
    visitor.at("learn")
    page.evaluate("location.hash = '#key=' + 'a'.repeat(32)")
    page.get_by_role("heading", name="Learn from people").wait_for()
    assert "key" not in page.url


def test_a_schema_that_changed_after_the_price_was_said(visitor):
    """The owner registers a new version in another tab: what was planned before is refused, and free."""
    visitor.expected = ("status of 409",)
    page = visitor.page
    dataset = open_clinic(visitor, place=CHEAP)
    go_for_real(page)
    spend(page, "0.2")
    page.get_by_role("heading", name="In words").wait_for()
    visitor.at("data", dataset, *CHEAP.split("/"))
    set_epsilon(page, "0.3")
    page.get_by_role("button", name="Run: spends ε = 0.3 ").wait_for()
    place = f"{visitor.workbench.root}api/v1/datasets/{dataset}/schema"
    origin = {"Origin": visitor.workbench.root.rstrip("/")}
    schema = page.request.get(place).json()
    changed = page.request.put(place, data=schema, headers=origin)
    assert changed.ok, changed.text()
    page.get_by_role("button", name="Run: spends ε = 0.3 ").click()
    page.get_by_role("button", name="Yes, spend").click()
    page.get_by_role("alert").wait_for()
    assert "Nothing was spent" in page.get_by_role("alert").inner_text()
    visitor.look("mine-out-of-date")


def test_a_table_that_does_not_fit(visitor):
    """Rows of different lengths: said in words, without a cell of the table, and free."""
    visitor.expected = ("status of 4",)
    page = visitor.page
    visitor.at("")
    upload(page, "ragged.csv", "age,town\n31,secretville\n40\n50,b,c,d\n")
    page.get_by_role("alert").wait_for()
    said = page.get_by_role("alert").inner_text()
    assert "secretville" not in said
    assert "Nothing was spent" in said
    visitor.look("start-ragged")
