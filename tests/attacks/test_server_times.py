"""When a run has really ended stays inside: the public grid is the only clock that an analyst can read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from privet.server import worker as module
from privet.server.store import moments
from privet.server.worker import Worker
from tests.server.house import house


def test_a_commit_and_a_release_are_shown_when_the_run_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    clock, seen = [0.0], []
    with house(tmp_path, workers=0) as home:
        dataset = home.new_dataset(1.0)

        def waited(seconds: float) -> None:
            """The run is over, and waits for the grid: what does an analyst see meanwhile?"""
            seen.append(home.analyst.get(f"/accounts/{dataset}/history")["entries"][-1]["state"])
            seen.append(home.analyst.get("/releases"))
            clock[0] += seconds

        def looked() -> float:
            clock[0] += 0.25
            return clock[0]

        monkeypatch.setattr(module, "time", SimpleNamespace(sleep=waited, monotonic=looked))
        for place in ("worker", "store.runs", "releasing"):
            monkeypatch.setattr(f"privet.server.{place}.now", lambda: moments.iso(clock[0]))
        monkeypatch.setattr(home.server, "settings", replace(home.server.settings, grid_seconds=1000.0))
        run = home.start(home.analyst, home.plan(home.analyst, dataset)["id"])["id"]
        worker = Worker(home.server)
        assert worker.work_once()
        worker.close()
        assert seen == ["reserved", []]
        assert home.analyst.get(f"/accounts/{dataset}/history")["entries"][-1]["state"] == "committed"
        shown = home.analyst.get(f"/runs/{run}")
        [listed] = home.analyst.get("/releases")
        assert listed["created"] == shown["finished"]
        assert home.analyst.get(f"/releases/{shown['release']}")["created"] == shown["finished"]


@pytest.mark.parametrize("more", [{"tune": True}, {"tune": True, "trials": 5000}, {"grid": {"bins": [2, 4]}}])
@pytest.mark.parametrize("case", ["fit", "select"])
def test_nobody_who_waits_can_ask_for_a_search(tmp_path: Path, case: str, more: dict[str, object]):
    with house(tmp_path, workers=0) as home:
        body = {"use_case": case, "dataset": home.dataset, "parameters": {"epsilon": 0.1, **more}}
        body["algorithm"] = "naive-bayes" if case == "fit" else "select-k-best"
        answer = home.analyst.ask("POST", "/plans", json=body)
        assert answer.status_code == 422, answer.text
        assert "no parameter" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("case", "more"),
    [("query", {"sql": "SELECT COUNT(*) FROM data"}), ("evaluate", {}), ("diagnose", {})],
)
def test_nobody_who_waits_can_have_budget_given_back_when_a_run_ends(tmp_path: Path, case: str, more: dict):
    """It would move the account before the run's end on the grid: the moment of its real end."""
    with house(tmp_path, workers=0) as home:
        parameters = {"epsilon": 0.1, "until": 5.0, **more}
        answer = home.analyst.ask(
            "POST", "/plans", json={"use_case": case, "dataset": home.dataset, "parameters": parameters}
        )
        assert answer.status_code == 422, answer.text
        assert "'until' is no parameter" in answer.json()["detail"]
