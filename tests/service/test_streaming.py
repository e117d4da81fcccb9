"""``privet stream``: from files and from standard input, with a clock, checkpoints and a ledger."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from privet.budget import Ledger, budget
from privet.cli import app
from privet.errors import DataError, LedgerError, ParameterError, SchemaError
from privet.model import load_model
from privet.schema import Schema, Unit, write_schema
from privet.service import Session, Stream
from privet.service.arrivals import arriving
from privet.sources.options import PLAIN, ReadOptions

WHAT = {"age": (0, 120), "sex": ["f", "m"], "ill": ["no", "yes"]}
SCHEMA = Schema.of(WHAT, target="ill", dataset="people")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    ill = draw.integers(0, 2, 600)
    age = np.clip(40 + 30 * ill + draw.normal(0, 8, 600), 0, 120).round()
    lines = [f"{a:.0f},{'fm'[i % 2]},{('no', 'yes')[i]}" for a, i in zip(age, ill, strict=True)]
    Path("people.csv").write_text("\n".join(["age,sex,ill", *lines]) + "\n")
    write_schema(SCHEMA, "people.toml")
    write_schema(Schema.of(WHAT, target="ill", unit=Unit("replace")), "exchanged.toml")
    return tmp_path


def stream(**more):
    given = {"algorithm": "streaming-naive-bayes", "data": "people.csv", "schema": "people.toml",
             "output": "model.json", "parameters": {"epsilon": 1.0, "horizon": 8}}  # fmt: skip
    return Stream(**(given | more))


def piped(text: bytes, *, close: bool = True) -> tuple[int, int]:
    reading, writing = os.pipe()
    os.write(writing, text)
    if close:
        os.close(writing)
    return reading, writing


def test_a_file_is_one_step(folder):
    result = stream().run(Session())
    assert result.guarantee.holds
    assert "after 1 step and written" in result.text()
    model = load_model("model.json")
    assert list(model.predict([[30, "f"], [80, "m"]])) == ["no", "yes"]
    assert "people" not in json.dumps(json.loads(Path("model.json").read_text())["learned"])


def test_the_command_and_what_follows_it(folder):
    def run(*words, code=0):
        ended = CliRunner().invoke(app, [str(word) for word in words])
        assert ended.exit_code == code, (ended.stdout, ended.stderr, ended.exception)
        return ended

    data = ("people.csv", "--schema", "people.toml", "--epsilon", "2")
    run("stream", "naive-bayes", *data, "--no-ledger", "-o", "model.json")
    run("predict", "model.json", "people.csv", "-o", "predicted.csv")
    assert len(Path("predicted.csv").read_text().splitlines()) == 601
    assert "streaming-naive-bayes" in run("model", "show", "model.json").stdout
    scores = json.loads(
        run("evaluate", "model.json", "people.csv", "--public", "--no-ledger", "--json").stdout
    )
    assert scores["labels"] == ["no", "yes"]
    run("ledger", "open", "people.csv", "-s", "people.toml", "--epsilon", "3")
    planned = json.loads(run("stream", "naive-bayes", *data, "--dry-run", "--json").stdout)
    assert planned["amount"]["epsilon"] in (2, 2.0, "2")
    assert planned["dataset"] == "people"
    run("stream", "naive-bayes", *data, "-o", "paid.json", "--checkpoint", "kept")
    run("stream", "naive-bayes", *data, "-o", "more.json", code=5)
    again = run("stream", "naive-bayes", *data, "-o", "paid.json", "--checkpoint", "kept")
    assert "after 2 steps" in again.stdout
    assert "ε = 3  ε = 2  ε = 1" in run("ledger", "show").stdout


def test_standard_input(folder):
    words = ["stream", "naive-bayes", "-", "--schema", "exchanged.toml", "--every", "100", "--horizon", "8",
             "--write-every", "1", "--no-ledger", "-o", "model.json", "--json"]  # fmt: skip
    command = [sys.executable, "-m", "privet", *words]
    records = Path("people.csv").read_bytes()
    ended = subprocess.run(command, input=records, capture_output=True, check=False, timeout=600)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["guarantee"]["unit"]["neighbours"] == "replace"
    assert list(load_model("model.json").predict([[30, "f"], [80, "m"]])) == ["no", "yes"]


def test_a_clock_ends_steps_whether_or_not_records_come(folder):
    """Written from another thread, with a pause: the steps go on through it."""
    reading, writing = piped(b"age,sex,ill\n30,f,no\n", close=False)

    def later():
        while select.select([reading], [], [], 0)[0]:  # until the stream has begun, and read its first line
            time.sleep(0.01)
        time.sleep(0.9)
        os.write(writing, b"70,m,yes\n")
        os.close(writing)

    thread = threading.Thread(target=later)
    thread.start()
    parameters = {"epsilon": 1.0, "horizon": 10_000}
    result = stream(data="-", seconds=0.2, parameters=parameters).run(Session(stdin=reading))
    thread.join()
    assert result.model.steps >= 4  # more where a busy machine wakes the writer late


def test_each_line_is_its_own_record():
    text = b'age;sex;ill\n30;"f;no\n40;m;yes\r\n\n;NA;no\n50\n60;f;no;more'
    reading, _ = piped(text)
    found = list(arriving(reading, SCHEMA, PLAIN))
    assert found[0] == {"age": "30", "sex": "f;no", "ill": None}
    assert found[1:] == [
        {"age": "40", "sex": "m", "ill": "yes"},
        {"age": None, "sex": None, "ill": "no"},
        {"age": "50", "sex": None, "ill": None},
        {"age": "60", "sex": "f", "ill": "no"},
    ]
    reading, _ = piped(b"age;sex;ill\n30,5;f;no\n")
    [record] = arriving(reading, SCHEMA, ReadOptions("utf-8", ",", ";", False))
    assert record is not None
    assert record["age"] == "30.5"
    for bad in (b"age,ill\n", b"age,sex,ill\n\xff,f,no\n"):
        reading, _ = piped(bad)
        with pytest.raises(DataError):
            list(arriving(reading, SCHEMA, PLAIN))


def test_a_checkpoint_goes_on_and_costs_nothing_more(folder):
    ledger = Ledger.open("ledger.db", create=True)
    ledger.open_account("people", budget(1.5), unit=Unit())
    session = Session(ledger=ledger)
    assert stream().plan(session).after is not None
    first = stream(checkpoint="kept").run(session)
    assert first.model.steps == 1
    with pytest.raises(ParameterError, match="held by a program"):
        stream(checkpoint="kept").run(session)
    del first
    assert stream(checkpoint="kept").plan(session) is None
    assert stream(checkpoint="kept").run(session).model.steps == 2
    assert str(ledger.spent("people")) == "ε = 1"
    with pytest.raises(LedgerError):
        stream(checkpoint="kept").run(Session())


def test_what_does_not_fit_is_refused_before_it_is_paid_for(folder):
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(1.5), unit=Unit())
    session = Session(ledger=ledger)
    with pytest.raises(ParameterError, match="all later ones move"):
        stream(parameters={"every": 10}).run(session)
    with pytest.raises(ParameterError, match="clock"):
        stream(seconds=1.0).run(session)
    with pytest.raises(ParameterError, match="no schema beside it"):
        stream(data="-", schema=None).run(session)
    with pytest.raises((ParameterError, SchemaError)):
        stream(algorithm="naive-bayes").run(session)
    assert ledger.spent("people") is None


def test_a_line_that_cannot_be_read_counts_where_a_ledger_pays():
    """Another record, of which everything is missing; the first line, which names the columns, is public."""
    reading, writing = os.pipe()
    header = ",".join(SCHEMA.names).encode()
    os.write(writing, header + b"\n\xff\xfe\n")
    os.close(writing)
    [record] = arriving(reading, SCHEMA, PLAIN, counts=True)
    assert set(record.values()) == {None}
    os.close(reading)
