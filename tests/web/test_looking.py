"""Look and Ask: pictures of made-up people before paying, released ones after it; questions in SQL."""

from __future__ import annotations

from tests.web.hands import Keyboard
from tests.web.project import go_for_real, open_clinic, shared_clinic, spend


def test_a_first_look_is_made_up_until_it_is_paid_for_and_then_free(visitor):
    page = visitor.page
    dataset = open_clinic(visitor, place="look")
    page.get_by_text("These people do not exist").wait_for()
    greyed = page.locator(".greyed figure")
    assert greyed.count() == 11
    assert all("Made-up" in each.inner_text() for each in greyed.all())
    visitor.look("look-made-up")
    go_for_real(page)
    spend(page, "0.5")
    page.get_by_role("heading", name="A first look at 11 columns").wait_for()
    visitor.look("result-look")
    page.get_by_role("link", name="Look", exact=True).click()
    page.get_by_text("free for ever.").first.wait_for()
    assert page.locator("main figure:visible").count() == 11  # those of another look are folded
    assert page.locator(".greyed").count() == 0
    assert "Made-up" not in page.locator("main").inner_text()
    page.get_by_text("Look again, at another price").click()
    page.get_by_text("This exact run is paid for already").wait_for()
    visitor.look("look-paid")
    page.get_by_role("link", name="Open its result: free").click()
    page.get_by_role("heading", name="A first look at 11 columns").wait_for()
    assert dataset in page.url


def test_a_practice_look_goes_back_to_its_page_for_real(visitor):
    page = visitor.page
    open_clinic(visitor, place="look")
    page.get_by_label("Bins").fill("4")
    page.get_by_label("Bins").press("Tab")
    page.get_by_role("button", name="Run on made-up people").click()
    page.get_by_role("button", name="Do this for real").click()
    page.get_by_role("heading", name="Look", exact=True).wait_for()
    assert page.get_by_label("Bins").input_value() == "4"
    page.get_by_role("button", name="Run: spends").wait_for()


def test_a_question_is_asked_by_keyboard_priced_and_answered(visitor):
    visitor.expected = ("status of 422",)
    page, hand = visitor.page, Keyboard()
    open_clinic(visitor, place="flow")
    hand.press(page, "Ask")
    page.get_by_role("heading", name="Ask a question").wait_for()
    hand.reach(page, "One SELECT")
    page.keyboard.type("SELECT MAX(age) FROM data")
    page.keyboard.press("Control+Enter")
    page.get_by_role("alert").wait_for()
    box = page.get_by_label("One SELECT")
    assert box.get_attribute("aria-invalid") == "true"
    assert "MAX(age)" in page.locator("#sql-error").inner_text()
    assert "Nothing was spent" in page.get_by_role("alert").inner_text()
    visitor.look("ask-wrong")
    hand.press(page, "How many records by")
    page.get_by_role("heading", name="What it costs").wait_for()
    visitor.look("ask-priced")
    box.press("End")
    page.keyboard.type(" LIMIT 3")
    page.get_by_text("The question has changed").wait_for()
    assert page.get_by_role("button", name="Run").count() == 0, "an old price must not buy a new question"
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="What it costs").wait_for()
    hand.press(page, "Switch to for real")
    hand.press(page, "Run: spends")
    hand.spend(page)
    page.get_by_role("heading", name="The answer").wait_for()
    assert page.get_by_role("table").first.inner_text().count("±") >= 2
    visitor.look("result-answer")
    hand.press(page, "Ask")
    page.get_by_role("heading", name="Answered before").wait_for()
    visitor.look("ask-answered")


def test_every_example_can_be_asked(visitor):
    page = visitor.page
    shared_clinic(visitor, "ask")
    page.get_by_role("heading", name="Examples with your columns").wait_for()
    buttons = page.locator(".examples button")
    assert buttons.count() == 7
    for button in buttons.all():
        with page.expect_response(lambda answer: answer.url.endswith("/plans")) as answer:
            button.click()
        assert answer.value.status == 201
