"""The worker that reads rows has no network, and a database on the same machine all the same."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from privet.isolation.kernel import PROCESSOR
from privet.server import worker
from privet.server.database import Database
from privet.server.settings import Settings
from privet.service.offline import go_offline
from tests.server.house import house

pytestmark = pytest.mark.skipif(PROCESSOR is None, reason="needs Linux on x86-64 or aarch64")


def reached() -> dict[str, bool]:
    """Which sockets can be made here."""
    found = {}
    for name, kind in (
        ("internet", socket.AF_INET),
        ("new internet", socket.AF_INET6),
        ("same machine", socket.AF_UNIX),
    ):
        try:
            socket.socket(kind, socket.SOCK_DGRAM).close()
            found[name] = True
        except PermissionError:
            found[name] = False
    return found


def in_a_thread(work: Any) -> Any:
    told: list[Any] = []
    thread = threading.Thread(target=lambda: told.append(work()))
    thread.start()
    thread.join()
    return told[0]


def test_offline_is_for_the_thread_and_for_what_it_starts():
    def work() -> Any:
        return go_offline(), reached(), in_a_thread(reached)

    done, here, started = in_a_thread(work)
    assert done
    assert here == started == {"internet": False, "new internet": False, "same machine": True}
    assert reached()["internet"]  # nobody else's is gone


def test_calls_that_pass_by_the_filter_are_closed_too():
    import ctypes

    def work() -> list[int]:
        go_offline()
        call = ctypes.CDLL(None, use_errno=True).syscall
        numbers = [(425, 1, 0, 0)]  # io_uring_setup
        if PROCESSOR is not None and PROCESSOR.socket == 41:
            numbers.append((0x40000000 | 41, socket.AF_INET, socket.SOCK_STREAM, 0))  # x32
        return [call(*map(ctypes.c_long, each)) for each in numbers]

    assert set(in_a_thread(work)) == {-1}


def test_a_run_is_carried_out_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    seen = []
    made = worker.release_of

    def watched(*given: Any) -> Any:
        seen.append(reached())
        return made(*given)

    monkeypatch.setattr(worker, "release_of", watched)
    with house(tmp_path) as found:
        assert found.run(found.analyst, found.dataset)["state"] == "released"
    assert seen == [{"internet": False, "new internet": False, "same machine": True}]


@pytest.mark.parametrize(
    ("address", "here"),
    [
        (None, True),
        ("postgresql:///privet", True),
        ("postgresql://privet@/privet?host=/run/postgresql", True),
        ("postgresql://privet@127.0.0.1/privet", False),
        ("postgresql://privet@db.example.org:5432/privet", False),
        ("postgresql://privet@/privet?host=/run/postgresql,db.example.org", False),
        ("postgresql:///privet?hostaddr=127.0.0.1", False),
    ],
)
def test_a_worker_keeps_the_network_only_if_its_database_needs_it(
    address: str | None, here: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("PGHOST", raising=False)
    monkeypatch.delenv("PGHOSTADDR", raising=False)
    assert Database(Settings(tmp_path, database=address)).on_this_machine is here
    monkeypatch.setenv("PGHOST", "db.example.org")
    assert Database(Settings(tmp_path, database="postgresql:///privet")).on_this_machine is False
