"""A study of several parties over a server: the same steps, and nobody can take another's place."""

from __future__ import annotations

import io
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from privet.client.connection import Connection
from privet.errors import DataError, PrivetError
from privet.masking import OneTimeKey
from privet.parties import Coordinator, Party, PartyStudy
from privet.parties.messages import Message
from privet.server.settings import Limits
from privet.service.exchanges import ServerExchange
from privet.signing import make_keys
from tests.parties.conftest import SCHEMA, people
from tests.server.house import House, house

NAMES = ("north", "south", "west")


class InProcess:
    """The client's connection, with the test's own client under it."""

    def __init__(self, house: House, who: str) -> None:
        made = house.callers[who].post("/tokens", {"name": "t", "scopes": ["read", "run", "manage"]})
        self.connection = Connection("http://localhost", made["token"])
        self.connection._http = house.client
        house.client.cookies.clear()
        self.headers = {"Authorization": f"Bearer {made['token']}"}

    def get(self, path):
        return self._done("GET", path)

    def put(self, path, body):
        return self._done("PUT", path, json=body)

    def _done(self, method, path, **more):
        self.connection._http.cookies.clear()
        return self.connection._asked(method, path, repeat=False, headers=self.headers, **more).json()


@pytest.fixture
def study(home, tmp_path):
    """A study on the server, the coordinator's exchange and the contributor's."""
    found = home.owner.post("/studies", {"name": "clinics"})["id"]
    home.owner.put(f"/studies/{found}/members/contributor", {"role": "contributor"})
    keys = {name: make_keys(tmp_path / name)[1].read_text() for name in NAMES}
    server = OneTimeKey.make().public.hex()
    declared = PartyStudy("clinics", SCHEMA, 2.0, "masked", keys, honest=3, coordinator=server)
    coordinating = ServerExchange(InProcess(home, "owner"), found)
    coordinating.begin(declared)
    return declared, coordinating, ServerExchange(InProcess(home, "contributor"), found)


def test_masked_sums_over_the_server(study, tmp_path):
    from privet.sources import ArrowSource

    _, coordinating, contributing = study
    parties = {n: Party(contributing, n, tmp_path / n, tmp_path / f"{n}.receipts") for n in NAMES}
    coordinator = Coordinator(coordinating)

    def everybody():
        for number, party in enumerate(parties.values()):
            party.step(lambda schema, n=number: ArrowSource(people(n)))

    everybody()
    coordinator.step()
    everybody()
    coordinator.step()
    everybody()
    everybody()
    outcome = coordinator.step()
    assert abs(outcome.model.class_count_.sum() - 1200) < 60
    assert contributing.get("result")["losses"]["north"] == "ε = 2"


def test_sealed_rows_are_deleted_on_the_server_once_there_is_a_result(home, tmp_path):
    """And none comes back: not from a party that sends again, and not from one that is late."""
    from privet.sources import ArrowSource

    found = home.owner.post("/studies", {"name": "trusted"})["id"]
    home.owner.put(f"/studies/{found}/members/contributor", {"role": "contributor"})
    keys = {name: make_keys(tmp_path / name)[1].read_text() for name in NAMES}
    key = OneTimeKey.make()
    declared = PartyStudy("clinics", SCHEMA, 2.0, "trusted", keys, coordinator=key.public.hex())
    coordinating = ServerExchange(InProcess(home, "owner"), found)
    coordinating.begin(declared)
    contributing = ServerExchange(InProcess(home, "contributor"), found)
    parties = [Party(contributing, n, tmp_path / n, tmp_path / f"{n}.receipts") for n in NAMES]

    def tables(number):
        return lambda schema: ArrowSource(pa.concat_tables([people(number)] * (150 if number else 1)))

    for number, party in enumerate(parties[:2]):
        party.step(tables(number))
    kept = home.server.settings.home / "submissions" / found / "send"
    assert len(list(kept.iterdir())) == 2
    assert max(file.stat().st_size for file in kept.iterdir()) > Limits().body_bytes  # rows are large
    coordinator = Coordinator(coordinating, key.private)
    result = coordinator.step(close=True).result
    assert list(kept.iterdir()) == []
    coordinator.forget()  # as the command does: there is nothing left to forget
    sealed = json.loads((tmp_path / "north.receipts").read_text())["send"]
    assert "the result is there" in parties[0].step(tables(0)).words
    with pytest.raises(DataError, match="made without you"):
        parties[2].step(tables(2))
    with pytest.raises(DataError, match="was made without this"):
        contributing.put("send/north", sealed)
    assert list(kept.iterdir()) == []
    assert coordinating.get("result") == result


@pytest.mark.parametrize(
    "change",
    [
        {"parties": ["north", "south"]},
        {"parties": {"north": 1, "south": 2}},
        {"epsilon": "much"},
        {"epsilon": True},
        {"reach": 1.5},
        {"order": 3},
        {"order": ["nothing"]},
        {"schema": []},
        {"split": "diagonal"},
        {"name": "\ud800"},
        {"more": 1},
    ],
)
def test_a_study_of_the_wrong_form_is_refused(study, home, change):
    declared, _, _ = study
    other = home.owner.post("/studies", {"name": "another"})["id"]
    body = json.dumps({"document": declared.to_dict() | change}).encode()
    more = {"content": body, "headers": {"Content-Type": "application/json"}}
    answer = home.owner.ask("PUT", f"/studies/{other}/coordination/study", **more)
    assert answer.status_code == 422, answer.text
    assert home.owner.get(f"/studies/{other}/coordination/study") == {"document": None}


def test_who_is_not_a_party_or_has_not_signed_is_refused(study, tmp_path, home):
    declared, coordinating, contributing = study
    forged = Message.signed(declared, "south", "join", {"public": "00" * 32}, tmp_path / "north")
    with pytest.raises(DataError, match="not signed"):
        contributing.say(forged)
    honest = Message.signed(declared, "south", "join", {"public": "00" * 32}, tmp_path / "south")
    contributing.say(honest)
    contributing.say(honest)
    again = Message.signed(declared, "south", "join", {"public": "11" * 32}, tmp_path / "south")
    with pytest.raises(DataError, match="The first one counts"):
        contributing.say(again)
    with pytest.raises(PrivetError):
        contributing.put("join/east", honest.to_dict())
    with pytest.raises(PrivetError):  # only the owner coordinates
        contributing.put("roll", {"parties": list(NAMES)})
    for name in ("../study", "join/..%2F..%2Fx", "join/a.b", "nothing"):
        with pytest.raises(PrivetError):
            coordinating.put(name, {"x": 1})


def test_a_submission_is_read_only_from_members_and_only_so_far(tmp_path):
    with house(tmp_path / "small", limits=Limits(submission_bytes=5000, logins_per_minute=10_000)) as found:
        path = f"/studies/{found.study}/submissions/send/north"
        large = b'{"document": {"x": "' + b"a" * 10_000 + b'"}}'
        assert found.callers["analyst"].ask("PUT", path, content=large).status_code == 403
        assert found.callers["nobody"].ask("PUT", path, content=large).status_code in (401, 403)
        assert found.callers["contributor"].ask("PUT", path, content=large).status_code == 413
        broken = found.callers["contributor"].ask("PUT", path, content=b'{"document": [1')
        assert broken.status_code == 422
        assert broken.json()["errors"]
        assert not list((tmp_path / "small" / "incoming").iterdir())


def test_of_submissions_that_come_at_once_one_is_held_in_memory(study, home, monkeypatch):
    """Before: as many bodies of 100 MB as members sent at the same time."""
    seen, at_once, lock = [], 0, threading.Lock()

    def looked_at(server, caller, study, step, party, place):
        nonlocal at_once
        with lock:
            at_once += 1
            seen.append((at_once, place.stat().st_size))
        time.sleep(0.05)
        with lock:
            at_once -= 1
        return io.BytesIO(b'{"x": 1}')

    monkeypatch.setattr("privet.server.routes.submissions._submit", looked_at)
    who, url = home.callers["contributor"], f"/studies/{study[2]._study}/submissions/join/north"
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(who.ask, "PUT", url, content=b" " * 50_000) for _ in range(4)]
    assert [each.result().json() for each in answers] == [{"document": {"x": 1}}] * 4
    assert seen == [(1, 50_000)] * 4
