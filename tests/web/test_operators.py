"""What whoever runs a server adds without a line of TypeScript: connections to databases, and algorithms."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.web.conftest import WIDE, Visitor
from tests.web.operator import LINE
from tests.web.project import go_for_real, open_clinic, spend
from tests.web.workbench import Workbench


@pytest.fixture
def visitor(browser, tmp_path, postgres_url) -> Iterator[Visitor]:
    """Somebody at a workbench with a connection and one more algorithm."""
    made = Workbench(tmp_path / "home", program="tests.web.operator")
    made.home.mkdir()
    settings = f'[clinic]\naddress = "{postgres_url}"\ntables = ["visits"]\n'
    settings += f"[cluster]\naddress = \"spark://local\"\ntables = ['{spark_name(made)}']\n"
    (made.home / "connections.toml").write_text(settings)
    made.start()
    person = Visitor(browser, made, WIDE)
    person.enter()
    yield person
    person.context.close()
    made.stop()
    person.quiet()


def test_a_connected_table_and_an_algorithm_that_was_added(visitor, postgres_url):
    """Both in one workbench: starting one is slow."""
    with psycopg.connect(postgres_url, autocommit=True) as database:
        database.execute("CREATE TABLE visits (age int, ill text)")
        database.execute(
            "INSERT INTO visits SELECT 20 + i % 60, CASE WHEN i % 2 = 0 THEN 'no' ELSE 'yes' END "
            "FROM generate_series(1, 400) AS i"
        )
    open_a_connected_table(visitor)
    password = postgres_url.removeprefix("postgresql://privet:").partition("@")[0]
    assert password not in visitor.page.content()
    run_what_was_added(visitor)


def spark_name(workbench: Workbench) -> str:
    """What Spark calls a file in a table's place."""
    return f"parquet.`{workbench.home.parent / 'visits.parquet'}`"


def test_a_table_of_spark(visitor):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Java is missing")
    rows = {"age": [20 + i % 60 for i in range(400)], "ill": [("no", "yes")[i % 2] for i in range(400)]}
    pq.write_table(pa.table(rows), visitor.workbench.home.parent / "visits.parquet")
    open_a_connected_table(visitor, f"{spark_name(visitor.workbench)} (cluster)")


def open_a_connected_table(visitor: Visitor, name: str = "visits (clinic)") -> None:
    page = visitor.page
    page.get_by_role("heading", name="A table that is connected").wait_for()
    visitor.look("start-connected")
    page.get_by_label("The table", exact=True).select_option(label=name)
    page.get_by_role("button", name="Open this table").click()
    page.get_by_text("2 of 2 left", exact=True).wait_for()
    for name in ("age", "ill"):
        page.get_by_role("button", name=f"Yes, {name} is public").click()
    page.get_by_role("button", name="Register this").click()
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("One SELECT").fill("SELECT COUNT(*) FROM data")
    page.get_by_role("button", name="What would it cost?").click()
    go_for_real(page)
    spend(page, "1")
    page.get_by_role("heading", name="The answer").wait_for()


def run_what_was_added(visitor: Visitor) -> None:
    """It is listed with its line, has its form and a forecast, and runs."""
    page = visitor.page
    dataset = open_clinic(visitor)
    choice = page.get_by_role("radio", name="Morning Rule")
    assert LINE in page.locator("label", has=choice).inner_text()
    choice.check()
    page.locator("summary", has_text="All settings").click()
    page.get_by_text("How much coffee it had.").wait_for()
    assert page.get_by_label("Cups").input_value() == "3"
    page.get_by_text("of what is attainable").wait_for()
    page.get_by_role("button", name="Run on made-up people").click()
    page.get_by_role("heading", name="In words").wait_for()
    assert "Morning Rule" in page.get_by_role("heading", level=1).inner_text()
    visitor.at("data", dataset, "flow")
    page.get_by_label("A new step").select_option(label="Morning Rule")
    visitor.at("data", dataset, "experiment")
    page.get_by_label("Add an algorithm").select_option(label="Morning Rule")
