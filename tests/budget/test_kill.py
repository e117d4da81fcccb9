"""Eight processes spend from one SQLite ledger while they are killed with SIGKILL at random moments.

At the end: the total never passed the limit, every commit that was acknowledged is in the history, and the
chain holds. The sum is made here from the rows themselves, not by the ledger's own accountant.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from privet.budget import Ledger, Pure, PureEvent, exact
from privet.errors import BudgetExceeded
from privet.schema import Unit

PROCESSES = 8
GUARD = 600.0  # seconds: only so that a ledger that stands still ends in a failure instead of in waiting

SPENDER = """
import os, sys
from privet.budget import Ledger, PureEvent, exact
from privet.errors import BudgetExceeded
from privet.schema import Unit

ledger = Ledger.open(sys.argv[1]).as_analyst(sys.argv[2])
notes = os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
unit, event = Unit(), PureEvent(exact(sys.argv[4]))
while True:
    try:
        reservation = ledger.reserve("patients", event, unit=unit, what="spend")
    except BudgetExceeded:
        sys.exit(5)
    ledger.commit(reservation, {"by": sys.argv[2]})
    os.write(notes, f"{reservation.number}\\n".encode())  # only after commit has returned
    os.fsync(notes)
"""


def storm(path, folder, step: str, *, kills: int, commits: int, drain: bool) -> tuple[set[int], int, int]:
    """Run and kill spenders; the acknowledged reservations, how many were killed, how many were refused.

    Goes on until there were ``kills`` and ``commits``, however long that takes. A process is killed only
    after it has opened the ledger: on a busy machine none would ever get that far otherwise. With ``drain``,
    the last ones are left to run until the budget refuses them.
    """
    chance, births, killed, refused = random.Random(1), 0, 0, 0
    end = time.monotonic() + GUARD

    def start() -> tuple[subprocess.Popen[bytes], Path]:
        nonlocal births
        births += 1
        notes = folder / f"notes-{births}"
        words = [sys.executable, "-c", SPENDER, str(path), f"analyst-{births % PROCESSES}", str(notes), step]
        return subprocess.Popen(words, stderr=subprocess.PIPE), notes

    running = [start() for _ in range(PROCESSES)]
    try:
        while killed < kills or len(_acknowledged(folder)) < commits:
            assert time.monotonic() < end, f"{killed} kills and {len(_acknowledged(folder))} commits so far"
            time.sleep(chance.uniform(0.01, 0.1))
            spending = [place for place, (_, notes) in enumerate(running) if notes.exists()]
            if not spending or killed >= kills:
                continue
            place = chance.choice(spending)
            process, _ = running[place]
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
            killed, refused = _reap(process, killed, refused)
            running[place] = start()
        if drain:
            for process, _ in running:
                process.wait(timeout=GUARD)
    finally:
        for process, _ in running:
            process.kill()
    for process, _ in running:
        killed, refused = _reap(process, killed, refused)
    return _acknowledged(folder), killed, refused


def _acknowledged(folder: Path) -> set[int]:
    notes = "".join(file.read_text() for file in folder.glob("notes-*"))
    # A note cut short by the kill has no line end, and was not finished.
    return {int(line) for line in notes.splitlines(keepends=True) if line.endswith("\n")}


def _reap(process: subprocess.Popen[bytes], killed: int, refused: int) -> tuple[int, int]:
    _, errors = process.communicate()
    # Killed, or refused for lack of budget: any other end is a fault.
    assert process.returncode in (-signal.SIGKILL, 5), errors.decode()
    return killed + (process.returncode != 5), refused + (process.returncode == 5)


def check(path, limit: Fraction, acknowledged: set[int]) -> Fraction:
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT number, kind, body FROM history ORDER BY number").fetchall()
    connection.close()
    bodies = {number: (kind, json.loads(body)) for number, kind, body in rows}
    assert list(bodies) == list(range(1, len(rows) + 1))
    total = sum(
        (Fraction(body["event"]["epsilon"]) for kind, body in bodies.values() if kind == "reserve"),
        Fraction(0),
    )
    committed = [body["reservation"] for kind, body in bodies.values() if kind == "commit"]
    assert total <= limit
    assert len(set(committed)) == len(committed)
    assert acknowledged <= set(committed)
    ledger = Ledger.open(path)
    ledger.verify()
    assert ledger.spent("patients") == Pure(total)
    states = {entry.number: entry.state for entry in ledger.history()}
    assert all(states[number] == "committed" for number in acknowledged)
    return total


@pytest.mark.parametrize(
    ("limit", "step", "kills", "commits"),
    [
        pytest.param("1000", "0.01", 16, 60, id="never used up"),
        # 500 steps: six kills come long before the last of them.
        pytest.param("0.5", "0.001", 6, 0, id="used up under fire"),
    ],
)
def test_killed_processes_never_overspend_and_lose_no_commit(tmp_path, limit, step, kills, commits):
    path = tmp_path / "ledger.db"
    Ledger.open(path, create=True).open_account("patients", Pure(exact(limit)), unit=Unit())
    drain = limit == "0.5"
    acknowledged, killed, refused = storm(path, tmp_path, step, kills=kills, commits=commits, drain=drain)
    assert killed >= kills
    assert len(acknowledged) > 20
    total = check(path, exact(limit), acknowledged)
    if drain:
        assert refused
        assert total == exact(limit)
        with pytest.raises(BudgetExceeded):
            Ledger.open(path).reserve("patients", PureEvent(exact(step)), unit=Unit(), what="x")
    else:
        # A kill between reserve and commit leaves a reservation that stays spent.
        assert total >= len(acknowledged) * exact(step)
