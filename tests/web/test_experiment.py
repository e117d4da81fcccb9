"""The Experiment page: priced before it runs, filled as cells end, paused, taken up; the winner for real."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.web.project import open_clinic, shared_clinic


def small(page) -> None:
    """A grid of quick learners that is done in moments."""
    for title in ("Naive Bayes", "One R"):
        page.get_by_label("Add an algorithm").select_option(label=title)
    for title in ("Auto Classifier", "Additive Model"):
        page.get_by_role("button", name=f"Remove the algorithm {title}").click()
    for name, text in (("Epsilons", "0.5, 2"), ("Repetitions", "1"), ("Folds", "2")):
        page.get_by_label(name, exact=True).fill(text)
        page.get_by_label(name, exact=True).press("Tab")
    page.get_by_label("Records").fill("300")
    page.get_by_label("Records").press("Tab")


def test_from_the_grid_to_the_winner_for_real(visitor, tmp_path):
    page = visitor.page
    dataset = open_clinic(visitor, "1.5", "experiment")
    page.get_by_role("heading", name="What it costs, before anything runs").wait_for()
    page.get_by_role("button", name=re.compile("Run the .* free cells")).wait_for()
    small(page)
    page.get_by_role("button", name="Settings of", exact=False).first.click()
    page.get_by_label("Try several values of").wait_for()
    page.get_by_label("Try several values of").select_option("bins")
    page.get_by_label("Values, with commas").fill("4, 16")
    page.get_by_label("Values, with commas").press("Tab")
    page.get_by_role("button", name="Run the 12 free cells").wait_for()
    visitor.look("experiment-setup")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / "experiment.toml"
    saved.value.save_as(file)
    for figure in (17, 19, 24, 25):
        page.get_by_label("or an example").select_option(label=f"DPWeka, figure {figure}")
        expect(page.get_by_label("Name", exact=True)).to_have_value(f"figure-{figure}")
        expect(page.get_by_role("button", name=re.compile("Run the .* free cells"))).to_be_enabled()
    page.get_by_role("button", name="Run the 140 free cells").wait_for()
    visitor.look("experiment-figure-25")
    page.get_by_label("or an example").select_option(label="Accuracy over ε")
    page.get_by_role("button", name="Run the 360 free cells").wait_for()
    page.get_by_label("The file of an experiment").set_input_files(file)
    page.get_by_role("button", name="Run the 12 free cells").click()
    page.get_by_text("12 of 12 cells are measured").wait_for()
    page.get_by_role("heading", name="Do only the winner for real").wait_for()
    page.get_by_role("heading", name="Done").wait_for()
    visitor.look("experiment-done")
    assert "(v/ /*)" in page.inner_text("main")
    for form, part in (("ARFF", "@relation"), ("CSV", "algorithm"), ("LaTeX", "tabular"), ("HTML", "<svg")):
        with page.expect_download() as saved:
            page.get_by_role("link", name=form, exact=True).click()
        assert part in saved.value.path().read_text(encoding="utf-8")
    page.get_by_role("button", name="Take it at ε = 2").click()
    page.get_by_role("heading", name="What it costs").wait_for()
    assert f"/data/{dataset}/mine/" in page.url
    page.get_by_role("button", name=re.compile(r"Run: spends ε = 2\b")).wait_for()


def test_pausing_reloading_and_a_server_that_is_killed(visitor):
    page = visitor.page
    shared_clinic(visitor, "experiment")
    page.get_by_role("button", name=re.compile("Run the .* free cells")).wait_for()
    small(page)
    page.get_by_role("button", name="Remove the algorithm").last.click()
    page.get_by_label("Repetitions", exact=True).fill("10")
    page.get_by_label("Repetitions", exact=True).press("Tab")
    page.get_by_role("button", name="Run the 40 free cells").click()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("heading", name="Paused").wait_for()
    visitor.look("experiment-paused")
    page.get_by_role("button", name="Go on where it stopped").click()
    page.get_by_role("button", name="Pause").wait_for()
    visitor.expected = ("ERR_CONNECTION", "Failed to fetch", "net::")
    visitor.workbench.stop(9)
    page.get_by_text("The server does not answer").wait_for()
    visitor.workbench.start()
    page.get_by_text("40 of 40 cells are measured").wait_for()


def test_private_cells_are_priced_as_a_whole_and_asked_for_once(visitor):
    page = visitor.page
    open_clinic(visitor, "4", "experiment")
    page.get_by_role("button", name=re.compile("Run the .* free cells")).wait_for()
    small(page)
    page.get_by_label("Epsilons", exact=True).fill("0.5")
    page.get_by_label("Epsilons", exact=True).press("Tab")
    page.get_by_label("Add a table").select_option(label="clinic, for real")
    page.get_by_text("2 cross-validations cost ε = 2 together").wait_for()
    visitor.look("experiment-setup-private")
    page.get_by_role("button", name="Run the 4 free cells").click()
    page.get_by_role("heading", name="Private cells").wait_for()
    page.get_by_role("button", name="Switch to for real").last.wait_for()
    page.get_by_role("button", name="Switch to for real").last.click()
    page.get_by_role("button", name="Measure all of them: spends ε = 2").click()
    page.get_by_role("dialog").wait_for()
    visitor.look("experiment-confirm")
    page.get_by_role("button", name="Yes, spend").click()
    page.get_by_text("6 of 6 cells are measured").wait_for()
    assert page.get_by_role("link", name="released", exact=True).count() == 2
    visitor.look("experiment-private")


def test_what_is_wrong_is_said(visitor):
    page = visitor.page
    visitor.expected = ("status of 422",)
    shared_clinic(visitor, "experiment")
    page.get_by_role("button", name=re.compile("Run the .* free cells")).wait_for()
    page.get_by_label("Folds", exact=True).fill("1")
    page.get_by_label("Folds", exact=True).press("Tab")
    page.get_by_role("alert").wait_for()
    assert "Nothing was spent" in page.get_by_role("alert").inner_text()
    visitor.look("experiment-wrong")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name=re.compile("Run the .* free cells")).wait_for()
    page.get_by_role("button", name="Remove the table", exact=False).click()
    page.get_by_role("alert").wait_for()
