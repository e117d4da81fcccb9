"""k-anonymity, l-diversity, t-closeness and randomised response."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from privet.cli import app
from privet.errors import DataError, ModelError, ParameterError, SchemaError
from privet.perturbation.nominal import (
    Hierarchy,
    KAnonymity,
    RandomisedColumns,
    Recoding,
    TextFilter,
    measured,
    read_hierarchies,
)
from privet.schema import Schema, write_schema

TOWN = Hierarchy("town", {"Basel": ("north",), "Jura": ("north",), "Bern": ("middle",), "Thun": ("middle",)})
AGE = Hierarchy("age", widths=(5, 10, 40))


def people(rows, seed=0):
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": generator.integers(18, 90, rows),
            "town": generator.choice(["Basel", "Jura", "Bern", "Thun"], rows),
            "ill": generator.choice(["flu", "cold", "none"], rows),
        }
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(40, 300), st.integers(0, 100))
def test_what_comes_out_is_k_anonymous_and_as_said(k, rows, seed):
    table = people(rows, seed)
    model = KAnonymity(hierarchies=[AGE, TOWN], k=k, suppression=0.1)
    released = model.fit_transform(table)
    found = measured([released["age"], released["town"]])
    assert found.k >= k
    assert model.anonymity_.k == found.k
    hidden = ((released["age"] == "*") & (released["town"] == "*")).mean()
    assert hidden <= 0.1 or set(model.levels_.values()) == {AGE.height, TOWN.height}
    assert (released["ill"] == table["ill"]).all()
    assert not model.guarantee_.holds
    assert model.guarantee_.text().startswith("Guarantee: NONE. k-anonymity")


def test_nothing_finer_would_have_done():
    table = people(200)
    model = KAnonymity(hierarchies=[AGE, TOWN], k=5, suppression=0.0).fit(table)
    chosen = tuple(model.levels_.values())
    for finer in [(level, chosen[1]) for level in range(chosen[0])] + [
        (chosen[0], level) for level in range(chosen[1])
    ]:
        columns = [
            [AGE.general(a, finer[0]) for a in table["age"]],
            [TOWN.general(t, finer[1]) for t in table["town"]],
        ]
        assert measured(columns).k < 5


def test_diversity_and_closeness():
    table = people(400)
    table.loc[table["town"].isin(["Basel", "Jura"]), "ill"] = "flu"
    plain = KAnonymity(hierarchies=[TOWN], k=5, sensitive="ill").fit(table)
    assert plain.anonymity_.l == 1
    diverse = KAnonymity(hierarchies=[TOWN], k=5, sensitive="ill", diversity=3).fit(table)
    assert diverse.anonymity_.l >= 3
    assert diverse.levels_["town"] == TOWN.height
    close = KAnonymity(hierarchies=[AGE], k=5, sensitive="ill", closeness=0.15, suppression=0.2).fit(
        people(2000)
    )
    assert close.anonymity_.t <= 0.15
    with pytest.raises(ParameterError, match="sensitive column"):
        KAnonymity(hierarchies=[TOWN], diversity=2).fit(table)
    with pytest.raises(DataError, match="No combination"):
        KAnonymity(hierarchies=[TOWN], sensitive="ill", diversity=4).fit(table)


def test_new_records_of_unknown_groups_are_hidden():
    table = people(300)
    model = KAnonymity(hierarchies=[AGE, TOWN], k=3).fit(pa.Table.from_pandas(table))
    new = pd.DataFrame({"age": [30, 500, None], "town": ["Basel", "Bern", "Atlantis"], "ill": ["flu"] * 3})
    released = model.transform(new)
    assert released["age"].tolist()[1:] == ["*", "*"]
    assert set(zip(released["age"], released["town"], strict=True)) <= model.recoding_.groups | {("*", "*")}
    assert isinstance(model.transform(pa.Table.from_pandas(table)), pa.Table)
    assert clone(model).k == 3


def test_fewer_records_than_k_and_bad_hierarchies(tmp_path):
    with pytest.raises(DataError, match="fewer records than k = 5"):
        KAnonymity(hierarchies=[TOWN]).fit(people(4))
    with pytest.raises(DataError, match="no column 'town'"):
        KAnonymity(hierarchies=[TOWN]).fit(people(40).drop(columns="town"))
    with pytest.raises(ParameterError, match="no hierarchy"):
        KAnonymity().fit(people(40))
    for bad in ({"ancestors": {"a": ("x",), "b": ()}}, {"widths": (5, 7)}, {}, {"widths": (0,)},
                {"ancestors": {"a": ("x", "p"), "b": ("x", "q")}}):  # fmt: skip
        with pytest.raises(SchemaError):
            Hierarchy("c", **bad)
    path = tmp_path / "h.toml"
    path.write_text('[age]\nwidths = [5, 20]\n[town]\nBern = ["middle"]\n')
    found = read_hierarchies(path)
    assert found["age"].general(33, 2) == "[20, 40)"
    path.write_text("age = 3")
    with pytest.raises(SchemaError, match="must be a section"):
        read_hierarchies(path)
    with pytest.raises(ParameterError):
        read_hierarchies(tmp_path / "absent.toml")


def test_measures_of_anonymity():
    found = measured([[1, 1, 2, 2, 2]], ["a", "b", "a", "a", "a"])
    assert (found.k, found.l, found.groups) == (2, 1, 2)
    assert np.isclose(found.t, 0.3)
    assert measured([[1, 1], [2, 3]]).k == 1


SCHEMA = Schema.of({"smoker": ["no", "yes"], "town": ["a", "b", "c"], "age": (0, 120)})


def answers(rows):
    generator = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "smoker": generator.choice(["no", "yes"], rows, p=[0.7, 0.3]),
            "town": generator.choice(["a", "b", "c"], rows),
            "age": generator.integers(18, 90, rows),
        }
    )


def test_randomised_response_has_the_probabilities_of_its_epsilon():
    table = answers(40_000)
    model = RandomisedColumns(schema=SCHEMA, columns=["smoker", "town"], epsilon=2.0)
    released = model.fit_transform(table)
    for name, size in (("smoker", 2), ("town", 3)):
        kept = (released[name] == table[name]).mean()
        expected = math.e / (math.e + size - 1)  # half of ε = 2 for each of the two columns
        assert abs(kept - expected) < 0.015
    counts = model.estimate_counts("smoker", released)
    assert abs(counts["yes"] / 40_000 - (table["smoker"] == "yes").mean()) < 0.03
    assert (released["age"] == table["age"]).all()
    assert not model.guarantee_.holds  # the age leaves in the clear
    assert "local ε = 2 holds for smoker, town only" in model.guarantee_.headline
    whole = RandomisedColumns(schema=SCHEMA, epsilon=2.0).fit(table[["smoker", "town"]])
    assert (whole.guarantee_.holds, whole.guarantee_.epsilon) == (True, 2.0)
    assert (
        not RandomisedColumns(schema=SCHEMA, random_state=1).fit(table[["smoker", "town"]]).guarantee_.holds
    )


def test_randomised_response_refuses_what_it_does_not_know():
    table = answers(10)
    with pytest.raises(DataError, match="'town' holds a missing value, or one outside") as caught:
        RandomisedColumns(schema=SCHEMA).fit_transform(table.assign(town="secret"))
    assert "secret" not in str(caught.value)
    with pytest.raises(SchemaError, match="not a category"):
        RandomisedColumns(schema=SCHEMA, columns=["age"]).fit(table)
    with pytest.raises(SchemaError):
        RandomisedColumns().fit(table)
    with pytest.raises(ParameterError):
        RandomisedColumns(schema=SCHEMA, epsilon=0).fit(table)


def test_the_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(200).to_csv("p.csv", index=False)
    answers(100).to_csv("q.csv", index=False)
    write_schema(SCHEMA, "q.toml")
    Path("h.toml").write_text("[age]\nwidths = [10, 40]\n")

    def run(*words, code=0):
        result = CliRunner().invoke(app, ["perturb", *words])
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result.stdout

    data = json.loads(run("k-anonymity", "p.csv", "o.csv", "--hierarchies", "h.toml", "--k", "4", "--json"))
    assert data["levels"]["age"] >= 1
    assert pd.read_csv("o.csv")["age"].value_counts().min() >= 4
    assert "local ε = 1" in run("randomised-response", "q.csv", "r.arff", "-s", "q.toml")
    run("k-anonymity", "p.csv", "x.csv", "--hierarchies", "h.toml", "--k", "300", code=4)
    assert not Path("x.csv").exists()


def piped(text, *words):
    """The command in a process of its own, with this text on its stdin."""
    command = [sys.executable, "-m", "privet.cli", "perturb", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def filtered(model, text, **how):
    """What the filter wrote, and the error that it ended with."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
        source.write(text.encode())
        source.seek(0)
        error = None
        try:
            TextFilter(model, **how).run(source.fileno(), sink.fileno())
        except DataError as caught:
            error = caught
        sink.seek(0)
        return sink.read().decode(), error


SMOKERS = Schema.of({"smoker": ["no", "yes"], "town": ["a", "b", "c"]})


@pytest.mark.parametrize("row_by_row", [False, True])
def test_randomised_response_in_a_pipe_has_its_probability(row_by_row):
    model = RandomisedColumns(schema=SMOKERS, columns=["smoker"], epsilon=1.0, random_state=4)
    text = "name,smoker,town\n" + "ann,no,a\n" * 4000
    written, error = filtered(model, text, row_by_row=row_by_row)
    assert error is None
    lines = written.splitlines()
    assert lines[0] == "name,smoker,town"
    assert {line.split(",")[2] for line in lines[1:]} == {"a"}
    told = np.mean([line.split(",")[1] == "no" for line in lines[1:]])
    assert abs(told - math.e / (1 + math.e)) < 0.03


@pytest.mark.parametrize("row_by_row", [False, True])
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("cat,never,a\n", "Row 3: Column 'smoker' holds a missing value, or one outside"),
        ("cat,,a\n", "Row 3: Column 'smoker' holds a missing value"),
        ("cat,no\n", "Row 3 has 2 cells"),
    ],
)
def test_at_a_fault_the_rows_before_it_are_out_and_whole(row_by_row, fault, words):
    text = "name,smoker,town\nann,no,a\nbob,yes,b\n" + fault
    written, error = filtered(
        RandomisedColumns(schema=SMOKERS, columns=["smoker"]), text, row_by_row=row_by_row
    )
    assert words in str(error)
    assert "never" not in str(error)
    assert [line.split(",")[0] for line in written.splitlines()] == ["name", "ann", "bob"]


@pytest.mark.parametrize("row_by_row", [False, True])
def test_a_stream_is_generalised_like_the_table_before_it(row_by_row, tmp_path):
    table = people(500)
    model = KAnonymity(hierarchies=[AGE, TOWN], k=5)
    released = model.fit_transform(table)
    model.recoding_.save(tmp_path / "r.json")
    with pytest.raises(ModelError, match="never replaced"):
        model.recoding_.save(tmp_path / "r.json")
    again = KAnonymity(hierarchies=[TOWN, AGE], k=5).take_up(Recoding.load(tmp_path / "r.json"))
    text = "age,town,ill\n" + "".join(f"{row.age},{row.town},{row.ill}\n" for row in table.itertuples())
    written, error = filtered(again, text + "7000,Bern,flu\n", row_by_row=row_by_row)
    assert error is None
    rows = list(csv.reader(io.StringIO(written)))
    assert rows[1:-1] == released.to_numpy().tolist()
    assert rows[-1] == ["*", "*", "flu"]
    with pytest.raises(ModelError, match="other columns"):
        KAnonymity(hierarchies=[AGE]).take_up(model.recoding_)
    with pytest.raises(DataError, match="no column 'town'"):
        again.transform_one({"age": 3})
    (tmp_path / "bad.json").write_text("{}")
    for name in ("bad.json", "none.json"):
        with pytest.raises(ModelError):
            Recoding.load(tmp_path / name)


def test_the_commands_in_pipes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_schema(SMOKERS, "s.toml")
    done = piped("smoker,town\nno,a\nyes,b\n", "randomised-response", "-s", "s.toml", "--row-by-row")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3
    assert "Local ε = 1" in done.stderr
    people(200).to_csv("p.csv", index=False)
    Path("h.toml").write_text("[age]\nwidths = [5, 10, 40]\n")
    words = ["perturb", "k-anonymity", "p.csv", "o.csv", "--hierarchies", "h.toml", "--recoding", "r.json"]
    assert CliRunner().invoke(app, words).exit_code == 0
    done = piped("age,x\n33,1\n", "k-anonymity", "--hierarchies", "h.toml", "--recoding", "r.json")
    assert done.returncode == 0, done.stderr
    assert next(csv.reader(done.stdout.splitlines()[1:])) == ["[30, 35)", "1"]
    assert done.stderr.startswith("Guarantee: NONE")
    assert CliRunner().invoke(app, ["perturb", "k-anonymity", "--hierarchies", "h.toml"]).exit_code == 2
