"""What a member of a study could learn from a server without paying: each of these doors once stood open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from privet.masking import OneTimeKey
from privet.parties import Party, PartyStudy
from privet.server import worker as module
from privet.server.worker import Worker
from privet.service.exchanges import ServerExchange
from privet.signing import make_keys
from privet.sources import ArrowSource
from tests.parties.conftest import SCHEMA, people
from tests.server.house import House, house
from tests.server.test_submissions import InProcess


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server whose runs nobody works on, until a test does."""
    with house(tmp_path_factory.mktemp("free"), workers=0) as found:
        yield found


def work(home: House, times: int = 1) -> None:
    worker = Worker(home.server)
    for _ in range(times):
        assert worker.work_once()
    worker.close()


def start(home: House, who: Any, dataset: str) -> str:
    return str(home.start(who, home.plan(who, dataset)["id"])["id"])


def test_the_ledgers_head_does_not_tell_when_a_run_has_really_ended(
    home: House, monkeypatch: pytest.MonkeyPatch
):
    """The ledger has one more entry once a run is over. An auditor or another owner watches."""
    dataset, heads, guesses = home.new_dataset(1.0), [], set()
    before = home.auditor.get("/ledger/head")["entries"]

    def watched() -> None:
        for who in (home.auditor, home.owner):
            heads.append(who.get("/ledger/head"))
            heads.append({"head": who.post("/ledger/verify")["head"], "entries": before + 1})
            for late in (before + 2, before + 3, 10**9):  # guesses at how long the ledger really is
                guesses.add(who.post("/ledger/verify", {"head": f"{late}:ab"})["detail"])

    release = module.release_of
    monkeypatch.setattr(module, "release_of", lambda *given: (watched(), release(*given))[1])
    clock = SimpleNamespace(sleep=lambda seconds: watched(), monotonic=lambda: 0.0)
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(home.server, "settings", replace(home.server.settings, grid_seconds=1000.0))
    start(home, home.analyst, dataset)
    work(home)
    assert len(heads) == 8
    assert {each["entries"] for each in heads} == {before + 1}  # paid for: that much is public
    assert len({each["head"] for each in heads}) == 1
    assert len(guesses) == 1
    assert not any(letter.isdigit() for letter in guesses.pop())
    after = home.auditor.get("/ledger/head")
    assert after["entries"] == before + 2
    noted = home.auditor.post("/ledger/verify", {"head": heads[0]["head"]})
    assert (noted["intact"], noted["head"]) == (True, after["head"])  # an earlier head is as good to note


def test_the_numbers_of_a_history_do_not_count_what_is_hidden(home: House):
    """Or a spend of one's own, for a trifle, would say whether another's run has ended by now."""
    dataset, elsewhere = home.new_dataset(1.0), home.new_dataset(1.0)
    for who, where in ((home.analyst, dataset), (home.second, elsewhere), (home.analyst, dataset)):
        start(home, who, where)
    work(home, 3)
    entries = home.analyst.get(f"/accounts/{dataset}/history")["entries"]
    assert [each["number"] for each in entries] == list(range(1, len(entries) + 1))
    assert sum(each["kind"] == "reserve" for each in entries) == 2


def test_a_studys_log_does_not_count_what_others_do(home: House):
    study = home.other.post("/studies", {"name": "theirs"})["id"]
    home.owner.post("/studies", {"name": "mine"})
    home.other.put(f"/studies/{study}/members/stranger", {"role": "auditor"})
    entries = home.stranger.get(f"/studies/{study}/audit")["entries"]
    assert [each["number"] for each in entries] == [1, 2]


def test_no_step_is_told_after_the_payment(home: House, monkeypatch: pytest.MonkeyPatch):
    """A step that changes while records are read is a clock, whatever the grid says of the end."""
    run = start(home, home.analyst, home.new_dataset(1.0))
    worker, sessions, seen = Worker(home.server), [], []
    made, release = worker._session, module.release_of

    def kept(*given: Any) -> Any:
        sessions.append(made(*given))
        with sessions[0].progress("Opening the table", "rows"):
            seen.append(home.analyst.get(f"/runs/{run}")["step"])
        return sessions[0]

    def telling(*given: Any) -> Any:  # it is paid for, and records were read
        with sessions[0].progress("Reading them once more", "rows"):
            seen.append(home.analyst.get(f"/runs/{run}")["step"])
        return release(*given)

    monkeypatch.setattr(worker, "_session", kept)
    monkeypatch.setattr(module, "release_of", telling)
    assert worker.work_once()
    worker.close()
    assert seen == ["Opening the table", "measuring"]
    assert home.analyst.get(f"/runs/{run}")["state"] == "released"


def test_a_column_that_was_left_out_is_shown_to_the_owner_alone(home: House):
    """Why it was left out was read off the records: one person with another value, and it were not."""
    rows = "age,ward,ill\n" + "".join(f"{20 + k % 60},B,{'yes' if k % 2 else 'no'}\n" for k in range(80))
    dataset = home.owner.post("/datasets", {"study": home.study, "name": "constant"})["id"]
    home.owner.ask("PUT", f"/datasets/{dataset}/rows?filename=x.csv", content=rows.encode())
    home.owner.post(f"/datasets/{dataset}/draft", {"target": "ill"})
    drafted = [each["name"] for each in home.owner.get(f"/datasets/{dataset}/schema")["columns"]]
    home.owner.post(f"/datasets/{dataset}/schema/confirm", {"columns": ["age", "ill"]})
    home.owner.post(f"/datasets/{dataset}/open", {"epsilon": 1})
    assert "ward" in drafted
    assert "ward" in str(home.owner.get(f"/datasets/{dataset}/schema")["columns"])
    for who in (home.analyst, home.auditor):
        for path in (f"/datasets/{dataset}/schema", f"/datasets/{dataset}", "/datasets"):
            assert "ward" not in str(who.get(path)), path
        assert {each["name"] for each in who.get(f"/datasets/{dataset}")["columns"]} == {"age", "ill"}


def test_why_a_table_cannot_be_opened_is_told_to_the_owner_alone(home: House):
    """Such a run is refused before it is paid for, so an analyst could ask as often as they like."""
    dataset = home.new_dataset(1.0)
    (home.server.folder(dataset) / "rows.csv").write_bytes(b"age,ward7,ill\n1,no,no\n")  # a disk that fails
    run = start(home, home.analyst, dataset)
    work(home)
    mine, owners = home.analyst.get(f"/runs/{run}"), home.owner.get(f"/runs/{run}")
    assert (mine["state"], mine["cost"]) == ("refused", "Nothing was spent.")
    assert mine["problem"] == (
        "The table could not be opened, or does not fit its schema. Its owner is told why."
    )
    assert "DataError" in owners["problem"]
    assert home.spent(dataset) == 0.0


@pytest.mark.parametrize("mode", ["trusted", "party-noise"])
def test_what_a_party_sends_is_for_the_coordinator_alone(home: House, tmp_path: Path, mode: Any):
    """Sealed rows cannot be read by another party, but their size says how many there are."""
    study = home.owner.post("/studies", {"name": mode})["id"]
    for name in ("contributor", "stranger"):
        home.owner.put(f"/studies/{study}/members/{name}", {"role": "contributor"})
    keys = {name: make_keys(tmp_path / name)[1].read_text() for name in ("north", "south")}
    seal = OneTimeKey.make().public.hex()
    declared = PartyStudy(mode, SCHEMA, 2.0, mode, keys, coordinator=seal if mode == "trusted" else "")
    coordinating = ServerExchange(InProcess(home, "owner"), study)
    coordinating.begin(declared)
    exchange = ServerExchange(InProcess(home, "contributor"), study)
    party = Party(exchange, "north", tmp_path / "north", tmp_path / "north.receipts")
    said = party.step(lambda schema: ArrowSource(people(0)))
    assert said.step == "send"
    for name in ("contributor", "stranger"):
        answer = home.callers[name].ask("GET", f"/studies/{study}/submissions/send/north")
        assert answer.status_code == 403
        assert len(answer.content) < 600
    assert coordinating.get("send/north")["party"] == "north"
    assert exchange.get("study")["mode"] == mode
