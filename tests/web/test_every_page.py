"""Every page in every state is looked at with axe, wide and narrow; none needs an exception of the policy."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.web.conftest import TOO_WIDE
from tests.web.project import go_for_real, open_clinic, released, set_epsilon, shared_clinic, spend


def test_a_column_is_typed(visitor):
    page = visitor.page
    visitor.expected = ("status of 422",)
    visitor.at("")
    page.get_by_role("button", name="Open: The clinic").click()
    page.get_by_text("2 of 11 left", exact=True).wait_for()
    page.get_by_role("button", name="No, I will type it for bmi").click()
    save = page.get_by_role("button", name="Save: this is public knowledge")
    page.get_by_label("From").fill("little")
    save.click()
    page.get_by_text("Type two numbers").wait_for()
    visitor.look("public-typing")
    page.get_by_label("From").fill("99")
    save.click()
    # The server's word, and beside the field, too.
    expect(page.get_by_text("low (99) must be below high")).to_have_count(2)
    assert page.get_by_label("From").input_value() == "99", "what was typed is kept"
    page.get_by_label("It is", exact=True).select_option("values")
    page.get_by_label("The values that everybody knows").fill("20\n30,5")
    save.click()
    page.get_by_text("1 of 11 left", exact=True).wait_for()
    page.get_by_text("one of 2: 20, 30.5").wait_for()
    page.get_by_role("button", name="Yes, glucose is public").click()
    opens = page.get_by_role("button", name="Register this")
    expect(opens).to_be_enabled()
    page.get_by_label("One person, with all their records").check()
    expect(opens).to_be_disabled()  # nobody is protected as one person before it is saved
    visitor.look("public-unsaved")
    page.get_by_label("One record").check()
    expect(opens).to_be_enabled()
    for left in ("1 of 11 left", "2 of 11 left"):
        page.get_by_role("button", name="Undo").click()
        page.get_by_text(left, exact=True).wait_for()


def test_every_setting_is_undone(visitor):
    """Wherever something can be set; only a spend stays."""
    page = visitor.page
    visitor.expected = ("status of 422",)
    dataset = shared_clinic(visitor, "look")
    undo = page.get_by_role("button", name="Undo")
    for place, label, other in (
        ("look", "Bins", "5"),
        ("perturb", "Level", "2"),
        ("budget", "Limit (epsilon)", "2"),
    ):
        visitor.at("data", dataset, place)
        box = page.get_by_label(label, exact=True)
        expect(box).not_to_have_value("")
        before = box.input_value()
        box.fill(other)
        box.press("Enter")
        expect(undo).to_be_enabled()
        undo.click()
        expect(box).to_have_value(before)
        expect(undo).to_be_disabled()
    visitor.at("data", dataset, "ask")
    page.get_by_role("button", name="How many records are there?").click()
    page.get_by_role("heading", name="What it costs").wait_for()
    page.get_by_role("button", name="And the median?").click()
    expect(page.get_by_label("One SELECT")).to_have_value(re.compile("MEDIAN"))
    page.get_by_role("heading", name="Ask a question").click()
    page.keyboard.press("Control+z")
    expect(page.get_by_label("One SELECT")).to_have_value(re.compile("COUNT"))


def test_what_is_done_with_a_model(visitor):
    """It is measured, drawn and compared; then everything that lists it is looked at."""
    page = visitor.page
    dataset = open_clinic(visitor, place="budget")
    parameters = {"epsilon": 0.5}
    release = released(visitor, dataset, use_case="fit", algorithm="decision-tree", parameters=parameters)
    visitor.at("data", dataset, "result", release)
    page.get_by_role("heading", name="In words").wait_for()
    visitor.look("result-tree")
    # The lines of a tree are indented as boxes: where one is too long, its second line is, too.
    lines = page.locator(".told li").all()
    assert len({box["x"] for line in lines if (box := line.bounding_box())}) > 2
    every_chart_is_saved(page)
    go_for_real(page)
    page.get_by_role("link", name="Measure how good it is").click()
    spend(page, "0.2")
    page.get_by_role("heading", name="In words").wait_for()
    visitor.look("result-measured")
    every_chart_is_saved(page, least=2)
    visitor.at("data", dataset, "result", release)
    page.get_by_role("link", name="Draw its ROC curve").click()
    page.get_by_role("radio", name="How it fails, in pictures").wait_for()
    visitor.look("evaluate-pictures")
    spend(page, "0.5")
    page.get_by_role("heading", name=re.compile("ROC")).first.wait_for()
    visitor.look("result-diagnosed")
    every_chart_is_saved(page, least=3)
    compare_with_another(visitor, dataset, release)
    for name in ("public", "results", "budget"):
        visitor.at("data", dataset, name)
        page.wait_for_load_state("networkidle")
        visitor.look(f"data-{name}")
    visitor.at("catalogue")
    page.locator("li.card").first.wait_for()
    visitor.look("catalogue-filled")
    visitor.at("budget")
    page.get_by_role("button", name="Check the chain").click()
    page.get_by_text("No entry was changed").wait_for()
    visitor.look("budgets-verified")


def compare_with_another(visitor, dataset: str, release: str) -> None:
    """From a model's result to a verdict: without a second model there is none, with one it has its price."""
    page = visitor.page
    visitor.at("data", dataset, "result", release)
    page.get_by_role("link", name="Compare it with another model").click()
    page.get_by_text("There is no second model of this kind yet").wait_for()
    visitor.look("compare-alone")
    parameters = {"epsilon": 0.1}
    released(visitor, dataset, use_case="fit", algorithm="one-r", parameters=parameters)
    visitor.at("catalogue")
    page.get_by_role("listitem").filter(has_text="One R").get_by_role("link", name="Compare it").first.click()
    page.get_by_label("Compare it with").wait_for()
    assert "Decision Tree, ε = 0.5" in page.get_by_label("Compare it with").inner_text()
    page.get_by_role("button", name="Run: spends ε = 0.2 ").wait_for()
    visitor.look("compare")
    spend(page, "0.2")
    page.get_by_text("Two models compared").wait_for()
    page.get_by_role("heading", name="How often each is right").wait_for()
    page.get_by_role("heading", name="Where the two are right").wait_for()
    assert "One R (ε = 0.1)" in page.inner_text("main")
    visitor.look("result-compared")


def test_every_family_and_every_algorithm_has_its_form(visitor):
    page = visitor.page
    dataset = shared_clinic(visitor, "mine/select")
    page.get_by_role("radio").first.wait_for()
    tabs = page.get_by_role("navigation", name="This table").get_by_role("link")
    addresses = [link.get_attribute("href") for link in tabs.all()]
    families = [address for address in addresses if "/mine/" in address]
    assert len(families) >= 3
    for address in families:
        visitor.at(*address.removeprefix("#/").split("/"))
        page.get_by_role("radio").first.wait_for()
        for algorithm in page.get_by_role("radio").all():
            if algorithm.is_enabled():
                algorithm.check()
                page.get_by_role("heading", name="What it costs").wait_for()
        visitor.look(f"mine-{address.rpartition('/')[2]}")
    assert dataset in page.url


def test_what_suits_is_suggested_first_for_numbers_too(visitor):
    """A table with a number to predict: the automatic choice is the first, and is chosen already."""
    page = visitor.page
    column = {"kind": "integer", "low": 0, "high": 100}
    schema = {"columns": [{"name": name, **column} for name in ("age", "weight")], "target": "weight"}
    dataset = visitor.call("POST", "/datasets", {"study": study(visitor), "name": "numbers"})["id"]
    rows = "age,weight\n" + "".join(f"{i % 90},{(7 * i) % 100}\n" for i in range(300))
    visitor.call("PUT", f"/datasets/{dataset}/rows?filename=numbers.csv", text=rows)
    visitor.call("PUT", f"/datasets/{dataset}/schema", schema)
    visitor.call("POST", f"/datasets/{dataset}/open", {"epsilon": 1})
    visitor.at("data", dataset, "mine", "regress")
    expect(page.get_by_role("radio").first).to_be_checked()
    assert "Auto Regressor" in page.locator("label", has=page.get_by_role("radio")).first.inner_text()
    assert page.get_by_role("radio", name=re.compile("^Auto Regressor")).is_checked()


def study(visitor) -> str:
    found = [each["id"] for each in visitor.call("GET", "/studies") if each["role"] == "owner"]
    return found[0] if found else visitor.call("POST", "/studies", {"name": "numbers"})["id"]


def test_every_family_gives_a_result_in_practice(visitor):
    page = visitor.page
    dataset = shared_clinic(visitor, "mine/select")
    for family in ("select", "prepare", "cluster", "associate", "synthesise"):
        visitor.at("data", dataset, "mine", family)
        page.get_by_role("button", name="Run on made-up people").click()
        page.get_by_role("button", name="Do this for real").wait_for()
        visitor.look(f"result-{family}")
        if family == "cluster":
            every_chart_is_saved(page, least=2)


def test_budgets_that_do_not_suffice(visitor):
    page = visitor.page
    open_clinic(visitor, "0.5", "mine/prepare")
    go_for_real(page)
    set_epsilon(page, "5")
    page.get_by_text("Too much").wait_for()
    visitor.look("mine-too-much")
    page.get_by_role("button", name="Use the most that fits: ε = 0.5").click()
    spend(page, "0.5")
    page.get_by_role("heading", name="In words").wait_for()
    page.get_by_role("link", name="Prepare", exact=True).click()
    set_epsilon(page, "0.1")
    page.get_by_text("The budget is spent").wait_for()
    assert page.get_by_role("button", name="Run: spends").is_disabled()
    visitor.look("mine-empty")


def test_a_setting_that_is_wrong_is_said_beside_it_and_in_a_summary(visitor):
    page = visitor.page
    visitor.expected = ("status of 422",)
    shared_clinic(visitor)
    page.get_by_role("radio", name="Naive Bayes").check()
    page.get_by_label("Bins").fill("1")
    page.get_by_label("Bins").press("Tab")
    page.get_by_role("alert").wait_for()
    assert "Nothing was spent" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Bins").get_attribute("aria-invalid") == "true"
    visitor.look("mine-wrong-setting")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", name="What it costs").wait_for()
    assert page.get_by_label("Bins").input_value() == "16"


def test_the_start_page_is_light(visitor):
    page = visitor.tab()
    page.goto(visitor.workbench.root)
    page.get_by_role("button", name="Open: The clinic").wait_for()
    sizes = page.evaluate(
        "performance.getEntries().filter(e => 'transferSize' in e).map(e => [e.name, e.transferSize])"
    )
    page.close()
    assert 0 < sum(size for _, size in sizes) < 400_000, sizes


def test_a_page_at_rest_asks_for_nothing(visitor):
    page = visitor.page
    shared_clinic(visitor)
    page.get_by_text("of what is attainable").wait_for()
    page.get_by_role("heading", name="What it costs").wait_for()
    page.wait_for_load_state("networkidle")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(1500)
    assert asked == []


def test_at_200_per_cent_nothing_is_cut_off(visitor):
    """A window of 1280 pixels at 200 % is one of 640."""
    page = visitor.page
    shared_clinic(visitor)
    page.get_by_text("of what is attainable").wait_for()
    page.set_viewport_size({"width": 640, "height": 450})
    width = page.evaluate(TOO_WIDE)
    page.set_viewport_size({"width": 1280, "height": 900})
    assert width == 0


def every_chart_is_saved(page, least: int = 1) -> None:
    """Each chart of this page as a picture and as a table."""
    pictures = page.get_by_role("button", name="as SVG")
    pictures.first.wait_for()
    tables = page.get_by_role("button", name="as CSV")
    assert (
        pictures.count()
        == tables.count()
        == page.locator("figure > .canvas, figure > .scroll > .canvas").count()
        >= least
    )
    for picture, table in zip(pictures.all(), tables.all(), strict=True):
        with page.expect_download() as saved:
            picture.click()
        text = saved.value.path().read_text(encoding="utf-8")
        assert text.startswith("<svg")
        assert "NaN" not in text
        with page.expect_download() as saved:
            table.click()
        assert saved.value.path().read_bytes().count(b"\r\n") >= 2


def test_charts_and_tables_can_be_saved(visitor):
    """The forecast's here; those of results where they are."""
    shared_clinic(visitor)
    every_chart_is_saved(visitor.page)


def test_a_result_without_a_guarantee_wears_a_red_band(visitor):
    """The server releases none: only a release that somebody forged, or that a later version voids, is so."""
    page = visitor.page
    dataset = shared_clinic(visitor, "budget")
    asked = {"use_case": "fit", "algorithm": "one-r", "parameters": {"epsilon": 0.5}, "practice": True}
    release = released(visitor, dataset, **asked)

    def void(route) -> None:
        found = route.fetch()
        said = found.json()
        said["guarantee"]["voided"] = ["The noise was drawn from a seed."]
        route.fulfill(response=found, json=said)

    page.route(f"**/releases/{release}", void)
    visitor.at("data", dataset, "result", release)
    page.get_by_text("The noise was drawn from a seed.").wait_for()
    visitor.look("result-voided")
    page.unroute(f"**/releases/{release}", void)
