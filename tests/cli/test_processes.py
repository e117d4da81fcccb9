"""The installed command as other programs see it: start-up, pipes, signals, and two at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def privet(*words: object, **options) -> subprocess.Popen:
    command = [sys.executable, "-m", "privet.cli", *map(str, words)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        **options,
    )


def finished(process: subprocess.Popen) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


@pytest.mark.parametrize("module", ["privet", "privet.cli"])
def test_python_runs_it_as_a_module(module):
    done = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("privet, version ")


@pytest.mark.parametrize(
    "words", [("--help",), ("--version",), ("fit", "--help"), ("ledger", "open", "--help")]
)
def test_help_imports_nothing_heavy(words):
    heavy = [
        "numpy",
        "pyarrow",
        "sklearn",
        "scipy",
        "numba",
        "opendp",
        "rich",
        "sqlalchemy",
        "sqlite3",
        "pandas",
    ]
    program = (
        "import sys\nfrom privet.cli import app\n"
        f"try: app({list(words)!r})\nexcept SystemExit as end: code = end.code\n"
        f"print(code, [name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip().endswith("0 []")
    assert done.stdout


def test_two_processes_cannot_both_have_the_last_of_the_budget(account):
    fit = ("fit", "naive-bayes", account, "-s", "people.toml", "--epsilon", "1.5", "--json", "-o")
    both = [privet(*fit, f"m{number}.json") for number in range(2)]
    ends = [finished(process) for process in both]
    assert sorted(code for code, _, _ in ends) == [0, 5]
    for number, (code, out, _) in enumerate(ends):
        assert Path(f"m{number}.json").exists() == (code == 0)
        assert ("error" in json.loads(out)) == (code != 0)
    code, out, _ = finished(privet("ledger", "show", "--json"))
    assert json.loads(out)["accounts"][0]["spent"]["about"] == {"epsilon": 1.5}


def test_scripts_are_not_asked_and_a_closed_pipe_is_no_crash(account):
    code, out, err = finished(privet("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json"))
    assert code == 0
    assert "Spend this?" not in err
    assert "Guarantee:" in out
    process = privet("predict", "m.json", account, "-o", "-")
    process.stdout.close()
    process.wait(timeout=600)
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def test_module_and_environment(tmp_path):
    code, out, _ = finished(privet("--version", cwd=tmp_path, env={**os.environ, "PRIVET_DEBUG": "1"}))
    assert code == 0
    assert out.startswith("privet, version")
