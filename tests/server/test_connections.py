"""Tables of a database: opened by name, answered by the database, and no address anywhere."""

from __future__ import annotations

import json

import psycopg
import pytest

from tests.server.house import SCHEMA, House, house


@pytest.fixture
def connected(tmp_path, postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as database:
        database.execute("CREATE TABLE people (age int, smoker text, ill text)")
        database.execute(
            "INSERT INTO people SELECT 20 + i % 60, CASE WHEN i % 3 = 0 THEN 'no' ELSE 'yes' END, "
            "CASE WHEN i % 2 = 0 THEN 'no' ELSE 'yes' END FROM generate_series(1, 400) AS i"
        )
    settings = f'[clinic]\naddress = "{postgres_url}"\ntables = ["people", "gone"]\nowners = ["owner"]\n'
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "connections.toml").write_text(settings)  # before a worker gives up the network
    with house(tmp_path / "home") as found:
        yield found


def secrets(address: str) -> list[str]:
    password, _, host = address.removeprefix("postgresql://privet:").partition("@")
    return [password, host.partition("/")[0]]


def opened(home: House, table: str = "people") -> str:
    body = {"table": table, "study": home.study}
    return str(home.owner.post("/connections/clinic", body)["id"])


def test_a_table_of_a_database_is_opened_and_measured(connected: House, postgres_url) -> None:
    home = connected
    assert home.owner.get("/connections") == [{"name": "clinic", "tables": ["people", "gone"]}]
    assert home.other.get("/connections") == []
    assert home.analyst.ask("GET", "/connections").status_code == 403
    dataset = opened(home)
    home.owner.post(f"/datasets/{dataset}/draft", {"target": "ill"})
    home.owner.put(f"/datasets/{dataset}/schema", SCHEMA)
    home.owner.post(f"/datasets/{dataset}/open", {"epsilon": 5.0})
    run = home.run(home.analyst, dataset, 1.0)
    assert run["state"] == "released", run
    assert home.spent(dataset) == 1.0
    seen = [
        home.analyst.get(f"/datasets/{dataset}"),
        home.analyst.get(f"/releases/{run['release']}"),
        home.analyst.get("/runs"),
        home.owner.get(f"/studies/{home.study}/audit"),
        home.owner.get(f"/accounts/{dataset}/history"),
    ]
    with psycopg.connect(postgres_url, autocommit=True) as database:
        database.execute("DROP TABLE people")
    seen.append(refused := home.run(home.analyst, dataset, 0.5))
    assert refused["state"] == "refused"
    assert home.spent(dataset) == 1.0
    for secret in secrets(postgres_url):
        assert secret not in json.dumps(seen)


def test_what_is_not_set_up_does_not_exist(connected: House, postgres_url) -> None:
    home = connected
    for who, table, name in (
        (home.owner, "secret_table", "clinic"),
        (home.owner, "people", "other"),
        (home.other, "people", "clinic"),
    ):
        answer = who.ask("POST", f"/connections/{name}", json={"table": table})
        assert answer.status_code == 404
    answer = home.owner.ask("POST", f"/datasets/{opened(home, 'gone')}/draft", json={})
    assert answer.status_code in (422, 502)
    assert secrets(postgres_url)[0] not in answer.text
    dataset = opened(home)
    (home.server.settings.home / "connections.toml").write_text("")
    answer = home.owner.ask("POST", f"/datasets/{dataset}/draft", json={})
    assert answer.status_code == 409
    assert "The connection is gone" in answer.text


def test_a_damaged_file_says_nothing_of_what_is_in_it(connected: House) -> None:
    (connected.server.settings.home / "connections.toml").write_text('[x]\naddress = "mysql://u:hidden@h"\n')
    answer = connected.owner.ask("GET", "/connections")
    assert answer.status_code == 500
    assert "hidden" not in answer.text
