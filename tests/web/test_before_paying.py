"""What a person says before a spend: who is protected, what they guess, what is to be done with a model."""

from __future__ import annotations

from tests.web.hands import Keyboard
from tests.web.project import shared_clinic

VISITS = "patient,age,ill\n" + "".join(
    f"{number // 2},{20 + number % 60},{'no' if number % 3 else 'yes'}\n" for number in range(600)
)


def test_a_person_with_several_records_is_protected_as_one(visitor):
    page = visitor.page
    visitor.at("")
    page.locator("input[type=file]").set_input_files(
        {"name": "visits.csv", "mimeType": "text/csv", "buffer": VISITS.encode()}
    )
    page.get_by_role("heading", name="About the table").wait_for()
    assert page.get_by_role("radio", name="One record").is_checked()
    page.get_by_role("radio", name="One person").check()
    page.get_by_label("The column that says who it is").select_option("patient")
    page.get_by_label("At most how many records").fill("none")
    page.get_by_text("A whole number, at least 1.").wait_for()
    assert page.get_by_role("button", name="Save who is protected").is_disabled()
    page.get_by_label("At most how many records").fill("2")
    page.get_by_role("button", name="Save who is protected").click()
    page.get_by_text("same 'patient', at most 2 of them").first.wait_for()
    page.get_by_text("left out: it says who a person is").wait_for()
    visitor.look("public-unit")
    page.reload()
    page.get_by_text("same 'patient', at most 2 of them").first.wait_for()
    assert page.get_by_role("radio", name="One person").is_checked()
    page.get_by_role("radio", name="One record").check()
    page.get_by_role("button", name="Save who is protected").click()
    page.get_by_text("Now: one record, present or absent").wait_for()
    page.get_by_text("left out:").wait_for(state="detached")  # columns are read again after the unit is saved
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("same 'patient', at most 2 of them").first.wait_for()


def test_a_column_can_be_left_out_and_taken_in_again(visitor):
    page = visitor.page
    visitor.at("")
    page.get_by_role("button", name="Open: The clinic").click()
    page.get_by_role("button", name="Leave it out: bmi").click()
    page.get_by_text("1 of 11 left", exact=True).wait_for()
    page.get_by_role("button", name="Take it in again: bmi").click()
    page.get_by_text("2 of 11 left", exact=True).wait_for()


def test_guesses_sharpen_the_forecast_and_are_checked(visitor):
    visitor.expected = ("status of 422",)
    page, hand = visitor.page, Keyboard()
    shared_clinic(visitor)
    page.get_by_text("of what is attainable").wait_for()
    hand.unfold(page, "Make the forecast sharper")
    page.get_by_label("About how many records").fill("3")
    page.keyboard.press("Tab")
    page.locator("#guess-records-error").wait_for()
    visitor.look("guess-wrong")
    page.get_by_label("About how many records").fill("20,000")
    page.get_by_label("How good would a good model be").fill("85")
    page.get_by_label("at risk", exact=True).fill("20")
    page.keyboard.press("Tab")
    page.locator("summary", has_text="What the forecast rests on").click()
    page.get_by_text("A good model without privacy reaches 0.85").wait_for()
    page.get_by_text("About 20,000 records, as guessed.").wait_for()
    page.get_by_text("as guessed: at risk 0.2.").wait_for()
    visitor.look("guessed")
    page.get_by_label("at risk", exact=True).fill("120")
    page.keyboard.press("Tab")
    page.get_by_text("There is no forecast: Guessed shares").wait_for()
    page.get_by_role("button", name="Leave all of it open").click()
    page.get_by_text("Nobody said how many records").wait_for(state="attached")
    assert page.get_by_label("About how many records").input_value() == ""
