"""What an operator does: the first owner, starting, stopping, metrics, and backups."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from prometheus_client import CollectorRegistry, generate_latest

from privet.budget import Ledger, Pure, exact
from privet.errors import LedgerError, ParameterError
from privet.parties import Exchange, PartyStudy
from privet.server.backup import back_up, restore
from privet.server.database import FILE, Database
from privet.server.metrics import Figures, serve_metrics
from privet.server.serving import _socket, first_owner, new_operator
from privet.server.settings import Settings
from privet.server.tables import metadata
from tests.postgres import Postgres
from tests.server.house import House, house
from tests.server.test_access import party_study

DEPLOY = Path(__file__).parents[2] / "deploy"


def test_the_first_owner_is_made_once_and_can_sign_in(tmp_path: Path):
    with house(tmp_path, workers=0) as found:  # which has owners already
        with pytest.raises(ParameterError, match="an owner already"):
            first_owner(found.server.settings, "second first")
        password = new_operator(found.server.settings, "root")
        answer = found.client.post("/api/v1/session", json={"name": "root", "password": password})
        assert answer.json()["user"]["operator"]
        with pytest.raises(ParameterError):
            new_operator(found.server.settings, "root")
    with pytest.raises(ParameterError):
        first_owner(Settings(tmp_path / "other"), "  ")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_migrations_make_the_tables_that_the_code_knows(kind: str, tmp_path: Path, request: Any):
    address = request.getfixturevalue("postgres_url") if kind == "postgres" else None
    database = Database(Settings(tmp_path, database=address))
    database.prepare()
    database.prepare()  # a second time, there is nothing to do
    with database.engine.connect() as connection:
        ours = {"include_name": lambda name, what, parents: what != "table" or name in metadata.tables}
        context = MigrationContext.configure(connection, opts=ours)
        assert compare_metadata(context, metadata) == []
    database.close()


def container_file() -> str:
    """deploy/Containerfile, a step a line."""
    return re.sub(r"\\\n\s*", "", (DEPLOY / "Containerfile").read_text())


def test_a_server_starts_answers_and_stops_gracefully(tmp_path: Path):
    """As a container starts it, but for the folder and for what it listens on."""
    [command] = re.findall(r"^CMD (.*)$", container_file(), re.MULTILINE)
    given = dict(zip((words := json.loads(command)[1:])[1::2], words[2::2], strict=True))
    assert given.keys() == {"--home", "--host", "--port"}
    assert f"EXPOSE {given['--port']}\n" in container_file()
    given |= {"--home": str(tmp_path / "home"), "--host": "127.0.0.1", "--port": "0"}
    words = [words[0], *(word for pair in given.items() for word in pair)]
    made = subprocess.run(
        [sys.executable, "-m", "privet", *words, "--init", "ann"], capture_output=True, text=True, check=True
    )
    password = re.search(r"Password: (\S+)", made.stdout)
    assert password is not None
    process = subprocess.Popen([sys.executable, "-m", "privet", *words], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = re.search(r"http://127.0.0.1:\d+", process.stderr.readline())
        assert found is not None
        address = found[0]
        client = httpx.Client(transport=httpx.HTTPTransport(retries=10), timeout=600)
        assert client.get(f"{address}/health").json() == {"alive": True}
        assert client.get(f"{address}/ready").json() == {"ready": True}
        assert "api/v1" in client.get(address).text or "<html" in client.get(address).text.lower()
        body = {"name": "ann", "password": password[1]}
        assert client.post(f"{address}/api/v1/session", json=body).json()["user"]["owner"]
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=600)
    assert process.returncode in (0, -signal.SIGTERM)
    assert password[1] not in said
    assert (tmp_path / "home").stat().st_mode & 0o077 == 0
    assert (tmp_path / "home" / FILE).stat().st_mode & 0o077 == 0


def test_metrics_are_totals_on_a_port_of_their_own(home: House):
    home.run(home.owner, home.dataset)
    registry = CollectorRegistry()
    registry.register(Figures(home.server))
    text = generate_latest(registry).decode()
    assert "privet_database_up 1.0" in text
    assert re.search(r'privet_runs\{state="released"\} [1-9]', text)
    assert not any(name in text for name in ("owner", "analyst", home.dataset, home.study))
    http, thread = serve_metrics(home.server, "127.0.0.1", 0)
    with urllib.request.urlopen(f"http://127.0.0.1:{http.server_port}/metrics") as answer:
        assert b"privet_runs" in answer.read()
    http.shutdown()
    thread.join()
    assert b"privet_runs" not in home.client.get("/metrics").content


def test_a_backup_restores_and_never_gives_budget_back(tmp_path: Path):
    running, backup = tmp_path / "running", tmp_path / "backup"
    with house(running) as found:
        dataset = found.new_dataset(1.0)
        found.run(found.analyst, dataset, 0.4)
        exchange = Exchange(running / "submissions" / "study")
        exchange.begin(PartyStudy.from_dict(party_study()[0]))
        head = back_up(running, backup)  # while it runs
        assert (backup / FILE).stat().st_mode & 0o077 == 0
        stored = (found.server.folder(dataset) / "rows.csv").read_bytes()
        with pytest.raises(ParameterError):
            back_up(running, backup)
    exchange.put("roll", {"parties": ["north", "south"]})
    (exchange.folder / "study.json").unlink()
    assert restore(backup, running) == head  # nothing was spent since: the same state
    assert exchange.study.parties  # what a study's parties have said is put back
    assert exchange.get("roll") is not None  # and what they said since is not taken back
    with house(running) as found:
        found.study = found.owner.get("/studies")[0]["id"]
        assert found.spent(dataset) == pytest.approx(0.4)
        assert (found.server.folder(dataset) / "rows.csv").read_bytes() == stored
        found.run(found.analyst, dataset, 0.5)
    latest = str(Ledger.open(running / FILE).head())
    with pytest.raises(LedgerError, match="given back"):
        restore(backup, running)
    assert str(Ledger.open(running / FILE).head()) == latest
    # On a new machine there is nothing to compare with, so the head that was noted last is needed.
    with pytest.raises(LedgerError, match="latest"):
        restore(backup, tmp_path / "new")
    with pytest.raises(LedgerError, match="missing"):
        restore(backup, tmp_path / "new", latest)
    assert restore(backup, tmp_path / "new", str(head)) == head
    assert Exchange(tmp_path / "new" / "submissions" / "study").get("study") is not None
    os.truncate(backup / FILE, 4096)
    with pytest.raises(LedgerError):
        restore(backup, tmp_path / "third", str(head))


def test_a_backup_of_postgresql_restores_and_never_gives_budget_back(
    postgres: Postgres, postgres_url: str, tmp_path: Path
):
    running, backup, older = tmp_path / "running", tmp_path / "backup", tmp_path / "older"
    with house(running, database=postgres_url) as found:
        dataset = found.new_dataset(1.0)
        before = back_up(running, older, postgres_url)
        found.run(found.analyst, dataset, 0.4)
        head = back_up(running, backup, postgres_url)  # while it runs
        assert not list(backup.glob("*.db"))
        with pytest.raises(LedgerError, match="Stop the server"):
            restore(backup, running, address=postgres_url)
    _let_go(postgres_url)
    assert restore(backup, running, address=postgres_url) == head  # nothing was spent since: the same state
    assert Ledger.open(postgres_url).spent(dataset) == Pure(exact("0.4"))
    with pytest.raises(LedgerError, match="given back"):
        restore(older, running, address=postgres_url)
    # On a new machine there is nothing to compare with, so the head that was noted last is needed.
    new = postgres.database()
    with pytest.raises(LedgerError, match="latest"):
        restore(backup, tmp_path / "new", address=new)
    with pytest.raises(LedgerError, match="is missing"):
        restore(older, tmp_path / "new", str(head), new)
    (older / "ledger-head.txt").write_text(str(head))  # somebody makes an old backup look like a new one
    with pytest.raises(LedgerError, match="not the one"):
        restore(older, tmp_path / "new", str(head), new)
    assert restore(backup, tmp_path / "new", str(before), new) == head
    with house(tmp_path / "new", database=new) as found:
        found.study = next(each["id"] for each in found.owner.get("/studies") if each["name"] == "a study")
        assert found.spent(dataset) == pytest.approx(0.4)


def _let_go(address: str) -> None:
    """End what a test's own ledgers keep open."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_the_container_is_made_of_what_the_project_says():
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]
    text = container_file()
    [extras] = re.findall(r"privet-\*\.whl\)\[([a-z,]+)\]", text)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert "server" in extras.split(",")
    bases = set(re.findall(r"^FROM \S+/python:(3\.\d+)-slim", text, re.MULTILINE))
    supported = {each.rpartition(" ")[2] for each in project["classifiers"] if "Python :: 3." in each}
    assert len(bases) == 1
    assert bases <= supported
    assert (DEPLOY.parent / "constraints.txt").is_file()
    assert "\nUSER privet\n" in text
    volume, home = re.findall(r"^VOLUME (\S+)|--home\", \"([^\"]+)", text, re.MULTILINE)
    assert home[1].startswith(volume[0] + "/")


@pytest.mark.parametrize("name", ["privet.service", "privet-runs.service"])
def test_the_units_start_the_command_with_options_that_it_has(name: str):
    from click.testing import CliRunner

    from privet.cli import app

    [words] = re.findall(r"^ExecStart=\S+/privet (.*)$", (DEPLOY / name).read_text(), re.MULTILINE)
    command, *options = words.split()
    told = CliRunner().invoke(app, [command, "--help"]).output
    known = set(re.findall(r"--[a-z]+", told))
    assert {word for word in options if word.startswith("--")} <= known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
@pytest.mark.parametrize("name", ["privet.service", "privet-runs.service"])
def test_the_units_are_ones_that_systemd_understands(name: str, tmp_path: Path):
    text = (DEPLOY / name).read_text()
    installed = re.sub("ExecStart=\\S+", "ExecStart=/bin/true", text)  # it is not installed there
    (tmp_path / name).write_text(installed)
    words = ["systemd-analyze", "verify", "--man=no", str(tmp_path / name)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / name).write_text(installed.replace("PrivateTmp=yes", "PrivateTmp=perhaps"))
    assert "perhaps" in subprocess.run(words, capture_output=True, text=True, check=False).stderr


def test_an_answer_does_not_wait_for_the_word_that_its_head_came():
    """A connection that waits to fill its packets adds 40 ms to every answer."""
    with _socket("127.0.0.1", 0) as listening:
        listening.listen()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
