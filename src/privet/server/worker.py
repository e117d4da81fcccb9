"""The worker: takes a run, pays for it, carries it out, and stores what was released.

Whether a worker is alive is asked of the operating system (a lock on a file that ends with its process),
never of a clock. What a dead one has left is settled by the next that looks: see ``store.runs``.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Row

from privet.errors import DataError, PrivetError
from privet.server.connections import CONNECTED, any_connections
from privet.server.credentials import new_id
from privet.server.experimenter import start_experimenter
from privet.server.genotypes import STUDY_FILE
from privet.server.planning import asked_of, models_of, schema_file
from privet.server.problems import Refusal
from privet.server.registering import stored
from privet.server.releasing import release_of
from privet.server.seeing import ServerSession, steps
from privet.server.state import Server
from privet.server.store import audit, datasets, runs, studies
from privet.server.store.flows import KeptSteps
from privet.server.store.moments import now
from privet.service.offline import go_offline

__all__ = ["Worker", "settle_the_dead", "start_workers"]

log = logging.getLogger("privet.server")
_LOST = "The run was paid for and ended without a release. It is never repeated; what was spent stays spent."


_UNREADABLE = "The table could not be opened, or does not fit its schema. Its owner is told why."


class Worker:
    """One worker: a thread of the server, or a process of its own."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.name = new_id("worker")
        folder = server.settings.home / "workers"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = os.open(folder / self.name, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def work(self) -> None:
        """Run what is queued until the server stops. The run at hand is finished first."""
        needless = self.server.database.on_this_machine and not any_connections(self.server)
        if not (needless and go_offline()):
            log.warning("worker with a network", extra={"kind": "worker"})
        while not self.server.stopping.is_set():
            try:
                settle_the_dead(self.server, idle=self.name)
                while not self.server.stopping.is_set() and self.work_once():
                    pass
            except Exception as error:  # such as a database that is restarted: try again, with what is queued
                log.error("worker", extra={"kind": type(error).__name__})
                time.sleep(0.5)
            self.server.awake.wait(0.25 if self.server.database.sqlite else 0.5)
            self.server.awake.clear()
        self.close()

    def close(self) -> None:
        with suppress(OSError):
            (self.server.settings.home / "workers" / self.name).unlink()
            os.close(self._lock)

    def work_once(self) -> bool:
        """Take one run and end it; False if none was waiting."""
        database = self.server.database
        with database.write() as connection:
            run = runs.take(connection, self.name)
        if run is None:
            return False
        started = time.monotonic()
        try:
            self._carry_out(run)
        except (PrivetError, Refusal) as error:
            self._failed(run, error)
        except Exception as error:
            self._failed(run, error)
        self._show(run, started)
        return True

    def _carry_out(self, run: str) -> None:
        server = self.server
        with server.database.read() as connection:
            row = runs.find(connection, run)
            assert row is not None
            table = datasets.find(connection, row.dataset)
            assert table is not None
            plan = runs.find_plan(connection, row.plan)
            assert plan is not None
            role = studies.role_of(connection, table.study, row.user)
            asked = asked_of(plan)
            models = models_of(connection, asked)
        if role not in ("owner", "analyst"):
            raise Refusal(403, "Not a member any more", "Whoever asked for this may not run it any more.")
        if table.state != "open" or table.version != asked.version:
            raise Refusal(
                409, "The dataset has changed", "Its schema or its rows are not those of the plan any more."
            )
        schema = schema_file(server, asked.dataset, asked.version)
        with asked.case(schema, *models) as case:
            kept = None if row.practice else KeptSteps(server.database, row.dataset, asked.version, run)
            agreed = json.loads(row.price)["price"]["text"]
            if not row.practice:
                asked.require_price(case, ServerSession(None, row.who, kept=kept), agreed)
            result = case.run(self._session(row, table, kept))
        release = release_of(row, asked, result, datasets.slug(table.name))
        for attempt in range(3):  # it is paid for: a disk that is full for a moment must not lose it
            try:
                with server.database.write() as connection:
                    runs.add_release(connection, **release)
                    if kept is not None:
                        kept.write(connection)
                return
            except Exception:
                if attempt == 2:
                    raise
                time.sleep(0.2)

    def _session(self, row: Row[Any], table: Row[Any], kept: KeptSteps | None) -> ServerSession:
        server, sqlite = self.server, self.server.database.sqlite
        free = json.loads(row.price)["state"] == "free"  # then no payment says that it has begun
        if row.practice or free:
            doing = "practising" if row.practice else "putting together what was released"
            with server.database.write() as connection:
                if not runs.change(connection, row.id, ("queued",), state="running", step=doing):
                    raise Refusal(409, "Cancelled", "The run was cancelled.")
        if row.practice:
            return ServerSession(
                None,
                row.who,
                progress=steps(lambda what: self._step(row.id, what)),
                lists=server.folder(row.dataset) / STUDY_FILE,
            )

        def paid(transaction: Any, number: int) -> None:
            runs.mark_paid(transaction.connection, row.id, self.name, number, sqlite=sqlite)

        return ServerSession(
            server.database.ledger.writing_beside(paid),
            row.who,
            # What is told after the payment would show how far it is, and so how many records there are.
            progress=steps(lambda what: self._step(row.id, what, ("queued",))),
            file=stored(server, table),
            connected=table.source == CONNECTED,
            kept=kept,
        )

    def _step(self, run: str, what: str, while_in: tuple[str, ...] = ("queued", "running")) -> None:
        with self.server.database.write() as connection:
            runs.change(connection, run, while_in, step=what)

    def _failed(self, run: str, error: Exception) -> None:
        """Before it was paid for a run is refused, and free; after that it is lost, and stays paid for."""
        log.warning("run failed", extra={"run": run, "kind": type(error).__name__})
        kind = type(error).__name__
        if isinstance(error, Refusal):
            said = error.detail
        elif isinstance(error, DataError):  # read off the table, and for nothing: the owner alone is told
            said = _UNREADABLE
        elif isinstance(error, PrivetError):
            said = f"{error.message} {error.advice}".strip()
        else:
            said = "The server met an error that it did not expect."
        detail = f"{kind}: {error.message}" if isinstance(error, PrivetError) else kind
        told = isinstance(error, PrivetError | Refusal) and not isinstance(error, DataError)
        with self.server.database.write() as connection:
            if runs.change(
                connection,
                run,
                ("queued",),
                state="refused",
                step="done",
                finished=now(),
                problem=said,
                detail=None if told else detail,
            ):
                return
            # What failed after records were read is shown to the owner alone: it depends on them.
            runs.change(connection, run, ("running",), problem=_LOST, detail=detail)

    def _show(self, run: str, started: float) -> None:
        """End a run at the next point of the public grid: how long it took depends on the records."""
        with self.server.database.read() as connection:
            row = runs.find(connection, run)
        if row is None or row.state != "running":
            return
        grid = self.server.settings.grid_seconds
        if grid > 0:
            time.sleep(grid - (time.monotonic() - started) % grid)
        state = "released" if row.release is not None else "lost"
        with self.server.database.write() as connection:
            runs.change(
                connection,
                run,
                ("running",),
                state=state,
                step="done",
                finished=now(),
                problem=None if state == "released" else row.problem or _LOST,
            )
            audit.note(
                connection,
                row.who,
                datasets.study_of(connection, row.dataset) or "",
                f"run {state}",
                run=run,
                practice=row.practice,
            )


def settle_the_dead(server: Server, idle: str = "") -> None:
    """End or hand back the runs of workers whose process is gone, and of one that is ``idle``.

    A worker that asks has no run at hand. If it holds one all the same, the database was away when the run
    should have ended.
    """
    with server.database.read() as connection:
        held = runs.working(connection)
    for name in held:
        if name == idle or _is_gone(server.settings.home / "workers" / Path(name).name):
            with server.database.write() as connection:
                runs.settle(connection, name)


def _is_gone(place: Path) -> bool:
    try:
        handle = os.open(place, os.O_RDWR)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    with suppress(OSError):
        place.unlink()
    return True


def start_workers(server: Server) -> list[threading.Thread]:
    """The workers of this process, each a thread."""
    found = []
    for _ in range(server.settings.workers):
        worker = Worker(server)
        thread = threading.Thread(target=worker.work, name=worker.name, daemon=True)
        thread.start()
        found.append(thread)
    if server.settings.workers:
        found.append(start_experimenter(server))
    return found
