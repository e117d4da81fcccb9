"""Perturbed tables in the browser: tried on made-up people, with "none" said loudly."""

from __future__ import annotations

from tests.web.project import go_for_real, open_clinic, shared_clinic


def test_methods_are_tried_on_made_up_people(visitor):
    page = visitor.page
    shared_clinic(visitor, "perturb")
    page.get_by_text("Guarantee: none.").wait_for()
    page.get_by_label("Rotation").check()
    page.get_by_role("button", name="Try it on made-up people").click()
    page.get_by_role("heading", name="Guarantee: NONE").wait_for()
    page.get_by_role("heading", name="D against D′").wait_for()
    assert "as good as in the clear" in page.inner_text("main")
    visitor.look("perturb")


def test_the_owner_takes_the_rows_by_their_word(visitor):
    page = visitor.page
    open_clinic(visitor, place="perturb")
    page.get_by_label("Rotation").check()
    go_for_real(page)
    page.wait_for_load_state("networkidle")  # the form of the method that was chosen has come
    page.get_by_label("Missing").select_option("middle")
    button = page.get_by_role("button", name="Download the rows")
    assert button.is_disabled()
    page.get_by_label("Why may these rows leave?").fill("The people agreed to it in writing.")
    visitor.look("perturb-real")
    assert page.get_by_label("Missing").input_value() == "middle"
    button.click()
    assert "cannot be undone" in page.get_by_role("dialog").inner_text()
    visitor.look("perturb-confirm")
    yes = page.get_by_role("button", name="Yes, download them")
    yes.press("Enter")
    assert yes.is_visible(), "Enter lets nothing leave"
    with page.expect_download() as saved:
        yes.press("Space")
    assert saved.value.path().read_bytes().count(b"\n") > 20_000
    page.get_by_text("your reason is recorded").wait_for()
    page.get_by_role("link", name="Budget", exact=True).click()
    page.get_by_text("The people agreed to it in writing.").wait_for()
