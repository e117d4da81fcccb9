"""A table of a database, by a connection that the operator has set up: opened on the Start page."""

from __future__ import annotations

import psycopg

from tests.web.conftest import WIDE, Visitor
from tests.web.project import go_for_real, spend
from tests.web.workbench import Workbench


def test_a_table_of_a_database_is_opened_and_measured(browser, tmp_path, postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as database:
        database.execute("CREATE TABLE visits (age int, ill text)")
        database.execute(
            "INSERT INTO visits SELECT 20 + i % 60, CASE WHEN i % 2 = 0 THEN 'no' ELSE 'yes' END "
            "FROM generate_series(1, 400) AS i"
        )
    made = Workbench(tmp_path / "home")
    made.home.mkdir()
    settings = f'[clinic]\naddress = "{postgres_url}"\ntables = ["visits"]\n'
    (made.home / "connections.toml").write_text(settings)
    made.start()
    visitor = Visitor(browser, made, WIDE)
    page = visitor.page
    try:
        visitor.enter()
        page.get_by_role("heading", name="A table that is connected").wait_for()
        visitor.look("start-connected")
        page.get_by_label("The table", exact=True).select_option(label="visits (clinic)")
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
        password = postgres_url.removeprefix("postgresql://privet:").partition("@")[0]
        assert password not in page.content()
        visitor.quiet()
    finally:
        visitor.context.close()
        made.stop()
