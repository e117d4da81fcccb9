"""A storm on a ledger: eight clients spend while they are killed and the server is cut off; then exact accounting.

One round is one new ledger. Clients are forked, not started, so that killing them is cheap; each notes down what
was acknowledged to it, *after* the call returned, in a file of its own. When the round ends, the ledger's rows are
compared with the notes. A request is one call of ``reserve`` or ``commit`` that returned or was refused.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path

from privet.budget import Ledger, Pure, PureEvent, exact
from privet.errors import BudgetExceeded, LedgerError
from privet.schema import Unit

CLIENTS = 8
STEP = exact("0.001")


@dataclass(frozen=True)
class Tally:
    """What one or more rounds came to. ``overspent``, ``lost`` and ``double`` must be 0."""

    requests: int = 0
    rounds: int = 0
    commits: int = 0
    killed: int = 0
    crashes: int = 0
    overspent: int = 0
    lost: int = 0
    double: int = 0
    processes: int = 0  # of a server, killed

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def faults(self) -> int:
        return self.overspent + self.lost + self.double


def client(address: str, name: str, notes: Path) -> int:
    """Spend until the budget refuses; 5 is the exit code for that."""
    ledger = _opened(address).as_analyst(name)
    file = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(word: str, number: int = 0) -> None:
        os.write(file, f"{word} {number}\n".encode())

    while True:
        try:
            reservation = ledger.reserve("patients", PureEvent(STEP), unit=Unit(), what="spend")
        except BudgetExceeded:
            note("refused")
            return 5
        except LedgerError:  # the server is away: nothing was granted to us
            note("failed")
            time.sleep(0.02)
            continue
        note("reserved", reservation.number)
        while True:
            try:
                ledger.commit(reservation, {"by": name})
                break
            except LedgerError:  # repeated, since that is safe
                note("failed")
                time.sleep(0.02)
        note("committed", reservation.number)


def _opened(address: str) -> Ledger:
    while True:
        try:
            return Ledger.open(address)
        except LedgerError:  # the server is away
            time.sleep(0.02)


def storm(
    address: str,
    folder: Path,
    *,
    steps: int,
    kills: int,
    crash: Callable[[], None] | None = None,
    crashes: int = 0,
    seed: int | None = None,
) -> Tally:
    """One round on a new ledger whose budget is ``steps`` steps: until it is used up, under fire."""
    limit = Pure(steps * STEP)
    Ledger.open(address, create=True).open_account("patients", limit, unit=Unit())
    chance = random.Random(seed)
    running: dict[int, Path] = {}
    births = killed = crashed = 0

    def start() -> None:
        nonlocal births
        births += 1
        notes, name = folder / f"notes-{births}", f"analyst-{births % CLIENTS}"
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = client(address, name, notes)
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(code)
        running[child] = notes

    for _ in range(CLIENTS):
        start()
    done_before = 0
    try:
        while running:
            time.sleep(chance.uniform(0.005, 0.05))
            done = sum(path.stat().st_size for path in folder.glob("notes-*"))
            # Spread over the round by how much was done, not by the clock: a slow machine gets them too.
            due = done - done_before > 22 * steps / max(kills + crashes, 1) * chance.uniform(0.3, 1.0)
            if due and (killed < kills or crashed < crashes):
                done_before = done
                if crash is not None and crashed < crashes and chance.random() < crashes / (kills + crashes):
                    crash()
                    crashed += 1
                elif killed < kills:
                    victim = chance.choice(list(running))
                    os.kill(victim, signal.SIGKILL)
                    killed += 1
            for child in list(running):
                ended, status = os.waitpid(child, os.WNOHANG)
                if not ended:
                    continue
                del running[child]
                code = os.waitstatus_to_exitcode(status)
                assert code in (5, -signal.SIGKILL), f"a client ended with {code}"
                if code != 5:
                    start()
    finally:
        for child in running:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return account(address, folder, limit.epsilon, killed, crashed)


def account(address: str, folder: Path, limit: Fraction, killed: int, crashed: int) -> Tally:
    """Compare the ledger's rows with what the clients were told. The sum is made here, not by the ledger."""
    told: dict[str, list[int]] = {"reserved": [], "committed": [], "refused": [], "failed": []}
    for file in folder.glob("notes-*"):
        for line in file.read_text().splitlines(keepends=True):
            if line.endswith("\n"):  # a note cut short by the kill was not finished
                word, number = line.split()
                told[word].append(int(number))
    ledger = Ledger.open(address)
    ledger.verify()
    rows = [(row.number, row.kind, json.loads(row.body)) for row in ledger._chain.rows()]
    reserved = {number for number, kind, _ in rows if kind == "reserve"}
    total = sum(
        (Fraction(body["event"]["epsilon"]) for _, kind, body in rows if kind == "reserve"), Fraction(0)
    )
    committed = [body["reservation"] for _, kind, body in rows if kind == "commit"]
    lost = len(set(told["reserved"]) - reserved) + len(set(told["committed"]) - set(committed))
    double = len(told["reserved"]) - len(set(told["reserved"])) + len(committed) - len(set(committed))
    overspent = int(total > limit) + int(ledger.spent("patients") != Pure(total))
    # Every client left only when the budget refused it, so all of it must be gone: neither more nor less.
    overspent += int(total != limit)
    requests = sum(len(numbers) for word, numbers in told.items() if word != "failed")
    return Tally(requests, 1, len(told["committed"]), killed, crashed, overspent, lost, double)
