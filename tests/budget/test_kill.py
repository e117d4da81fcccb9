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

import pytest

from privet.budget import Ledger, Pure, PureEvent, exact
from privet.errors import BudgetExceeded
from privet.schema import Unit

PROCESSES = 8
SECONDS = 8.0

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


def storm(path, folder, step: str, seconds: float, *, seed: int, drain: bool) -> tuple[set[int], int, int]:
    """Run and kill spenders; the acknowledged reservations, how many were killed, how many were refused.

    With ``drain``, the last ones are left to run until the budget refuses them.
    """
    chance, births, killed, refused = random.Random(seed), 0, 0, 0

    def start() -> subprocess.Popen[bytes]:
        nonlocal births
        births += 1
        notes = folder / f"notes-{births}"
        return subprocess.Popen(
            [sys.executable, "-c", SPENDER, str(path), f"analyst-{births % PROCESSES}", str(notes), step],
            stderr=subprocess.PIPE,
        )

    running = [start() for _ in range(PROCESSES)]
    try:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.01, 0.25))
            place = chance.randrange(PROCESSES)
            if running[place].poll() is None:
                os.kill(running[place].pid, signal.SIGKILL)
            killed, refused = _reap(running[place], killed, refused)
            running[place] = start()
        if drain:
            for process in running:
                process.wait(timeout=60)
    finally:
        for process in running:
            process.kill()
    for process in running:
        killed, refused = _reap(process, killed, refused)
    notes = "".join(file.read_text() for file in folder.glob("notes-*"))
    # A note cut short by the kill has no line end, and was not finished.
    return {int(line) for line in notes.splitlines(keepends=True) if line.endswith("\n")}, killed, refused


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
    ("limit", "step", "seconds"),
    [
        pytest.param("1000", "0.01", SECONDS, id="never used up"),
        pytest.param("0.5", "0.01", 2.0, id="used up under fire"),
    ],
)
def test_killed_processes_never_overspend_and_lose_no_commit(tmp_path, limit, step, seconds):
    path = tmp_path / "ledger.db"
    Ledger.open(path, create=True).open_account("patients", Pure(exact(limit)), unit=Unit())
    acknowledged, killed, refused = storm(path, tmp_path, step, seconds, seed=1, drain=limit == "0.5")
    assert killed > 3
    assert len(acknowledged) > 20
    total = check(path, exact(limit), acknowledged)
    if limit == "0.5":
        assert refused
        assert total == exact(limit)
        with pytest.raises(BudgetExceeded):
            Ledger.open(path).reserve("patients", PureEvent(exact(step)), unit=Unit(), what="x")
    else:
        # A kill between reserve and commit leaves a reservation that stays spent.
        assert total >= len(acknowledged) * exact(step)
