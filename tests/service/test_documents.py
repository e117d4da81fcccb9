"""A run document says all that was run: as JSON and as a command it gives back the same use case."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from privet.cli import app, commands
from privet.errors import ParameterError
from privet.service import USE_CASES, Session
from privet.service.catalogue import Command
from privet.service.document import RunDocument
from privet.service.exporting import command_of, notebook_of, script_of
from tests.service.examples import example_of

each_use_case = pytest.mark.parametrize("entry", USE_CASES, ids=lambda entry: entry.name)


@each_use_case
def test_it_comes_back_from_json(entry: Command, tmp_path: Path):
    case = example_of(entry)
    document = RunDocument.of(entry.name, case, Session(ledger="of one.db"))
    document.write(tmp_path / "run.json")
    read = RunDocument.read(tmp_path / "run.json")
    assert read == document
    assert read.case == case
    assert read.ledger == ("of one.db" if case.uses_ledger else None)
    assert read.session() == Session(ledger=read.ledger)


@each_use_case
def test_the_equivalent_command_gives_the_same_document(entry: Command, monkeypatch: pytest.MonkeyPatch):
    document = RunDocument.of(entry.name, example_of(entry), Session(ledger="of one.db"))
    seen = []
    monkeypatch.setattr(commands, "execute", lambda *given: seen.append(given))
    program, *words = shlex.split(command_of(document))
    assert program == "privet"
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code == 0, ended.output
    [(found, given, options)] = seen
    assert found == entry
    case = entry.load()(**given)
    assert RunDocument.of(entry.name, case, Session(ledger=options.get("ledger"))) == document
    assert options.get("yes", True), "a script is not asked"


@each_use_case
def test_scripts_and_notebooks_are_valid_python(entry: Command):
    document = RunDocument.of(entry.name, example_of(entry), Session())
    compile(script_of(document), "script.py", "exec")
    book = json.loads(notebook_of(document))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in book["cells"]]
    assert len(names) == len(set(names))
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            compile(cell["source"], "cell", "exec")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not valid JSON"),
        ("[]", "not a run document"),
        ('{"privet_run": 2}', "newer format"),
        ('{"privet_run": 1, "use_case": "fit"}', "lacks a part"),
        ('{"privet_run": 1, "use_case": 3, "parameters": {}, "ledger": null}', "lacks a part"),
    ],
)
def test_what_is_no_document_is_refused(tmp_path: Path, text: str, said: str):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(ParameterError, match=said):
        RunDocument.read(tmp_path / "run.json")


def test_what_cannot_be_run_is_refused(tmp_path: Path):
    with pytest.raises(ParameterError, match="no run document"):
        RunDocument.read(tmp_path / "absent.json")
    with pytest.raises(ParameterError, match="no use case 'divine'"):
        _ = RunDocument("divine", {}).case
    with pytest.raises(ParameterError, match="no parameter 'colour'"):
        _ = RunDocument("schema show", {"file": "s.toml", "colour": "red"}).case
    with pytest.raises(ParameterError):
        _ = RunDocument("schema show", {"file": 3}).case
    with pytest.raises(ParameterError):
        _ = RunDocument("schema show", {}).case


def test_no_password_is_written_down(tmp_path: Path):
    from privet.service.querying import AskQuery

    at = "postgresql://ann:S3NT1NEL@server/clinic"
    tables = (f"people={at}?table=people",)
    case = AskQuery(data=Path(f"{at}?table=visits"), sql="SELECT COUNT(*) FROM data", tables=tables)
    document = RunDocument.of("query", case, Session(ledger=at))
    document.write(tmp_path / "run.json")
    for text in ((tmp_path / "run.json").read_text(), command_of(document), script_of(document)):
        assert "S3NT1NEL" not in text
        assert "ann@server/clinic?table=people" in text
