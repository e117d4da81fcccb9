"""privet perturb and privet audit perturbation: every format, pipes that do not end, keys, and bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from privet.cli import app
from privet.errors import DataError
from privet.perturbation import Condensation, Geometric, Key, Rotation
from privet.perturbation.base import Perturbation
from privet.perturbation.csv_filter import CsvFilter
from privet.registry import algorithms_with
from privet.schema import Schema, write_schema
from privet.sources import open_source

METHODS = {
    entry.name: cls for entry in algorithms_with("perturb") if issubclass(cls := entry.load(), Perturbation)
}
SCHEMA = Schema.of(
    {"age": (0, 120), "weight": (2.0, 200.0), "town": ["a", "b"], "ill": ["no", "yes"]}, target="ill"
)


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    lines = [
        f"{age},{weight:.1f},{'ab'[town]},{('no', 'yes')[ill]}"
        for age, weight, town, ill in zip(
            generator.integers(18, 90, 300),
            generator.normal(70, 12, 300),
            *generator.integers(0, 2, (2, 300)),
            strict=True,
        )
    ]
    Path("people.csv").write_text("\n".join(["age,weight,town,ill", *lines]) + "\n")
    write_schema(SCHEMA, "people.toml")
    return tmp_path


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result


def piped(text, *words):
    """The command in a process of its own, with this text on its stdin."""
    return subprocess.run(
        [sys.executable, "-m", "privet.cli", "perturb", *words],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_method_on_every_format(people, method):
    for ending in (".csv", ".csv.gz", ".parquet", ".arff"):
        done = run(
            "perturb", method, "people.csv", f"out{ending}", "-s", "people.toml", "--key", f"key{ending}.json"
        )
        assert done.stdout.startswith("Guarantee: NONE")
        source = open_source(f"out{ending}", None)
        assert {"town", "ill"} < set(source.names)
        assert sum(batch.num_rows for batch in source.batches()) == 300
        assert Path(f"key{ending}.json").stat().st_mode & 0o777 == 0o600


def test_the_result_as_json_and_the_key_is_not_in_it(people):
    done = run(
        "perturb", "rotation", "people.csv", "out.csv", "-s", "people.toml", "--key", "k.json", "--json"
    )
    data = json.loads(done.stdout)
    assert data["records"] == 300
    assert data["guarantee"]["holds"] is False
    secret = repr(json.loads(Path("k.json").read_text())["values"]["rotation"][0][0])
    assert secret not in done.stdout + done.stderr + Path("out.csv").read_text()


def test_bad_words_on_the_command_line(people):
    run("perturb", "rotation", "people.csv", code=2)
    run("perturb", "rotation", "people.csv", "out.csv", code=2)
    run("perturb", "rotation", "people.csv", "out.csv", "-s", "people.toml", "--row-by-row", code=2)
    run("perturb", "rotation", "people.csv", "out.csv", "-s", "people.toml", "-c", "town", code=3)
    run("perturb", "rotation", "people.csv", "out.csv", "-s", "people.toml", "-c", "town2", code=4)
    run("perturb", "additive", "people.csv", "out.csv", "-s", "people.toml", "--kind", "pink", code=2)
    run("perturb", "condensation", "people.csv", "out.csv", "-s", "people.toml", "--k", "301", code=4)
    assert not Path("out.csv").exists()
    run("perturb", "rotation", "people.csv", "out.csv", "-s", "people.toml", "-c", "age", "--key", "k.json")
    wrong = run(
        "perturb",
        "rotation",
        "people.csv",
        "o.csv",
        "-s",
        "people.toml",
        "-c",
        "age",
        "-c",
        "weight",
        "--key",
        "k.json",
        code=7,
    )
    assert "key is for 1 columns, and 2" in wrong.stderr


def test_a_pipe_with_a_key_needs_no_schema_and_restarts(people):
    text = Path("people.csv").read_text()
    first = piped(text, "rotation", "-s", "people.toml", "--key", "key.json")
    assert first.returncode == 0
    assert first.stderr.startswith("Guarantee: NONE")
    again = piped(text, "rotation", "--key", "key.json")
    rows = piped(text, "rotation", "--key", "key.json", "--row-by-row")
    assert again.stdout == first.stdout
    values = [[float(cell) for cell in line.split(",")[:2]] for line in first.stdout.splitlines()[1:]]
    one = [[float(cell) for cell in line.split(",")[:2]] for line in rows.stdout.splitlines()[1:]]
    np.testing.assert_allclose(one, values)
    lines = text.splitlines()
    for before, after in zip(lines, first.stdout.splitlines(), strict=True):
        assert before.split(",")[2:] == after.split(",")[2:]


def test_an_endless_input_is_answered_row_by_row_and_can_be_stopped(people):
    run("perturb", "geometric", "people.csv", "o.csv", "-s", "people.toml", "--key", "key.json")
    command = [
        sys.executable,
        "-m",
        "privet.cli",
        "perturb",
        "geometric",
        "--key",
        "key.json",
        "--row-by-row",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"age,weight\n30,60\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"age,weight\n"
        assert process.stdout.readline().count(b",") == 1
        process.stdin.write(b"31,6")  # half a row
        process.stdin.flush()
        process.stdin.write(b"1\n")
        process.stdin.flush()
        assert process.stdout.readline().endswith(b"\n")
        process.send_signal(2)
        rest = process.stdout.read()
        assert process.wait(20) == 130
        assert rest == b""


def filtered(model, text, **how):
    """What the filter wrote, and the error that it ended with."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
        source.write(text.encode())
        source.seek(0)
        error = None
        try:
            CsvFilter(model, **how).run(source.fileno(), sink.fileno())
        except DataError as caught:
            error = caught
        sink.seek(0)
        return sink.read().decode(), error


@pytest.mark.parametrize("row_by_row", [False, True])
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("weight,age,town\n", "Row 3 looks like another header"),
        ("age,weight\n", "Row 3 has 2 cells"),
        ("31,secret,b\n", "Row 3: column 'weight' holds something that is not a number"),
        ("31,,b\n", "Row 3: Column 'weight' has missing values"),
        ("31,inf,b\n", "Row 3: Column 'weight' holds an infinite"),
        ("31", "Row 3 has 1 cells"),
    ],
)
def test_at_a_fault_the_rows_before_it_are_out_and_whole(row_by_row, fault, words):
    for model in (Rotation(schema=SCHEMA), Condensation(schema=SCHEMA, k=3)):
        text = "age,weight,town\n30,60,a\n40,70,b\n" + fault
        written, error = filtered(model, text, row_by_row=row_by_row)
        assert words in str(error)
        assert "secret" not in str(error)
        lines = written.splitlines()
        assert len(lines) == 3
        assert [line.split(",")[2] for line in lines] == ["town", "a", "b"]
        assert written.endswith("\n")


@pytest.mark.parametrize("row_by_row", [False, True])
def test_quotes_line_ends_delimiters_and_missing_values(row_by_row):
    text = '\ufeffname;age;weight\r\n"a; ""b"" c";30;60\r\nplain;?;70\r\n'
    written, error = filtered(Rotation(schema=SCHEMA, missing="middle"), text, row_by_row=row_by_row)
    assert error is None
    import csv
    import io

    rows = list(csv.reader(io.StringIO(written, newline=""), delimiter=";"))
    assert [row[0] for row in rows] == ["name", 'a; "b" c', "plain"]
    kept, _ = filtered(Rotation(schema=SCHEMA, missing="keep"), text, row_by_row=row_by_row)
    assert kept.splitlines()[-1].replace('"', "") == "plain;;"


@pytest.mark.parametrize("row_by_row", [False, True])
def test_a_quote_too_many_does_not_take_its_neighbours_along(row_by_row):
    """Before: the next records became a part of this one's name, and went out as they were."""
    text = 'name,age,weight\nfirst,20,50\n"open,30,60\nS3NT1NEL,77,88\n"last,40,70\n'
    written, error = filtered(Rotation(schema=SCHEMA), text, row_by_row=row_by_row)
    assert "quote that is not closed" in str(error)
    assert "77,88" not in written
    assert "S3NT1NEL" not in f"{written}{error}"


def test_an_input_without_names_is_refused():
    for text, words in (("", "empty"), ("\n", "empty"), ("age,age\n1,2\n", "same name")):
        written, error = filtered(Rotation(schema=SCHEMA), text)
        assert words in str(error)
        assert written == ""


@pytest.mark.parametrize("row_by_row", [False, True])
def test_rekeying_by_window(row_by_row):
    keys = {}
    text = "age,weight\n" + "30,60\n" * 10
    written, error = filtered(
        Rotation(schema=SCHEMA), text, row_by_row=row_by_row, rekey_every=4, keep=keys.__setitem__
    )
    assert error is None
    rows = written.splitlines()[1:]
    assert [len(set(rows[start : start + 4])) for start in (0, 4, 8)] == [1, 1, 1]
    assert len(set(rows)) == 3
    assert list(keys) == [0, 1, 2]
    model = Rotation(schema=SCHEMA, columns=["age", "weight"], key=keys[1]).fit()
    back = model.inverse_transform(np.array([[float(c) for c in rows[5].split(",")] + [0, 0]], dtype=object))
    np.testing.assert_allclose(back[0, :2].astype(float), [30, 60])


def test_rekeyed_streams_keep_their_keys_in_numbered_files(people):
    text = "age,weight\n" + "30,60\n" * 5
    assert (
        piped(text, "rotation", "-s", "people.toml", "--key", "k.json", "--rekey-every", "2").returncode == 0
    )
    assert sorted(path.name for path in people.glob("k*.json")) == [
        "k-000001.json",
        "k-000002.json",
        "k.json",
    ]
    assert piped(text, "rotation", "--key", "k.json", "--rekey-every", "2").returncode == 0
    assert len(list(people.glob("k*.json"))) == 5
    assert len({tuple(np.ravel(Key.load(path).values["rotation"])) for path in people.glob("k*.json")}) == 5


def test_condensation_is_taken_up_again_with_its_groups(people):
    text = Path("people.csv").read_text()
    first = piped(text, "condensation", "-s", "people.toml", "--key", "k.json", "--k", "10")
    assert first.returncode == 0, first.stderr
    kept = Key.load("k.json")
    assert sum(kept.values["sizes"]) == 300
    assert Path("k.json").stat().st_mode & 0o777 == 0o600
    broken = piped(text + "30,secret,a,no\n", "condensation", "--key", "k.json", "--k", "10")
    assert broken.returncode == 4
    assert len(broken.stdout.splitlines()) == 301
    assert sum(Key.load("k.json").values["sizes"]) == 600  # what came before the bad row is not forgotten
    assert min(Key.load("k.json").values["sizes"]) >= 10


@pytest.mark.parametrize("row_by_row", [False, True])
def test_condensation_by_class_in_a_pipe(row_by_row):
    model = Condensation(schema=SCHEMA, by="ill", k=5)
    text = "age,weight,ill\n" + "30,60,no\n" * 20 + "80,90,yes\n" * 20
    written, error = filtered(model, text + "80,90,maybe\n", row_by_row=row_by_row)
    assert "Row 41: Column 'ill' holds a missing value, or one outside" in str(error)
    assert "maybe" not in str(error)
    rows = [line.split(",") for line in written.splitlines()[1:]]
    assert len(rows) == 40
    assert {float(age) for age, _, ill in rows[10:] if ill == "yes"} >= {80.0}
    assert {round(float(age)) for age, _, ill in rows[30:]} == {80}
    none, error = filtered(Condensation(schema=SCHEMA, by="ill", k=5), "age,weight\n30,60\n")
    assert none == ""
    assert "no column 'ill'" in str(error)


def test_a_filter_in_a_pipe_needs_no_more_memory_for_more_rows():
    import tracemalloc

    block = ("30,60,a\n" * 20_000).encode()

    def peak(times):
        read, write = os.pipe()
        with tempfile.TemporaryFile() as sink:
            if (child := os.fork()) == 0:
                os.close(read)
                os.write(write, b"age,weight,town\n")
                for _ in range(times):
                    view = memoryview(block)
                    while len(view):
                        view = view[os.write(write, view) :]
                os._exit(0)
            os.close(write)
            tracemalloc.start()
            rows = CsvFilter(Geometric(schema=SCHEMA, candidates=1)).run(read, sink.fileno())
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            os.close(read)
            os.waitpid(child, 0)
        assert rows == times * 20_000
        return most

    # 19 MB of text, and twice that as numbers: only chunks of a megabyte, in a few forms each, are ever held.
    assert peak(120) < 14_000_000


def test_the_attack_report_of_files(people):
    run("perturb", "rotation", "people.csv", "out.csv", "-s", "people.toml")
    text = run("audit", "perturbation", "people.csv", "out.csv", "-s", "people.toml", "--seed", 1).stdout
    assert text.startswith("The weakest column is '")
    data = json.loads(
        run(
            "audit", "perturbation", "people.csv", "out.csv", "-s", "people.toml", "--json", "-o", "r.html"
        ).stdout
    )
    assert data["columns"] == ["age", "weight"]
    assert len(data["attacks"]) == 7
    assert "<svg" in Path("r.html").read_text()


def test_the_audit_of_an_algorithm_is_still_there(people):
    run("audit", code=2)
    assert "Search for a violation" in run("audit", "algorithm", "--help").stdout
    assert "perturbation" in run("audit", "--help").stdout
