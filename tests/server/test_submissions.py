"""A study of several parties over a server: the same steps, and nobody can take another's place."""

from __future__ import annotations

import json

import pytest

from privet.client.connection import Connection
from privet.errors import DataError, PrivetError
from privet.masking import OneTimeKey
from privet.parties import Coordinator, Party, PartyStudy
from privet.parties.messages import Message
from privet.service.exchanges import ServerExchange
from privet.signing import make_keys
from tests.parties.conftest import SCHEMA, people
from tests.server.house import House

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
