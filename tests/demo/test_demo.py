"""The demonstration is run whole, and the commands that it names are run too."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from privet.budget import Ledger
from privet.cli import app
from privet.demo.patients import DATASET, OUTCOMES, TARGET, patients, public_knowledge
from privet.errors import ParameterError
from privet.model import load_model
from privet.service import Demonstrate, Session
from privet.service.demonstration.story import Files, Outcome, split, tell
from privet.service.demonstration.teller import Teller

RECORDS = 4000


class Listener(Teller):
    """Remembers what is told, and the commands apart."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.commands: list[str] = []
        super().__init__(lambda text, kind: self.heard.append(text))

    def command(self, command: str) -> None:
        self.commands.append(command)
        super().command(command)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("story")


@pytest.fixture(scope="module")
def told(folder: Path) -> tuple[Listener, Outcome]:
    listener = Listener()
    training, holdout = split(patients(RECORDS))
    return listener, tell(Files.within(folder), listener, training, holdout)


def test_the_budget_is_counted_and_the_second_analyst_refused(told: tuple[Listener, Outcome]) -> None:
    _, outcome = told
    assert str(outcome.ledger.balance(DATASET)) == "ε = 1.2 spent of ε = 1.5, ε = 0.3 left"
    assert {entry.who for entry in outcome.ledger.history() if entry.kind == "reserve"} == {"ana"}
    assert "ε = 0.3" in str(outcome.budget_refusal)


def test_the_model_is_private_and_useful(told: tuple[Listener, Outcome], folder: Path) -> None:
    _, outcome = told
    model = load_model(folder / "model.json")
    assert model.guarantee_.holds, "the noise is secure, though the patients come from a seed"
    assert model.guarantee_.epsilon == 1.0
    assert outcome.evaluation.guarantee.epsilon == 0.2
    assert outcome.evaluation.accuracy.value > 0.6
    assert 0 < outcome.evaluation.accuracy.error < 0.2


def test_every_command_of_the_story_does_what_the_story_says(
    told: tuple[Listener, Outcome], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener, _ = told
    monkeypatch.chdir(tmp_path)
    for name in ("patients.csv", "holdout.csv", "schema.toml", "model-altered.json"):
        shutil.copy(folder / name, name)
    ends = {}
    for command in listener.commands:
        program, *words = shlex.split(command)
        assert program == "privet"
        ends[command] = CliRunner().invoke(app, words).exit_code
    refused = {command: code for command, code in ends.items() if code}
    assert list(refused.values()) == [3, 7, 5], ends
    assert ["draft.toml" in c or "altered" in c or "ben" in c for c in refused] == [True] * 3
    book = Ledger.open("privet-ledger.db")
    assert str(book.balance(DATASET)) == "ε = 1.2 spent of ε = 1.5, ε = 0.3 left"


def test_the_story_shows_no_record(told: tuple[Listener, Outcome], folder: Path) -> None:
    listener, _ = told
    rows = (folder / "patients.csv").read_text().splitlines()[1:50]
    heard = "\n".join(listener.heard)
    assert "Ben comes too late" in heard
    assert not any(row in heard for row in rows)


def test_it_ends_in_a_report_that_it_names_and_can_be_run_again(tmp_path: Path) -> None:
    kept = tmp_path / "mine.txt"
    kept.write_text("not part of the demonstration")
    for _ in range(2):
        ended = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--records", str(RECORDS)])
        report = tmp_path / "report.html"
        assert ended.exit_code == 0
        assert f"Open it in a browser: {report}\n" in ended.stdout
        assert "    $ privet ledger verify\n" in ended.stdout
    html = report.read_text(encoding="utf-8")
    assert html.count("<svg") == 5
    assert "Guarantee: differential privacy with ε = 1" in html
    assert f"{RECORDS:,} patients" in html
    assert kept.read_text() == "not part of the demonstration"


def test_too_few_patients_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="at least 1000"):
        Demonstrate(output=tmp_path / "new", records=999)
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_a_file_and_a_negative_seed_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here already")
    with pytest.raises(ParameterError, match="cannot be used"):
        Demonstrate(output=tmp_path / "file").run(Session())
    with pytest.raises(ParameterError, match="at least 0"):
        Demonstrate(output=tmp_path, seed=-1)


def test_a_machine_gets_json_alone_on_stdout(tmp_path: Path) -> None:
    words = ["demo", "-o", str(tmp_path), "--records", "1000", "--json"]
    ended = CliRunner().invoke(app, words)
    assert json.loads(ended.stdout) == {"report": str(tmp_path / "report.html")}
    assert "Ben comes too late" in ended.stderr


def test_patients_are_the_same_for_a_seed_and_fit_what_is_public() -> None:
    table = patients(3000)
    assert table.equals(patients(3000))
    assert not table.equals(patients(3000, seed=1))
    schema = public_knowledge()
    assert table.column_names == list(schema.names)
    assert set(table[TARGET].to_pylist()) == set(OUTCOMES)
    assert 0 < table["glucose"].null_count < 300
    for column in schema.columns:
        values = table[column.name].drop_null()
        if pa.types.is_string(values.type):
            assert set(values.to_pylist()) <= set(column.labels)
        else:
            low, high = min(values.to_pylist()), max(values.to_pylist())
            assert column.low <= low < high <= column.high
