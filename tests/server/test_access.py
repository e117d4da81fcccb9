"""Every route × every role × right, wrong and no credentials, from the one table of access."""

from __future__ import annotations

import tempfile
import time
from functools import cache
from typing import Any

import pytest

from privet.server.access import ACCESS, PREFIX, ROLES
from privet.server.store import experiments, people
from tests.server.house import SCHEMA, Caller, House

ROUTES = sorted(ACCESS)
SIGNED_IN = (*ROLES, "stranger", "other", "operator")
STRANGERS = ("stranger", "other", "operator")
PAID_TABLE = {"file": "people.csv"}  # nothing of it is free, so nothing is begun
WRONG = ("nobody", "wrong cookie", "wrong token", "expired token", "revoked token")


class Fresh:
    """Things for a request that is let in to change; made when they are asked for."""

    def __init__(self, house: House, who: Caller) -> None:
        self.house, self.who = house, who

    def run(self, state: str) -> str:
        house = self.house
        if state == "approval":
            study = house.owner.post("/studies", {"name": "careful", "approval": True})["id"]
            for name in ROLES[1:]:
                house.owner.put(f"/studies/{study}/members/{name}", {"role": name})
            before, house.study = house.study, study
            try:
                dataset = house.new_dataset(10.0)
            finally:
                house.study = before
            return str(house.start(house.analyst, house.plan(house.analyst, dataset)["id"])["id"])
        return str(house.start(house.owner, house.plan(house.owner, house.dataset)["id"])["id"])


def request_for(house: House, method: str, path: str, who: Caller, fresh: Fresh | None) -> Any:
    """A valid request to this route: about shared things or, for whoever is let in, about fresh ones."""
    shared = house.__dict__.setdefault("shared", {})
    if not shared:
        done = house.run(house.owner, house.dataset)
        shared |= {
            "run": done["id"],
            "release": done["release"],
            "waiting": Fresh(house, who).run("approval"),
            "experiment": experiment_of(house, house.owner, PAID_TABLE)["id"],
        }
    if path.endswith(("/genotypes", "/variants")) and "genome" not in shared:
        shared["genome"] = genome(house)
    body: Any = None
    more: dict[str, Any] = {}
    values = {
        "study": house.study,
        "dataset": house.dataset,
        "run": shared["run"],
        "release": shared["release"],
        "experiment": shared["experiment"],
        "token": "none",
        "name": "second",
        "plan": "none",
        "step": "join",
        "party": "north",
    }
    name = (method, path)
    if path.endswith(("/genotypes", "/variants")):
        values["dataset"] = shared["genome"]
    if "{plan}" in path:
        asker = who if who.name in ("owner", "analyst") else house.owner
        values["plan"] = house.plan(asker, house.dataset)["id"]
    if path.startswith("/algorithms/"):
        values["name"] = "naive-bayes"
    if path.startswith("/examples/"):
        values["name"], body = "clinic", {"study": house.study}
    if path.endswith(("/approve", "/refuse", "/cancel")):
        values["run"] = fresh.run("approval") if fresh else shared["waiting"]
        if path.endswith("/cancel") and who.name == "auditor":
            values["run"] = shared["waiting"]
    before_opening = ("/draft", "/confirm", "/open", "/rows")
    if fresh and path.startswith("/datasets/") and path.endswith(before_opening):
        values["dataset"] = house.new_dataset(None)
    if name == ("DELETE", "/tokens/{token}") and fresh:
        with house.server.database.write() as connection:
            user = people.named(connection, who.name)
            assert user is not None
            values["token"], _ = people.add_token(connection, user.id, "t", ["read"], time.time() + 60)
    bodies: dict[tuple[str, str], Any] = {
        ("POST", "/session"): {"name": "nobody", "password": "wrong password"},
        ("POST", "/users"): {"name": f"new {time.monotonic_ns()}", "password": "a long password"},
        ("POST", "/tokens"): {"name": "t", "scopes": ["read"]},
        ("POST", "/studies"): {"name": "s"},
        ("PUT", "/studies/{study}/members/{name}"): {"role": "analyst"},
        ("POST", "/datasets"): {"study": house.study, "name": "d"},
        ("POST", "/datasets/{dataset}/draft"): {"target": "ill"},
        ("PUT", "/datasets/{dataset}/schema"): SCHEMA,
        ("POST", "/datasets/{dataset}/schema/confirm"): {"columns": []},
        ("POST", "/datasets/{dataset}/open"): {"epsilon": 1},
        ("PUT", "/datasets/{dataset}/limit"): {"epsilon": 1000},
        ("POST", "/ledger/verify"): {},
        ("POST", "/attacks/membership"): {"epsilon": 1},
        ("POST", "/flows/check"): {"dataset": house.dataset, "flow": {"steps": {"people": {"do": "source"}}}},
        ("POST", "/flows/read"): {"dataset": house.dataset, "text": "[steps.people]\ndo = 'source'\n"},
    }
    if path.startswith("/experiments/{") and fresh:  # one's own: those of others do not exist
        free = path.endswith(("/pause", "/resume"))
        made = experiment_of(house, who, {"made_up": "people.schema.toml"} if free else PAID_TABLE)
        values["experiment"] = made["id"]
        if free:
            state = "running" if path.endswith("/pause") else "paused"
            with house.server.database.write() as connection:
                experiments.change(connection, made["id"], ("running", "done"), state=state)
    if path.endswith("/measure"):
        body = {"agreed": "ε = 0.2 of people"}
    if path in ("/experiments", "/experiments/price"):
        body = {"dataset": house.dataset, "document": experiment_with(PAID_TABLE)}
    if path == "/experiments/parts":
        more["params"] = {"dataset": house.dataset}
    if path == "/connections/{connection}":
        (house.server.settings.home / "connections.toml").write_text(
            '[clinic]\naddress = "postgresql://u:secret@nowhere/db"\ntables = ["people"]\n'
        )
        values["connection"], body = "clinic", {"table": "people", "study": house.study}
    if "/coordination/" in path:
        values["name"], body = "study", {"document": party_study()[0]}
    if "/submissions/" in path:
        body = {"document": party_study()[1]}
        if fresh:
            house.owner.put(f"/studies/{house.study}/coordination/study", {"document": party_study()[0]})
    if method == "GET":
        body = None
    body = bodies.get(name, body)
    if path in ("/plans", "/forecasts"):
        body = {"use_case": "fit", "dataset": house.dataset, "algorithm": "naive-bayes"}
    if "/perturb" in path:
        body = {"algorithm": "additive"}
        body |= {"says": "the table is mine"} if "{dataset}" in path else {"dataset": house.dataset}
    if name == ("POST", "/runs"):
        asker = who if who.name in ("owner", "analyst") else house.owner
        body = {"plan": house.plan(asker, house.dataset)["id"]}
        more["headers"] = {"Idempotency-Key": f"k{time.monotonic_ns()}"}
    if name == ("PUT", "/datasets/{dataset}/rows"):
        more |= {"params": {"filename": "a.csv"}, "content": b"a,b\n1,2\n"}
    elif name == ("PUT", "/datasets/{dataset}/public"):
        rows = b"age,smoker,ill\n40,no,no\n"
        more |= {"params": {"filename": f"a{time.monotonic_ns()}.csv"}, "content": rows}
    elif body is not None:
        more["json"] = body
    if name == ("DELETE", "/studies/{study}/members/{name}") and fresh:
        values["name"] = "second"
        house.owner.put(f"/studies/{house.study}/members/second", {"role": "analyst"})
    return path.format(**values), more


def experiment_with(table: dict[str, Any]) -> dict[str, Any]:
    """A small grid over one table."""
    return {
        "epsilons": [0.1],
        "repetitions": 1,
        "folds": 2,
        "score_epsilon": 0.1,
        "data": {"people": table},
        "algorithms": {"one-r": {}},
    }


def experiment_of(house: House, who: Caller, table: dict[str, Any]) -> Any:
    return who.post("/experiments", {"dataset": house.dataset, "document": experiment_with(table)})


def genome(house: House) -> str:
    """A study of genotypes, opened."""
    made = house.owner.post("/examples/genome", {"study": house.study})["id"]
    house.owner.post(f"/datasets/{made}/schema/confirm", {"columns": ["phenotype"]})
    house.owner.post(f"/datasets/{made}/open", {"epsilon": 1})
    return str(made)


@cache
def party_study() -> tuple[dict[str, Any], dict[str, Any]]:
    """The file of a study of several parties, and what one of them says."""
    from privet.parties import PartyStudy
    from privet.parties.messages import Message
    from privet.schema import Schema
    from privet.signing import make_keys

    schema = Schema.of({"cough": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    with tempfile.TemporaryDirectory() as folder:
        private, public = make_keys(f"{folder}/north")
        keys = {"north": public.read_text(), "south": public.read_text()}
        study = PartyStudy("s", schema, 1.0, "masked", keys, honest=2)
        message = Message.signed(study, "north", "join", {"public": "00" * 32}, private)
    return study.to_dict(), message.to_dict()


def let_in(method: str, path: str, who: str) -> bool:
    """What the table says."""
    rule = ACCESS[method, path]
    if rule.who == "role":
        return who in rule.roles
    return {
        "anybody": True,
        "signed in": True,
        "owner": who in ("owner", "other"),
        "owner or operator": who in ("owner", "other", "operator"),
        "overseer": who in ("owner", "auditor", "operator"),
    }[rule.who]


def test_the_table_names_every_route_and_no_other(home: House):
    there = {
        (method.upper(), path.removeprefix(PREFIX))
        for path, methods in home.app.openapi()["paths"].items()
        for method in methods
    }
    assert there == set(ACCESS)


@pytest.mark.parametrize("who", SIGNED_IN)
def test_each_role_gets_what_the_table_says(home: House, who: str):
    caller = home.callers[who]
    wrong = []
    for method, path in ROUTES:
        if (method, path) == ("DELETE", "/session") or path.startswith("/oidc"):
            continue  # tested on their own: they end the session, or lead elsewhere
        allowed = let_in(method, path, who)
        place, more = request_for(home, method, path, caller, Fresh(home, caller) if allowed else None)
        status = caller.ask(method, place, **more).status_code
        if (method, path) == ("POST", "/session"):
            right = status == 401  # a wrong password, whoever brings it
        elif allowed:
            right = 200 <= status < 300
        elif ACCESS[method, path].who == "role" and who in STRANGERS:
            right = status == 404  # to strangers it does not exist
        else:
            right = status == 403
        if not right:
            wrong.append((method, path, status, allowed))
    assert wrong == []


@pytest.mark.parametrize("who", WRONG)
def test_without_the_right_credentials_nothing_is_let_in(home: House, who: str):
    caller = home.callers.get(who) or made(home, who)
    for method, path in ROUTES:
        if ACCESS[method, path].who == "anybody":
            continue
        place, more = request_for(home, method, path, home.owner, None)
        assert caller.ask(method, place, **more).status_code == 401, (method, path)


def made(home: House, who: str) -> Caller:
    """The owner's token, ended in one way or the other."""
    with home.server.database.write() as connection:
        user = people.named(connection, "owner")
        assert user is not None
        end = time.time() + (-1 if who.startswith("expired") else 60)
        token, secret = people.add_token(connection, user.id, "t", ["read", "plan", "run", "manage"], end)
        if who.startswith("revoked"):
            people.end_token(connection, user.id, token)
    return Caller(home.client, who, token=secret)


@pytest.mark.parametrize("scope", ["read", "plan", "run", "manage"])
def test_a_token_opens_what_its_scope_says(home: House, scope: str):
    made = home.owner.post("/tokens", {"name": scope, "scopes": [scope]})
    caller = Caller(home.client, "owner", token=made["token"])
    for method, path in ROUTES:
        rule = ACCESS[method, path]
        if rule.who == "anybody" or (method, path) == ("POST", "/users"):
            continue
        place, more = request_for(home, method, path, home.owner, Fresh(home, home.owner))
        status = caller.ask(method, place, **more).status_code
        assert (200 <= status < 300) if rule.scope == scope else status == 403, (method, path, status)
