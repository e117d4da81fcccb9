"""Every page of docs/experiments has its cells, is listed, and comes out of the store as it is."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from benchmarks.figures import Figure
from reproduction import page as pages_of
from reproduction.__main__ import main, pages
from reproduction.page import FOLDER, Cell, Page
from reproduction.store import Store

PAGES = pages()
#: Pages whose results are not stored yet: the index says so.
NOT_STORED = {
    "regression_audit",
    "regression_inversion",
    "rules-miners",
    "rules-selected",
    "feature-selection-private",
    "perturbation-tables",
    "perturbation-stream",
}


#: Pages that are no paper's: ``python -m benchmarks`` measures them.
OWN = {"audit", "bagged-trees", "forecast", "queries", "server", "small-tables", "unsupervised"}


def test_every_written_page_is_a_page_and_is_in_the_index():
    written = {path.stem for path in FOLDER.glob("*.md")} - {"index"}
    assert written == {*PAGES, *OWN}
    linked = re.findall(r"\]\(([\w-]+)\.md\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    assert sorted(linked) == sorted(written)


@pytest.mark.parametrize("name", PAGES)
def test_cells_have_names_of_their_own(name):
    keys = [cell.key for cell in PAGES[name].cells()]
    assert keys
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("name", sorted(set(PAGES) - NOT_STORED))
def test_a_page_is_what_its_stored_results_say(name, tmp_path):
    PAGES[name].render(tmp_path)
    again = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert again == (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(NOT_STORED))
def test_a_page_without_results_is_left_alone(name, tmp_path, capsys):
    assert PAGES[name].render(tmp_path) == []
    assert "is not written yet" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.fixture
def little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page of two results, the second of which it can do without."""
    store = Store("paper", "little", tmp_path)
    monkeypatch.setattr(pages_of, "Store", lambda paper, name: store)

    def cells():
        yield Cell("first", lambda: [1.0])
        yield Cell("second", lambda: (2.0,), needed=False)

    def write(found, folder):
        (folder / "little.md").write_text(str(found))
        return [Figure("results", len(found))]

    return Page("paper", "little", "A page", cells, write, tables=False)


def test_only_what_is_missing_is_measured_and_only_in_time(little, tmp_path):
    little.measure(end=time.monotonic() - 1)
    assert little.status() == "0 of 2 results"
    assert little.render(tmp_path) == []
    little.store.put("first", [7.0])
    assert [figure.value for figure in little.render(tmp_path)] == [1]
    little.measure()
    assert little.store.read() == {"first": [7.0], "second": [2.0]}
    assert [figure.value for figure in little.render(tmp_path)] == [2]


def test_two_processes_measure_the_same(little):
    little.measure(processes=2)
    assert little.store.read() == {"first": [1.0], "second": [2.0]}


def test_the_command_lists_writes_and_refuses(little, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("reproduction.__main__.pages", lambda: {"little": little})
    monkeypatch.setattr("sys.argv", ["reproduction"])
    assert main() == 0
    assert "0 of 2 results" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["reproduction", "litle"])
    with pytest.raises(SystemExit):
        main()
    assert "there is no page litle" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["reproduction", "little", "--minutes", "0"])
    assert main() == 0
    assert "not written yet. Results missing: 1, first first" in capsys.readouterr().out
