"""What goes where: JSON on stdout, words on stderr, files only where they may, questions only to people."""

from __future__ import annotations

import errno
import json
from fractions import Fraction
from pathlib import Path

import click

import privet
from privet.cli import app
from privet.cli.output import Output
from privet.registry import algorithm


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    found = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found += (
            commands(command, (*path, name))
            if isinstance(command, click.Group)
            else [((*path, name), command)]
        )
    return found


def test_every_command_has_json_and_help_for_every_option():
    for path, command in commands(app):
        options = [p for p in command.get_params(click.Context(command)) if isinstance(p, click.Option)]
        assert "--json" in [name for option in options for name in option.opts], path
        assert command.help, path
        assert [o.name for o in options if not o.help] == [], path


def test_no_help_tells_a_person_to_type_none():
    for path, command in commands(app):
        declared = command.get_params(click.Context(command))
        texts = [param.help or "" for param in declared if isinstance(param, click.Option)]
        assert [text for text in texts if "None" in text] == [], path


def test_the_same_results_as_json_and_as_text(run, answer, account):
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json")
    for words in (
        ("algorithms",),
        ("algorithms", "naive-bayes"),
        ("schema", "show", "people.toml"),
        ("schema", "check", account, "-s", "people.toml"),
        ("model", "show", "m.json"),
        ("ledger", "show"),
        ("ledger", "history", "--guarantees"),
        ("ledger", "head"),
        ("ledger", "verify"),
        ("fit", "naive-bayes", account, "-s", "people.toml", "--dry-run"),
        ("evaluate", "m.json", account, "--epsilon", "0.1", "--dry-run"),
        ("evaluate", "m.json", account, "--public", "--dry-run"),
        ("evaluate", "m.json", account, "--public", "--owner-says", "Ann: a test"),
        ("cross-validate", "naive-bayes", account, "-s", "people.toml", "--public", "--dry-run"),
    ):
        assert isinstance(answer(*words), dict), words
        assert run(*words).stdout.strip(), words


def test_the_json_schema_of_an_algorithms_parameters(run, answer):
    words = ("algorithms", "naive-bayes", "--json-schema")
    schema = answer(*words)
    assert schema["properties"]["bins"]["minimum"] == 2
    assert json.loads(run(*words).stdout) == schema
    assert schema == algorithm("naive-bayes").json_schema()
    run("algorithms", "--json-schema", code=2)


def test_what_comes_next_is_said_as_it_is_typed_here(run, people):
    drafted = run("schema", "draft", people, "--target", "ill", "-o", "d.toml")
    assert "privet schema confirm d.toml" in drafted.stderr
    refused = run("fit", "naive-bayes", people, "-s", "d.toml", "--no-ledger", "-o", "m.json", code=3)
    assert "privet schema confirm d.toml" in refused.stderr
    refused = run("fit", "naive-bayes", people, "-s", "absent.toml", "--no-ledger", "-o", "m.json", code=3)
    assert f"privet schema draft {people}" in refused.stderr
    refused = run("ledger", "show", code=6).stderr
    assert "privet ledger open" in refused
    assert "--no-ledger" not in refused, "that is for whoever spends"
    fitted = run("fit", "naive-bayes", people, "-s", "people.toml", "--no-ledger", "-o", "m.json")
    assert "privet model show m.json" in fitted.stderr


def test_errors_as_json(run, answer, people):
    error = answer("fit", "naive-bayes", people, "-s", "absent.toml", "-o", "m.json", code=3)["error"]
    assert error["kind"] == "SchemaError"
    assert error["exit_code"] == 3
    assert error["advice"]
    error = answer("fit", "naive-bayes", people, "-s", "people.toml", "--bins", "1", code=2)["error"]
    assert "at least 2" in error["message"]
    assert answer("algorithms", "astrology", code=2)["error"]["kind"] == "ParameterError"
    assert "No such command" in run("fit", "astrology", code=2).stderr


def test_schema_and_model_to_stdout(run, account):
    text = run("schema", "draft", account, "--target", "ill", "-o", "-").stdout
    Path("piped.toml").write_text(text)
    assert privet.read_schema("piped.toml").drafted
    text = run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "-").stdout
    Path("piped.json").write_text(text)
    assert privet.load_model("piped.json").guarantee_.holds
    lines = run("predict", "piped.json", account, "-o", "-").stdout.splitlines()
    assert lines[0] == '"predicted"'
    assert len(lines) == 601
    run("predict", "piped.json", account, "-o", "-", "--json", code=2)


def test_nothing_is_overwritten_or_spent_when_the_output_cannot_be_written(run, answer, account):
    before = answer("ledger", "head")
    Path("m.json").write_text("precious")
    fit = ("fit", "naive-bayes", account, "-s", "people.toml", "-o")
    assert "--force" in run(*fit, "m.json", code=2).stderr
    assert "mkdir" in run(*fit, "no/such/folder/m.json", code=2).stderr
    run(*fit, ".", code=2)
    run(*fit, "n.json", "--sign-key", "absent", code=7)
    run("schema", "draft", account, "-o", "people.toml", code=2)
    assert Path("m.json").read_text() == "precious"
    assert answer("ledger", "head") == before
    run("fit", "naive-bayes", account, "-s", "people.toml", code=2)
    run(*fit, "m.json", "--force")
    run("predict", "m.json", account, "-o", "p.txt", code=2)
    run("predict", "m.json", account, "-o", "m.json", code=2)
    assert privet.load_model("m.json").guarantee_.holds
    assert [path.name for path in Path().iterdir() if "partial" in path.name] == []


def test_a_folder_without_permission(run, answer, account, monkeypatch):
    import tempfile

    def denied(**options):
        raise PermissionError(errno.EACCES, "Permission denied")

    before = answer("ledger", "head")
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", denied)  # a mode would not stop root
    refused = run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json", code=2)
    assert "Permission denied" in refused.stderr
    assert answer("ledger", "head") == before


def test_a_paid_model_is_kept_elsewhere_when_the_disk_fails(run, account, monkeypatch):
    import privet.model

    write = privet.model.save_model
    calls = []

    def failing(model, path, key=None):
        calls.append(path)
        if len(calls) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(model, path, key)

    monkeypatch.setattr(privet.model, "save_model", failing)
    result = run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json", code=7)
    assert "No space left" in result.stderr
    assert str(calls[1]) in result.stderr
    assert privet.load_model(calls[1]).guarantee_.holds
    assert not Path("m.json").exists()


def test_a_paid_model_goes_to_stdout_when_every_disk_fails(run, account, monkeypatch):
    import privet.model

    def failing(model, path, key=None):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(privet.model, "save_model", failing)
    monkeypatch.setenv("HOME", str(account.parent))
    result = run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json", code=7)
    document = json.loads(result.stdout)
    assert privet.model.model_from_dict(document).guarantee_.holds
    assert not list(Path().glob("privet-rescued-*"))


def test_a_person_sees_the_cost_before_it_is_spent(run, answer, account, monkeypatch):
    monkeypatch.setattr(Output, "interactive", property(lambda self: not self.json))
    fit = ("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json")
    before = answer("ledger", "head")
    declined = run(*fit, input="n\n", code=1)
    assert "ε = 1 left" in declined.stderr
    assert "Spend this?" in declined.stderr
    assert "Nothing was spent" in declined.stderr
    run(*fit, input="", code=130)  # nobody answers
    assert answer("ledger", "head") == before
    assert not Path("m.json").exists()
    run(*fit, input="y\n")
    assert Path("m.json").exists()
    assert "Spend this?" not in run(*fit, "--yes", "--force").stderr
    drafted = run("schema", "draft", account, "-o", "d.toml")
    assert "confirm" in drafted.stderr
    run("schema", "confirm", "d.toml", input="n\n", code=1)
    assert privet.read_schema("d.toml").drafted
    run("schema", "confirm", "d.toml", "--column", "age", input="y\n")
    assert privet.read_schema("d.toml").drafted == ("sex", "ill")


def test_a_script_does_not_confirm_what_nobody_looked_at(run, answer, people):
    run("schema", "draft", people, "-o", "d.toml")
    assert "--yes" in run("schema", "confirm", "d.toml", code=2).stderr
    assert (
        answer("schema", "confirm", "d.toml", "--column", "age", code=2)["error"]["kind"] == "ParameterError"
    )
    assert privet.read_schema("d.toml").drafted == ("age", "sex", "ill")
    run("schema", "confirm", "d.toml", "--yes")
    assert privet.read_schema("d.toml").drafted == ()
    run("schema", "confirm", "d.toml")  # nothing is left to ask about


def test_verify_says_what_it_cannot_see(run, answer, account):
    assert "--head" in run("ledger", "verify").stderr
    assert "--head" not in run("ledger", "verify", "--head", answer("ledger", "head")["head"]).stderr


def test_unexpected_errors_do_not_show_their_text(run, account, monkeypatch):
    from privet.service import Fit

    def broken(*words, **options):
        raise RuntimeError("Xq7Zsecret")

    monkeypatch.setattr(Fit, "run", broken)
    fit = ("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json")
    result = run(*fit, code=1)
    assert "RuntimeError" in result.stderr
    assert "report" in result.stderr
    assert "File " not in result.stderr
    assert "Xq7Zsecret" not in result.stderr
    traced = run("--debug", *fit, code=1).stderr
    assert "in broken" in traced
    assert "Xq7Zsecret" not in traced.replace('raise RuntimeError("Xq7Zsecret")', "")


def test_analysts_and_ledgers_come_from_the_environment(run, answer, account, monkeypatch):
    monkeypatch.setenv("PRIVET_ANALYST", "ana")
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json")
    last = answer("ledger", "history")["entries"][-1]
    assert last["who"] == "ana"
    assert last["amount"]["about"]["epsilon"] == float(Fraction(last["amount"]["epsilon"]))
    monkeypatch.setenv("PRIVET_LEDGER", "elsewhere.db")
    run("ledger", "open", account, "-s", "people.toml", "--epsilon", "1", "--each-analyst", "0.5")
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "n.json", code=5)
    [view] = answer("ledger", "show")["accounts"]
    assert view["each_analyst"]["about"] == {"epsilon": 0.5}


def test_limits_of_single_analysts(run, answer, people):
    open_ = ("ledger", "open", people, "-s", "people.toml", "--epsilon", "2")
    run(*open_, "--analyst-limit", "ana", code=2)
    run(*open_, "--analyst-limit", "=1", code=2)
    run(*open_, "--analyst-limit", "ana=0.5", "--analyst-limit", "ben=1")
    assert "limit" in run(*open_, code=6).stderr
    fit = ("fit", "naive-bayes", people, "-s", "people.toml", "--epsilon", "1", "-o")
    run(*fit, "a.json", "--analyst", "ana", code=5)
    run(*fit, "a.json", "--analyst", "ben")
    run("ledger", "limit", "people", "--epsilon", "1", "--for", "ana")
    run(*fit, "b.json", "--analyst", "ana")
    [view] = answer("ledger", "show")["accounts"]
    assert view["left"] is None
    assert set(view["analysts"]) == {"ana", "ben"}


def test_limits_in_rho_and_with_delta(run, answer, people):
    run("ledger", "open", people, "-s", "people.toml", "--rho", "1", "--epsilon", "1", code=2)
    run("ledger", "open", people, "-s", "people.toml", code=2)
    run("ledger", "open", people, "-s", "people.toml", "--rho", "0.5")
    fit = (
        "fit",
        "logistic-regression",
        people,
        "-s",
        "people.toml",
        "--method",
        "objective",
        "--epsilon",
        "1",
    )
    plan = answer(*fit, "--delta", "1e-6", "--dry-run")
    assert plan["amount"]["about"] == {"epsilon": 1.0, "delta": 1e-6}
    assert 0 < plan["after"]["spent"]["about"]["rho"] < 0.1
    run(
        "ledger", "open", people, "-s", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--ledger", "d.db"
    )


def test_a_broken_fit_between_reserve_and_commit_counts_as_spent(run, answer, account, monkeypatch):
    from privet.engines import memory

    whole = memory.fold

    def interrupted(statistics, batches, schema):
        read = list(batches)
        if any(batch.num_rows for batch in read):
            raise KeyboardInterrupt
        return whole(statistics, read, schema)  # a rehearsal, on a table without records

    monkeypatch.setattr(memory, "fold", interrupted)
    fit = ("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json")
    assert "counts as spent" in run(*fit, code=130).stderr
    [view] = answer("ledger", "show")["accounts"]
    assert view["spent"]["about"] == {"epsilon": 1.0}
    assert answer("ledger", "history")["entries"][-1]["state"] == "reserved"
