"""Cheating functions: each works against a process of its own, and none against a closed cell."""

from __future__ import annotations

import ctypes
import os
import platform
import socketserver
import sys
import threading
import time
import uuid

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import ParameterError
from privet.isolation import cell
from privet.isolation.cell import Isolated
from tests.isolation.hostile import ATTACKS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cells are closed on Linux only")
RECORDS = (0, 7, 0, 0, 0, 0)


class PlainFork(Isolated):
    """What was before: a process of its own for each block, with limits, and nothing more."""

    closes = False


def results(kind, function, records=RECORDS, timeout=20.0):
    isolation = "available" if kind is PlainFork else "full"
    with kind(function, 1, timeout, as_pandas=False, isolation=isolation) as isolated:
        assert bool(isolated.open) == (kind is PlainFork)
        return isolated.run([pa.table({"x": [record]}) for record in records])


def others(found) -> list[float]:
    """What the blocks without the record returned."""
    return [np.nan if result is None else float(result[0]) for result in (found[0], *found[2:])]


@pytest.fixture
def public(tmp_path):
    """What an attacker may know: paths, numbers and names."""

    class Remembers(socketserver.BaseRequestHandler):
        told = False

        def handle(self):
            Remembers.told |= self.request.recv(1) == b"7"
            self.request.sendall(b"7" if Remembers.told else b"?")

    (tmp_path / "table.csv").write_text("x\n7\n")
    key = uuid.uuid4().int % 10**9
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Remembers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield {
            "path": str(tmp_path), "port": server.server_address[1], "name": f"privet-{key}", "key": key,
            "curator": os.getpid(),
        }  # fmt: skip
        server.shutdown()
    library = ctypes.CDLL(None)
    if (segment := library.shmget(key, 64, 0o600)) >= 0:
        library.shmctl(segment, 0, None)
    if os.path.exists(f"/dev/shm/privet-{key}"):
        os.remove(f"/dev/shm/privet-{key}")


@pytest.mark.parametrize("name", ATTACKS)
def test_what_works_against_a_plain_fork_fails_against_a_cell(name, public):
    function = ATTACKS[name](**public)
    assert others(results(Isolated, function)) == [0.0] * 5
    assert set(os.listdir(public["path"])) == {"table.csv"}
    # Numbers of processes start anew at some point, so an attack that counts them may fail once.
    assert any(1.0 in others(results(PlainFork, function)) for _ in range(3))


def waits(table):
    """Takes its time where the record is; elsewhere it looks at the clock."""

    if table["x"][0].as_py() == 7:
        for _ in range(30_000_000):
            pass
    return time.monotonic()


def test_how_long_a_block_took_is_not_seen_by_the_next():
    assert len(set(others(results(PlainFork, waits)))) == 5
    assert others(results(Isolated, waits)) == [0.0] * 5


@pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86-64")
def test_a_function_that_counts_cycles_is_ended():
    def cycles(table):
        import ctypes
        import mmap

        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(bytes.fromhex("0f31 c3"))  # rdtsc; ret
        count = ctypes.CFUNCTYPE(ctypes.c_uint32)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
        return count() > 0

    assert results(PlainFork, cycles)[0] == [1.0]
    assert results(Isolated, cycles) == [None] * 6


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 has this page")
def test_the_oldest_way_to_ask_the_time_is_closed_too():
    def asks(table):
        import ctypes

        found = (ctypes.c_long * 2)(0, 0)
        ask = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(0xFFFFFFFFFF600000)
        ask(ctypes.addressof(found), None)
        return found[0] != 0

    assert all(result is None or result == [0.0] for result in results(Isolated, asks))


def test_nothing_in_memory_tells_one_block_from_the_next():
    """No number of a process, no descriptor, no global: the same on every block, in every run of the lane."""

    def looks(table):
        import contextlib
        import os
        import sys

        left = getattr(sys, "left_behind", 0)
        sys.left_behind = table["x"][0].as_py()
        found = []
        for descriptor in range(4, 64):
            with contextlib.suppress(OSError):
                found.append(os.write(descriptor, b"x"))
        return hash((left, tuple(found), os.getpid(), os.getppid(), len(os.environ))) % 1000

    assert len(set(others(results(Isolated, looks)))) == 1


def test_the_numbers_of_processes_are_not_in_a_copys_memory(monkeypatch):
    """The C library keeps them after a fork of its own; they count what happens on the machine."""

    def finds(table):
        import ctypes

        library = ctypes.CDLL(None)
        library.pthread_self.restype = ctypes.c_void_p
        return sum(ctypes.cast(library.pthread_self(), ctypes.POINTER(ctypes.c_int32))[:512])

    monkeypatch.setattr(cell, "_lanes", lambda: 1)
    assert len(set(others(results(PlainFork, finds)))) == 5
    assert len(set(others(results(Isolated, finds)))) == 1


def test_a_function_ends_neither_its_lane_nor_its_curator():
    def kills(table):
        import os
        import signal

        if table["x"][0].as_py() == 7:
            os.kill(os.getppid() or curator, signal.SIGKILL)
        return 0.0

    curator = os.getpid()
    alive = []

    class Watched(Isolated):
        def _in_lane(self, *lane):
            alive.append(super()._in_lane(*lane))
            return alive[-1]

    assert others(results(Watched, kills)) == [0.0] * 5
    assert all(alive)


def test_what_runs_on_past_its_limit_is_ended():
    def lingers(table):
        import os

        if table["x"][0].as_py() == 7:
            if kind == "forks":
                os.fork()
            while True:
                pass
        return 0.0

    for kind in ("forks", "spins"):  # noqa: B007  (the function holds it)
        found = results(Isolated, lingers, timeout=4.0)  # that it returns at all is the point
        assert found[1] is None
        assert others(found) == [0.0] * 5


def test_memory_is_limited():
    def hoards(table):
        if table["x"][0].as_py() == 7:
            return len(bytearray(3 << 30))
        return len(bytearray(1 << 20)) > 0

    found = results(Isolated, hoards)
    assert found[1] is None
    assert others(found) == [1.0] * 5


def test_more_numbers_than_declared_through_the_descriptor_are_no_answer():
    def writes(table):
        import os

        os.write(3, b"\0" * 80)
        return 1.0

    assert results(Isolated, writes) == [None] * 6


def test_a_system_that_cannot_close_a_cell_is_refused_and_named():
    with (
        pytest.raises(ParameterError, match="the file system, the network, other processes, the clock"),
        PlainFork(len, 1, 1.0, False),
    ):
        pass
