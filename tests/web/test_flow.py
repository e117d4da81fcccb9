"""The Flow page: drawn or listed, priced by the server, run to a step, used again, saved and opened."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import pytest
from playwright.sync_api import Error as PlaywrightError

from tests.web.conftest import DRAWN, NARROW, WIDE
from tests.web.hands import Keyboard
from tests.web.project import open_clinic, released, shared_clinic


def priced(page) -> None:
    """Wait for the price of the flow as it is."""
    page.get_by_text("This would cost").wait_for()
    page.get_by_role("heading", name="What it costs").wait_for()


def ran(page) -> None:
    """Wait for the result of a whole process, which takes longer than one of its steps."""
    page.get_by_role("heading", name="The flow 'flow' has run").wait_for(timeout=90_000)


def handle(page, step: str, kind: str, end: str = ""):
    inside = f'[data-id="{step}"] .svelte-flow__handle.{kind}'
    return page.locator(f'{inside}[data-handleid="{end}"]' if end else inside).first


def draw(page, source: str, target: str, said: str) -> None:
    """Draw an edge by mouse, until the page says this; a canvas that is just moving is missed."""
    for _ in range(8):
        with suppress(PlaywrightError):
            _drag(page, source, target)
            page.get_by_text(said).wait_for(timeout=5_000)
            return
    raise AssertionError(f"The page never said: {said}")


def _drag(page, source: str, target: str, end: str = "") -> None:
    first, last = handle(page, source, "source", end), handle(page, target, "target")
    first.scroll_into_view_if_needed()
    one, two = first.bounding_box(), last.bounding_box()
    page.mouse.move(one["x"] + one["width"] / 2, one["y"] + one["height"] / 2)
    page.mouse.down()
    page.mouse.move(two["x"] - 30, two["y"] + 10)
    page.mouse.move(two["x"] + two["width"] / 2, two["y"] + two["height"] / 2, steps=4)
    page.mouse.up()


def add(page, kind: str) -> None:
    page.get_by_label("A new step").select_option(kind)
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator(f'.svelte-flow__node[data-id="{kind}"]').wait_for()
    step(page, kind).get_by_text("not connected yet").first.wait_for()  # the server has looked at it


def step(page, name: str):
    """A step in the list."""
    return page.locator("ol > li", has=page.get_by_role("heading", name=f"{name}: ", level=3))


def test_a_leak_cannot_be_drawn_and_the_server_says_why(visitor):
    page = visitor.page
    shared_clinic(visitor, "flow")
    priced(page)
    private = page.locator(".svelte-flow__edge.kind-private-rows")
    private.nth(2).wait_for(state="attached")  # a level line has no height, so it is not "visible"
    visitor.look("flow")
    page.locator('.svelte-flow__node[data-id="page"]').wait_for()
    before = page.locator(".svelte-flow__edge").count()
    draw(page, "people", "page", "Not connected: 'people' gives private rows to 'page'")
    assert page.locator(".svelte-flow__edge").count() == before
    visitor.look("flow-leak-refused")
    add(page, "report")
    draw(page, "score", "report", "score now gives score to report")
    page.locator(".svelte-flow__edge.kind-score").nth(1).wait_for(state="attached")
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("The last change was undone").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator('.svelte-flow__node[data-id="report"]').wait_for(state="detached")


#: How many steps the buttons of the canvas cover.
COVERED = """() => {
  const place = element => element.getBoundingClientRect();
  const buttons = place(document.querySelector('.svelte-flow__controls'));
  const under = one => one.left < buttons.right && one.right > buttons.left
    && one.top < buttons.bottom && one.bottom > buttons.top;
  return [...document.querySelectorAll('.svelte-flow__node')].map(place).filter(under).length; }"""
#: How many steps of the graph can be seen in whole, and how often the page changed while nobody did anything.
IN_VIEW = """() => {
  const place = element => element.getBoundingClientRect();
  const room = place(document.querySelector('.svelte-flow'));
  const inside = one => one.left >= room.left && one.right <= room.right
    && one.top >= room.top && one.bottom <= room.bottom;
  return [...document.querySelectorAll('.svelte-flow__node')].map(place).filter(inside).length; }"""
CHANGES = """async () => { let seen = 0;
  const watch = new MutationObserver(changes => { seen += changes.length; });
  watch.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  await new Promise(done => setTimeout(done, 1000)); watch.disconnect(); return seen; }"""


def test_the_whole_graph_is_in_view_in_every_window_and_the_page_comes_to_rest(visitor):
    page = visitor.page
    shared_clinic(visitor, "flow")
    priced(page)
    try:
        for size in (WIDE, NARROW, {"width": 900, "height": 700}):
            page.set_viewport_size(size)
            page.evaluate(DRAWN)
            steps = page.locator(".svelte-flow__node")
            assert steps.count() == page.evaluate(IN_VIEW) == 5
            assert page.evaluate(COVERED) == 0
            assert any(page.evaluate(CHANGES) == 0 for _ in range(20)), "the page never comes to rest"
            if size == NARROW:  # from top to bottom, so that its words can be read
                tops = [box["y"] for each in steps.all() if (box := each.bounding_box())]
                assert len(set(tops)) == 5
                assert steps.first.bounding_box()["width"] > 110
        add(page, "report")
        page.evaluate(DRAWN)
        assert page.evaluate(IN_VIEW) == 6
        assert page.evaluate(COVERED) == 0
    finally:
        page.set_viewport_size(WIDE)


def test_everything_the_canvas_does_is_done_by_keyboard_in_the_list(visitor):
    page, hand = visitor.page, Keyboard()
    shared_clinic(visitor, "look")
    hand.press(page, "Flow")
    priced(page)
    hand.reach(page, "A new step")
    page.keyboard.type("Keep")
    hand.press(page, "Add")
    step(page, "keep").get_by_text("not connected yet").first.wait_for()
    page.get_by_text("It has no price yet").wait_for()
    visitor.look("flow-not-right")
    takes = step(page, "keep").get_by_label("Takes private rows, public rows or table from")
    takes.focus()
    page.keyboard.type("people")
    step(page, "keep").get_by_text("does not say its columns").wait_for()
    page.get_by_label("age", exact=True).check()
    page.get_by_label("bmi", exact=True).check()
    priced(page)
    step(page, "parts").get_by_label("from").focus()
    page.keyboard.type("keep")
    page.get_by_text("keep now gives private rows to parts").wait_for()
    priced(page)
    page.get_by_text("The graph as a table").click()
    page.get_by_role("cell", name="private rows of keep").wait_for()
    takes.focus()
    hand.press(page, "Remove keep")
    step(page, "parts").get_by_text("not connected yet").first.wait_for()
    page.get_by_role("button", name="Undo").click()
    priced(page)


def test_it_runs_to_a_step_and_what_was_paid_for_is_used_again(visitor):
    page = visitor.page
    dataset = open_clinic(visitor, "1", "flow")
    priced(page)
    page.get_by_role("button", name="Run on made-up people").click()
    ran(page)
    words = page.get_by_role("region", name="In words")
    assert "It chose" in words.inner_text()
    assert "Guarantee" not in words.inner_text(), "it has a place of its own"
    visitor.look("result-flow-practice")
    page.get_by_role("button", name="Do this for real").click()
    priced(page)
    page.get_by_role("button", name="Run to here (model)").click()
    page.get_by_role("heading", name="Run to here: model").wait_for()
    step(page, "score").get_by_text("later").wait_for()
    visitor.look("flow-run-to-here")
    page.get_by_role("button", name="Run: spends").click()
    page.get_by_role("button", name="Yes, spend").click()
    ran(page)
    visitor.look("result-flow")
    page.get_by_role("link", name="Flow", exact=True).click()
    step(page, "model").get_by_text("paid for: used again, free").wait_for()
    visitor.look("flow-used-again")
    page.get_by_role("button", name="Run: spends").click()
    page.get_by_role("button", name="Yes, spend").click()
    ran(page)
    page.get_by_role("link", name="Flow", exact=True).click()
    page.get_by_role("button", name="Run: free, all of it is paid for").wait_for()
    step(page, "score").get_by_role("link", name="Open its result").wait_for()
    page.get_by_text("All settings (2 more)").click()
    page.get_by_label("Goal").select_option("interval")
    page.get_by_text("The budget is spent.").wait_for()
    visitor.look("flow-empty")
    assert page.get_by_role("button", name="Run: spends").is_disabled()
    assert dataset in page.url


def test_a_file_is_saved_opened_and_run_by_the_command_line(visitor, tmp_path):
    visitor.expected = ("status of 422",)
    page = visitor.page
    shared_clinic(visitor, "flow")
    priced(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    assert file.name == "flow.flow.toml"
    with page.expect_download() as picture:
        page.get_by_role("button", name="Picture (SVG)").click()
    assert picture.value.suggested_filename == "flow.svg"
    words = [sys.executable, "-m", "privet", "flow", "show", str(file)]
    said = subprocess.run(words, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert "* score (evaluate)" in said.stdout
    file.write_text(
        file.read_text().replace("[steps.people]", "[steps.patients]").replace('"people"', '"patients"')
    )
    page.get_by_label("A flow's text file").set_input_files(file)
    page.get_by_text("flow.flow.toml was opened").wait_for()
    step(page, "patients").wait_for()
    priced(page)
    circle = '[steps.a]\ndo = "split"\nfrom = "b.train"\n[steps.b]\ndo = "split"\nfrom = "a.train"\n'
    file.write_text(circle)
    page.get_by_label("A flow's text file").set_input_files(file)
    step(page, "a").get_by_text("runs in a circle").wait_for()
    page.get_by_text("It has no price yet").wait_for()
    visitor.look("flow-circle")
    file.write_text("steps = [")
    page.get_by_label("A flow's text file").set_input_files(file)
    page.get_by_role("alert").get_by_text("is not a flow").wait_for()
    page.get_by_role("button", name="Undo").click()
    priced(page)


@pytest.mark.parametrize("allocation", ["weights", "fixed"])
def test_parts_of_the_budget_are_said_step_by_step(visitor, allocation):
    page = visitor.page
    shared_clinic(visitor, "flow")
    priced(page)
    page.get_by_label("Allocation").select_option(allocation)
    page.get_by_text("It has no price yet").wait_for()
    for name in ("model", "score"):
        page.get_by_role("button", name=f"Settings of {name}").click()
        box = page.get_by_label("Weight" if allocation == "weights" else "Epsilon", exact=True)
        box.fill("0.25")
        box.press("Tab")
    priced(page)
    total = "ε = 0.5" if allocation == "fixed" else "ε = 1"
    page.get_by_text(f"This would cost {total}.").wait_for()
    visitor.look(f"flow-{allocation}")


def a_second_part(visitor, schema: dict, study: str) -> str:
    """A table of other people with the same columns, in the same study; its identifier."""
    made = visitor.call("POST", "/datasets", {"study": study, "name": "june"})["id"]
    visitor.call("PUT", f"/datasets/{made}/rows?filename=june.csv", text=people_like(schema))
    visitor.call("PUT", f"/datasets/{made}/schema", schema)
    visitor.call("POST", f"/datasets/{made}/open", {"epsilon": 1})
    return made


def people_like(schema: dict) -> str:
    """A file with the columns of a schema, and forty records that it allows."""
    columns = [column for column in schema["columns"] if not column["left_out"]]
    rows = [
        [c["values"][at % len(c["values"])] if c["values"] else str(c["low"]) for c in columns]
        for at in range(40)
    ]
    return "\n".join(",".join(row) for row in [[c["name"] for c in columns], *rows]) + "\n"


def test_parts_come_one_after_the_other_and_public_rows_are_free(visitor, tmp_path):
    page = visitor.page
    dataset = open_clinic(visitor, "1", "look")
    schema = visitor.call("GET", f"/datasets/{dataset}/schema")
    june = a_second_part(visitor, schema, visitor.call("GET", f"/datasets/{dataset}")["study"])
    visitor.at("data", dataset, "flow")
    priced(page)
    page.get_by_label("A new step").select_option("source")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("heading", name="Step: source").wait_for()
    page.get_by_label("A public table").check()
    step(page, "source").get_by_text("no public table of that name").wait_for()
    (tmp_path / "census.csv").write_text(people_like(schema))
    page.get_by_label("A file whose rows are public").set_input_files(tmp_path / "census.csv")
    priced(page)
    step(page, "score").get_by_label("Takes private rows, public rows").select_option("source")
    page.get_by_text("source now gives public rows to score").wait_for()
    page.locator(".svelte-flow__edge.kind-public-rows").wait_for(state="attached")
    step(page, "score").get_by_text("free").wait_for()
    priced(page)
    visitor.look("flow-public")
    steps = {
        "people": {"do": "source", "public": True, "data": "census"},
        "model": {"do": "naive-bayes", "from": ["people"]},
    }
    flow = {"flow": {"name": "open", "steps": steps}, "epsilon": 0.5}
    nobody = released(visitor, dataset, use_case="flow run", parameters=flow)
    opened = visitor.tab()
    opened.goto(f"{visitor.workbench.root}#/data/{dataset}/result/{nobody}")
    opened.get_by_text("There is nothing to guarantee").wait_for()
    opened.close()
    page.get_by_role("button", name="Undo").click()
    page.locator(".svelte-flow__edge.kind-public-rows").wait_for(state="detached")
    page.get_by_role("button", name="Remove source").click()
    page.get_by_role("button", name="Settings of people").click()
    page.get_by_label("Part by part, as they come").check()
    page.get_by_label("june").check()
    page.get_by_text("compose in parallel").wait_for()
    page.locator(".svelte-flow__edge.incremental").nth(2).wait_for(state="attached")
    visitor.look("flow-parts")
    page.get_by_role("link", name="Run it on june").click()
    page.wait_for_url(f"**/data/{june}/flow")
    page.get_by_text("june (this table)").wait_for()
