"""Hostile guests: forged headers, other sites, odd names, files that are not what they say."""

from __future__ import annotations

import gzip
import io
import logging
import pickle
import resource
import time
import zipfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, text, update

from privet.budget import chain
from privet.server.logs import Lines
from privet.server.settings import Limits
from privet.server.store import moments, people, studies
from privet.server.tables import audit, sessions, tokens, users
from tests.server.house import HOST, LIMITS, SCHEMA, Caller, House, house

ODD = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "../../../etc/passwd",
    "..\\..\\boot.ini",
    "'; DROP TABLE users; --",
    '" OR 1=1 --',
    "{{7*7}} ${7*7}",
    "a" * 200,
    "имя ε 患者 🙂",
    "%2e%2e%2f",
    "CON",
)
#: Nobody sees such blanks: a role would be given to somebody else than was meant.
UNSEEN = (" owner", "owner ", "two  blanks")
IMPOSSIBLE = ("", " ", "nul\0l", "two\nlines", "a" * 201, "\x1b[31m")


def upload(house: House, name: str, content: bytes, dataset: str | None = None, **more: Any) -> Any:
    dataset = dataset or house.owner.post("/datasets", {"study": house.study, "name": "up"})["id"]
    return house.owner.ask(
        "PUT", f"/datasets/{dataset}/rows", params={"filename": name}, content=content, **more
    )


def left_over(house: House) -> list[Path]:
    return list((house.server.settings.home / "incoming").glob("*"))


# Who one is


@pytest.mark.parametrize(
    "header",
    [
        "X-Forwarded-User",
        "X-Remote-User",
        "Remote-User",
        "X-User",
        "X-Forwarded-Email",
        "X-Auth-Request-User",
    ],
)
def test_nobody_is_somebody_because_a_header_says_so(home: House, header: str):
    forged = Caller(home.client, "forged", headers={header: "owner", "X-Forwarded-For": "127.0.0.1"})
    assert forged.ask("GET", "/session").status_code == 401
    analyst = replace(home.analyst, headers={header: "owner"})
    assert analyst.get("/session")["user"]["name"] == "analyst"
    assert analyst.ask("GET", f"/studies/{home.study}/audit").status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""])
def test_another_host_name_is_refused_also_on_this_machine(home: House, host: str):
    answer = home.owner.ask("GET", "/session", headers={"Host": host})
    assert answer.status_code == 421
    assert home.client.get("/health", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "localhost:8440", "127.0.0.1:1", "[::1]", "[::1]:8440"])
def test_this_machine_is_known_by_its_names(home: House, host: str):
    origin = {"Host": host, "Origin": f"http://{host}"}
    assert home.owner.ask("POST", "/studies", json={"name": "s"}, headers=origin).status_code == 201


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Origin": HOST, "Sec-Fetch-Site": "cross-site"},
        {"Origin": HOST, "Sec-Fetch-Site": "same-site"},
        {"Origin": ""},
    ],
)
def test_another_sites_page_changes_nothing(home: House, headers: dict[str, str]):
    for method, path, body in (
        ("POST", "/studies", {"name": "s"}),
        ("PUT", f"/studies/{home.study}/members/stranger", {"role": "owner"}),
        ("DELETE", "/session", None),
        ("POST", "/session", {"name": "owner", "password": "x"}),
    ):
        assert home.owner.ask(method, path, json=body, headers=headers).status_code == 403, path
    assert home.owner.ask("GET", "/session").status_code == 200


def test_a_cookie_alone_does_not_change_anything(home: House):
    """A request that does not say which page it comes from is not a browser's, and programs use tokens."""
    cookie = {"Cookie": f"privet_session={home.owner.cookie}"}
    bare = home.client.post("/api/v1/studies", json={"name": "s"}, headers=cookie)
    assert bare.status_code == 403


def test_a_session_ends_when_it_is_signed_out_expires_or_its_time_is_over(home: House):
    with home.server.database.write() as connection:
        owner = people.named(connection, "owner")
        assert owner is not None
        first, second = (people.new_session(connection, owner.id, 1.0) for _ in range(2))
    one, two = (Caller(home.client, "owner", cookie=secret) for secret in (first, second))
    assert one.ask("DELETE", "/session").status_code == 204
    assert one.ask("GET", "/session").status_code == 401
    assert two.ask("GET", "/session").status_code == 200
    with home.server.database.write() as connection:
        connection.execute(
            update(sessions).where(sessions.c.user == owner.id, sessions.c.expires < time.time() + 3600.5)
            .where(sessions.c.digest == people.digest(second)).values(expires=time.time() - 1)
        )  # fmt: skip
    assert two.ask("GET", "/session").status_code == 401


def test_there_is_no_account_to_begin_with(tmp_path: Path):
    from privet.server.database import Database
    from privet.server.settings import Settings

    database = Database(Settings(tmp_path))
    database.prepare()
    with database.read() as connection:
        assert people.all_users(connection) == []
    database.close()


def test_passwords_and_tokens_are_not_kept(home: House):
    home.owner.post("/users", {"name": "kept", "password": "a secret sentence"})
    made = home.owner.post("/tokens", {"name": "t", "scopes": ["read"]})
    with home.server.database.read() as connection:
        password = connection.execute(select(users.c.password).where(users.c.name == "kept")).scalar()
        digests = list(connection.execute(select(tokens.c.digest)).scalars())
    assert password.startswith("$argon2id$")
    assert made["token"] not in digests
    assert made["token"] not in str(home.owner.get("/tokens"))
    files = [p for p in home.server.settings.home.rglob("*.db*") if p.is_file()]
    assert files
    for secret in ("a secret sentence", made["token"], str(home.owner.cookie)):
        assert not any(secret.encode() in path.read_bytes() for path in files)
    answer = home.client.post("/api/v1/session", json={"name": "kept", "password": "a secret sentence"})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    home.client.cookies.clear()


def test_a_password_is_not_guessed(tmp_path: Path):
    limits = replace(LIMITS, logins_per_minute=5, plans_per_minute=3)
    with house(tmp_path, limits=limits) as found:
        body = {"name": "owner", "password": "a wrong password"}
        codes = [found.client.post("/api/v1/session", json=body).status_code for _ in range(7)]
        assert codes == [401] * 5 + [429] * 2
        # Who has no account is told just the same as who has one.
        other = found.client.post("/api/v1/session", json=body | {"name": "no such user"})
        known = found.client.post("/api/v1/session", json=body | {"name": "analyst"})
        assert other.json() == known.json()
        body = {"use_case": "fit", "dataset": found.dataset, "algorithm": "naive-bayes"}
        codes = [found.analyst.ask("POST", "/plans", json=body).status_code for _ in range(5)]
        assert codes == [201] * 3 + [429] * 2


def test_the_operator_can_spend_nothing(home: House):
    answer = home.owner.ask("PUT", f"/studies/{home.study}/members/operator", json={"role": "owner"})
    assert answer.status_code == 409
    assert home.operator.ask("POST", "/studies", json={"name": "mine"}).status_code == 403


# Names


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_names_and_nothing_else(home: House, name: str):
    study = home.owner.post("/studies", {"name": name})
    assert study["name"] == name
    dataset = home.owner.post("/datasets", {"study": study["id"], "name": name})
    assert dataset["name"] == name
    assert set(dataset["id"]) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    stored = upload(home, f"{name[-100:]}.csv", b"a,b\n1,2\n", dataset["id"])
    assert stored.status_code == 200, stored.text
    assert [p.name for p in home.server.folder(dataset["id"]).iterdir()] == ["rows.csv"]
    home.owner.ask("POST", "/users", json={"name": name, "password": "a long password"})
    assert name in {user["name"] for user in home.owner.get("/users")}
    token = home.owner.post("/tokens", {"name": name, "scopes": ["read"]})
    assert token["name"] == name
    answer = home.owner.ask("GET", "/studies")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    with home.server.database.read() as connection:
        assert people.named(connection, "owner") is not None  # no table was dropped


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_names_that_cannot_be_printed_are_refused(home: House, name: str):
    for path, body in (
        ("/studies", {"name": name}),
        ("/datasets", {"study": home.study, "name": name}),
        ("/users", {"name": name, "password": "a long password"}),
        ("/tokens", {"name": name, "scopes": ["read"]}),
    ):
        assert home.owner.ask("POST", path, json=body).status_code == 422, path


@pytest.mark.parametrize("name", UNSEEN)
def test_nobody_is_called_like_somebody_else_but_for_blanks(home: House, name: str):
    body = {"name": name, "password": "a long password"}
    assert home.owner.ask("POST", "/users", json=body).status_code == 422


@pytest.mark.parametrize("column", ["<b>x</b>", "../x", "'; DROP TABLE runs; --", "a\u202eb"])
def test_odd_columns_are_columns_and_nothing_else(home: House, column: str):
    header = f'"{column}",ill\n'
    dataset = home.owner.post("/datasets", {"study": home.study, "name": "odd"})["id"]
    rows = header + "".join(f"{k % 7},{'yes' if k % 2 else 'no'}\n" for k in range(60))
    assert upload(home, "x.csv", rows.encode(), dataset).status_code == 200
    drafted = home.owner.post(f"/datasets/{dataset}/draft", {"target": "ill"})
    assert column in {each["name"] for each in drafted["columns"]}
    home.owner.post(
        f"/datasets/{dataset}/schema/confirm", {"columns": [c["name"] for c in drafted["columns"]]}
    )
    home.owner.post(f"/datasets/{dataset}/open", {"epsilon": 1})
    done = home.run(home.owner, dataset)
    assert done["state"] == "released"
    report = home.owner.ask("GET", f"/releases/{done['release']}/report").text
    assert "<b>x</b>" not in report


@pytest.mark.parametrize("place", ["%00", "..%2f..", "%2e%2e", "a" * 500, "'%20OR%201=1"])
def test_odd_ids_name_nothing(home: House, place: str):
    for path in (f"/datasets/{place}", f"/runs/{place}", f"/releases/{place}", f"/studies/{place}"):
        assert home.owner.ask("GET", path).status_code in (404, 422), path
    assert home.owner.ask("DELETE", f"/tokens/{place}").status_code in (404, 405)
    assert home.owner.ask("GET", f"/algorithms/{place}").status_code == 404
    assert home.client.get(f"/{place}").status_code in (200, 404)


def test_no_file_of_the_machine_is_served(home: House):
    for place in (
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/../../tables.py",
        "//etc/passwd",
    ):
        answer = home.client.get(place)
        assert b"root:" not in answer.content
        assert b"sqlalchemy" not in answer.content


# Bodies


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b'{"name": "\\ud800"}',
        b'{"name": NaN}',
        b"[" * 50_000,
        b'{"name":' * 100_000,
        b'{"name": ' + b"[" * 400_000 + b"]" * 400_000 + b"}",
        b'{"name": ' + b"9" * 900_000 + b"}",
        b'{"name": 1e999999}',
        b'{"name": "a", "name": ["b"]}',
        b'{"name": "a", "approval": 1e5}',
        b"\xff\xfe",
    ],
)
def test_a_body_that_is_no_json_of_the_right_form_is_refused(home: House, body: bytes):
    answer = home.owner.ask("POST", "/studies", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["cost"] == "Nothing was spent."


@pytest.mark.parametrize(
    "number", ["9" * 5000, "-1e-99999", "1e999999", "0x10", "Infinity", '"' + "9" * 9999 + '"']
)
def test_numbers_that_no_machine_holds_are_refused(home: House, number: str):
    for path, body in (
        (
            "/plans",
            f'{{"use_case": "fit", "dataset": "{home.dataset}", "parameters": {{"epsilon": {number}}}}}',
        ),
        (f"/datasets/{home.dataset}/limit", f'{{"epsilon": {number}}}'),
        ("/attacks/membership", f'{{"epsilon": {number}}}'),
        ("/ledger/verify", f'{{"head": {number}}}'),
    ):
        method = "PUT" if path.endswith("limit") else "POST"
        answer = home.owner.ask(method, path, content=body, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500, (path, answer.text)


def test_a_body_that_is_too_large_is_refused(home: House):
    answer = home.owner.ask("POST", "/studies", content=b'{"name": "' + b"a" * 2_000_000 + b'"}')
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "parameters",
    [
        {"seed": 1},
        {"public": True},
        {"owner_says": "it is fine"},
        {"output": "/tmp/x"},
        {"data": "/etc/passwd"},
        {"schema": "infer"},
        {"ledger": None},
        {"random_state": 7},
        {"engine": "duckdb"},
        {"sign_key": "/etc/passwd"},
        {"report": "x.html"},
        {"__class__": "x"},
        {"epsilon": "1; DROP TABLE runs"},
        {"epsilon": -1},
        {"epsilon": 0},
        {"epsilon": None},
        {"epsilon": {"$gt": 0}},
        {"bins": 10**30},
        {"bins": "\ud800"},
        {"bins": [[[[[[[[[[1]]]]]]]]]]},
    ],
)
def test_a_plan_takes_declared_parameters_and_nothing_else(home: House, parameters: dict[str, Any]):
    import json

    body = {"use_case": "fit", "dataset": home.dataset, "algorithm": "naive-bayes", "parameters": parameters}
    answer = home.analyst.ask(
        "POST", "/plans", content=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["cost"] == "Nothing was spent."


@pytest.mark.parametrize(
    "case", ["aggregate", "perturb", "ledger open", "export", "keys", "serve", "nothing"]
)
def test_only_use_cases_that_measure_can_be_planned(home: House, case: str):
    body = {"use_case": case, "dataset": home.dataset, "algorithm": "naive-bayes"}
    assert home.analyst.ask("POST", "/plans", json=body).status_code == 422


def test_the_parameters_that_use_cases_take_over_the_api_are_these(home: House):
    """Pinned: a parameter that names a file, code or an owner's word must not slip in with a new one."""
    taken = {each["name"]: set(each["json_schema"]["properties"]) for each in home.owner.get("/use-cases")}
    assert taken == {
        "fit": set(),
        "evaluate": {"epsilon", "delta"},
        "diagnose": {"epsilon", "delta", "bins", "positive"},
        "compare-models": {"epsilon", "delta"},
        "cross-validate": {"folds", "repeats", "score_epsilon", "score_delta"},
        "select": set(),
        "prepare": set(),
        "describe": {"epsilon", "delta", "bins"},
        "query": {"epsilon", "delta", "sql", "error"},
        "flow run": set(),  # its document has a check of its own
        "gwas top-snps": {"delta", "epsilon", "k", "mechanism", "score", "tau", "test", "values"},
        "gwas count-significant": {"delta", "epsilon", "most", "tau", "test"},
    }


@pytest.mark.parametrize(
    "parameters",
    [
        {"sql": "SELECT COUNT(*) FROM data", "public": ["x=/etc/passwd"]},
        {"sql": "SELECT * FROM read_csv('/etc/passwd')"},
        {"sql": "SELECT COUNT(*) FROM data; DROP TABLE users"},
        {"sql": "SELECT age FROM data"},
        {"sql": "(" * 5000},
        {},
    ],
)
def test_a_question_in_sql_is_one_that_can_be_answered_privately(home: House, parameters: dict[str, Any]):
    body = {"use_case": "query", "dataset": home.dataset, "parameters": parameters}
    assert home.analyst.ask("POST", "/plans", json=body).status_code == 422


@pytest.mark.parametrize("name", ["sample-aggregate", "streaming-naive-bayes", "os.system", "geometric", ""])
def test_only_algorithms_of_the_use_case_can_be_planned(home: House, name: str):
    body = {"use_case": "fit", "dataset": home.dataset, "algorithm": name}
    assert home.analyst.ask("POST", "/plans", json=body).status_code == 422


def test_a_release_of_another_dataset_or_study_is_no_model_here(home: House):
    one, two = home.new_dataset(1.0), home.new_dataset(1.0)
    done = home.run(home.analyst, one)
    body = {
        "use_case": "evaluate",
        "dataset": two,
        "release": done["release"],
        "parameters": {"epsilon": 0.1},
    }
    assert home.analyst.ask("POST", "/plans", json=body).status_code == 422
    practised = home.run(home.analyst, one, practice=True)
    body |= {"dataset": one, "release": practised["release"]}
    assert home.analyst.ask("POST", "/plans", json=body).status_code == 422


# Files


def test_an_upload_that_is_too_large_is_cut_off_and_leaves_nothing(tmp_path: Path):
    limits = Limits(upload_bytes=10_000, logins_per_minute=10_000)
    with house(tmp_path, limits=limits) as found:
        rows = b"a,b\n" + b"1,2\n" * 5_000
        assert upload(found, "x.csv", rows).status_code == 413

        def drops() -> Any:  # without saying how much will come
            yield b"a,b\n"
            for _ in range(20):
                yield b"1,2\n" * 1000

        dataset = found.owner.post("/datasets", {"study": found.study, "name": "up"})["id"]
        path = f"/datasets/{dataset}/rows?filename=x.csv"
        assert found.owner.ask("PUT", path, content=drops()).status_code == 413
        assert left_over(found) == []
        assert found.owner.get(f"/datasets/{dataset}")["source"] is None


def test_an_upload_that_breaks_off_leaves_nothing(home: House):
    dataset = home.owner.post("/datasets", {"study": home.study, "name": "up"})["id"]
    answer = upload(home, "x.csv", b"a,b\n1,2\n", dataset, headers={"Content-Length": "100000"})
    assert answer.status_code == 400
    assert left_over(home) == []
    assert home.owner.get(f"/datasets/{dataset}")["source"] is None


def test_an_upload_to_a_full_disk_leaves_nothing(home: House):
    """The operating system refuses to write beyond a limit, as it does where there is no room."""
    dataset = home.owner.post("/datasets", {"study": home.study, "name": "up"})["id"]
    rows, before = b"a,b\n" + b"1,2\n" * 5_000_000, resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_000_000, before[1]))
    try:
        answer = upload(home, "x.csv", rows, dataset)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert answer.status_code == 507
    assert answer.json()["cost"] == "Nothing was spent."
    assert left_over(home) == []
    assert home.owner.get(f"/datasets/{dataset}")["source"] is None
    assert upload(home, "x.csv", b"a,b\n1,2\n", dataset).status_code == 200  # once there is room again


def _xlsx(part: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", part)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        ("x.xlsx", _xlsx(b"0" * 60_000_000), 413),  # a zip bomb
        ("x.xlsx", b"not a zip file", 422),
        ("x.xlsx", _xlsx(b"<a>")[:-30], 422),
        ("x.xlsx", _xlsx(b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"), 422),
        ("x.csv.gz", b"not gzip", 422),
        ("x.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-4], 422),
        ("x.parquet", b"PAR1 nothing PAR1", 422),
        ("x.parquet", b"a,b\n1,2\n", 422),
        ("x.arff", b"a,b\n1,2\n", 422),
        ("x.csv", b"\x00\xff\xfe\x00binary", 422),
        ("x.csv", b"", 422),
        ("x.csv", b"a,b\n", 422),
        ("x.pkl", pickle.dumps({"a": 1}), 415),
        ("x.pickle", pickle.dumps({"a": 1}), 415),
        ("x.py", b"import os", 415),
        ("https://evil.example/x", b"a\n1\n", 415),
        ("", b"a\n1\n", 415),
    ],
    # A zip file says when it was made, so names made of contents would differ from process to process.
    ids=lambda value: f"{len(value)} bytes" if isinstance(value, bytes) else None,
)  # fmt: skip
def test_a_file_that_is_not_what_it_says_is_not_stored(home: House, name: str, content: bytes, status: int):
    answer = upload(home, name, content)
    assert answer.status_code == status, answer.text
    assert left_over(home) == []


def test_a_bomb_in_gzip_is_not_unpacked(tmp_path: Path):
    limits = replace(LIMITS, unpacked_bytes=1_000_000)
    with house(tmp_path, limits=limits) as found:
        bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000)
        assert upload(found, "x.csv.gz", bomb).status_code == 413
        assert left_over(found) == []


def test_the_very_same_table_has_one_budget_in_a_study_and_is_no_oracle_in_another(home: House):
    rows = b"age,smoker,ill\n" + b"30,no,no\n40,yes,yes\n" * 40

    def opened(who: Caller, study: str) -> Any:
        made = who.post("/datasets", {"study": study, "name": "same"})["id"]
        stored = who.ask("PUT", f"/datasets/{made}/rows?filename=x.csv", content=rows)
        assert stored.status_code == 200
        who.put(f"/datasets/{made}/schema", SCHEMA)
        return who.ask("POST", f"/datasets/{made}/open", json={"epsilon": 1})

    assert opened(home.owner, home.study).status_code == 200
    assert opened(home.owner, home.study).status_code == 409
    theirs = home.other.post("/studies", {"name": "elsewhere"})["id"]
    assert opened(home.other, theirs).status_code == 200  # or a guessed table would be recognised


# What is said


def test_no_error_and_no_log_line_holds_a_cell(home: House, caplog: pytest.LogCaptureFixture):
    secret = "Zebulon4711"
    rows = "age,smoker,ill\n" + f"{secret},no,no\n" * 30 + "41,yes,yes\n"
    dataset = home.owner.post("/datasets", {"study": home.study, "name": "secret"})["id"]
    assert upload(home, "x.csv", rows.encode(), dataset).status_code == 200
    home.owner.put(f"/datasets/{dataset}/schema", SCHEMA)
    said = [home.owner.ask("POST", f"/datasets/{dataset}/open", json={"epsilon": 1}).text]
    said.append(home.owner.ask("POST", f"/datasets/{dataset}/draft", json={"target": "nothing"}).text)
    stored = home.server.folder(dataset) / "rows.csv"
    stored.write_bytes(b'"' + secret.encode() + b"\xff\n" * 10)
    said.append(home.owner.ask("POST", f"/datasets/{dataset}/draft", json={"target": "ill"}).text)
    done = home.run(home.owner, home.dataset)
    said.append(str(home.owner.get(f"/runs/{done['id']}")))
    lines = [Lines().format(record) for record in caplog.records]
    assert not any(secret in each for each in (*said, *lines))


def test_a_log_line_holds_words_and_kinds_and_no_text_of_an_error():
    try:
        raise ValueError("a cell: Zebulon4711")
    except ValueError as error:
        record = logging.LogRecord("privet.server", 40, "", 1, "run failed", (), (ValueError, error, None))
    line = Lines().format(record)
    assert '"kind": "ValueError"' in line
    assert "Zebulon" not in line
    foreign = logging.LogRecord("sqlalchemy.engine", 40, "", 1, "INSERT %s", ("Zebulon",), None)
    assert "Zebulon" not in Lines().format(foreign)


def test_a_draft_is_shown_to_its_owner_alone(home: House):
    dataset = home.owner.post("/datasets", {"study": home.study, "name": "drafted"})["id"]
    rows = "age,ill\n" + "".join(f"{k},{'yes' if k % 2 else 'no'}\n" for k in range(31, 73))
    assert upload(home, "x.csv", rows.encode(), dataset).status_code == 200
    home.owner.post(f"/datasets/{dataset}/draft", {"target": "ill"})
    assert home.owner.get(f"/datasets/{dataset}/schema")["columns"]
    for who in (home.analyst, home.auditor):
        assert who.get(f"/datasets/{dataset}/schema")["columns"] == []
        assert who.get(f"/datasets/{dataset}")["columns"] == []
    assert home.analyst.ask("GET", f"/algorithms?dataset={dataset}").status_code == 404


def test_every_answer_forbids_what_browsers_should_not_do(home: House):
    for answer in (home.client.get("/"), home.owner.ask("GET", "/session"), home.client.get("/api/v1/no")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
    assert home.owner.ask("GET", "/session").headers["cache-control"] == "no-store"


# What is written down


def test_the_audit_log_notices_every_change(tmp_path: Path):
    with house(tmp_path) as found:
        shown = found.auditor.get(f"/studies/{found.study}/audit")
        assert shown["intact"]
        assert shown["entries"][0]["what"] == "began the study"
        changes = (
            update(audit).where(audit.c.number == 3).values(who="somebody else"),
            update(audit).where(audit.c.number == 3).values(about="{}"),
            delete(audit).where(audit.c.number == 3),
            text("UPDATE audit SET number = 1000 WHERE number = 3"),
        )
        for change in changes:
            with found.server.database.engine.connect() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                connection.execute(change)
                from privet.server.store.audit import intact

                assert not intact(connection)
                connection.exec_driver_sql("ROLLBACK")
        assert found.auditor.get(f"/studies/{found.study}/audit")["intact"]


def test_a_clock_that_jumps_ends_sessions_and_nothing_else(home: House, monkeypatch: pytest.MonkeyPatch):
    """Back and forth by three years: for sessions and tokens, and for the times that are written down."""
    dataset, shift, real = home.new_dataset(1.0), timedelta(), time.time

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz) + shift

    monkeypatch.setattr(people.time, "time", lambda: real() + shift.total_seconds())
    monkeypatch.setattr(moments, "datetime", Clock)
    monkeypatch.setattr(chain, "datetime", Clock)
    shift = timedelta(days=-1000)
    first = home.run(home.analyst, dataset)
    assert (first["state"], first["finished"][:4]) == ("released", str((datetime.now() + shift).year))
    shift = timedelta(days=1000)
    assert home.analyst.ask("GET", "/session").status_code == 401
    shift = timedelta()
    second = home.run(home.analyst, dataset)
    assert second["state"] == "released"
    assert home.spent(dataset) == pytest.approx(0.2)
    assert home.owner.post("/ledger/verify")["intact"]
    # The order is that in which things came, not that of the clock.
    assert [run["id"] for run in home.analyst.get(f"/runs?dataset={dataset}")] == [second["id"], first["id"]]
    assert home.auditor.get(f"/studies/{home.study}/audit")["intact"]


def test_a_study_keeps_an_owner(home: House):
    study = home.owner.post("/studies", {"name": "s"})["id"]
    assert home.owner.ask("DELETE", f"/studies/{study}/members/owner").status_code == 409
    assert (
        home.owner.ask("PUT", f"/studies/{study}/members/owner", json={"role": "analyst"}).status_code == 409
    )
    with home.server.database.read() as connection:
        owner = people.named(connection, "owner")
        assert owner is not None
        assert studies.role_of(connection, study, owner.id) == "owner"


def test_the_key_of_the_workbench_works_once(tmp_path: Path):
    with house(tmp_path, mode="workbench", key="the key") as found:
        with found.server.database.write() as connection:
            people.add_user(connection, "you", None, owner=True)
        sign_in = lambda key: found.client.post("/api/v1/session", json={"key": key}).status_code  # noqa: E731
        assert sign_in("another key") == 401
        assert sign_in("the key") == 200
        found.client.cookies.clear()
        assert sign_in("the key") == 401
        # An account without a password cannot be signed in to with any.
        body = {"name": "you", "password": "None"}
        assert found.client.post("/api/v1/session", json=body).status_code == 401
