"""What a person says before a spend: who is protected, what they guess, what is to be done with a model."""

from __future__ import annotations

from base64 import b64encode

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


#: Lays a file on the card as a person does who drags it there.
DROP = """(card, [name, text]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name));
  for (const kind of ['dragenter', 'dragover', 'drop'])
    card.dispatchEvent(new DragEvent(kind, {dataTransfer: carried, bubbles: true, cancelable: true})); }"""


def test_tables_of_other_kinds_are_dropped_or_chosen(visitor, tmp_path):
    """Each of them comes to the same question about its columns; what writes them is not Privet."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from openpyxl import Workbook

    page = visitor.page
    rows = [(20 + place % 60, "no" if place % 3 else "yes") for place in range(200)]
    book = Workbook()
    for row in [("age", "ill"), *rows]:
        book.active.append(row)
    book.save(tmp_path / "visits.xlsx")
    table = {"age": [age for age, _ in rows], "ill": [ill for _, ill in rows]}
    pq.write_table(pa.table(table), tmp_path / "visits.parquet")
    head = "@relation visits\n@attribute age numeric\n@attribute ill {no,yes}\n@data\n"
    lines = "".join(f"{age},{ill}\n" for age, ill in rows)
    (tmp_path / "visits.arff").write_text(head + lines)
    (tmp_path / "visits.tsv").write_text("age\till\n" + lines.replace(",", "\t"))
    for ending, dropped in (("xlsx", True), ("parquet", False), ("arff", True), ("tsv", False)):
        visitor.at("")
        if dropped:
            card = page.get_by_role("region", name="Open a table")
            content = b64encode((tmp_path / f"visits.{ending}").read_bytes()).decode()
            card.evaluate(DROP, [f"visits.{ending}", content])
        else:
            page.locator("input[type=file]").set_input_files(tmp_path / f"visits.{ending}")
        page.get_by_role("heading", name="About the table").wait_for()
        page.get_by_text("a number from 20 to 79").wait_for()
        page.get_by_text("one of 2: no, yes").wait_for()


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
