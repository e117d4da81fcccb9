"""The experimenter has the free cells of experiments done: one experiment at a time, in its own process.

No row of anybody's table is at hand in that process: it works in the experiment's folder, which holds the
experiment, schemas and results. It may be killed at any moment; the results are kept cell by cell, so pausing
is ending it, and whatever is marked as running when a server starts goes on where it stopped. Of several
servers that share a folder, the one that holds its lock works.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from privet.server.state import Server
from privet.server.store import experiments

__all__ = ["folder_of", "start_experimenter"]

log = logging.getLogger("privet.server")
_UNEXPECTED = "The server met an error that it did not expect. Nothing was spent."
_LOOK_SECONDS = 0.25


def folder_of(server: Server, experiment: str) -> Path:
    """Where an experiment's file and results are kept."""
    return server.settings.home / "experiments" / Path(experiment).name


def start_experimenter(server: Server) -> threading.Thread:
    """A thread that looks for experiments to go on with until the server stops."""
    thread = threading.Thread(target=_work, args=(server,), name="experimenter", daemon=True)
    thread.start()
    return thread


def _work(server: Server) -> None:
    while not server.stopping.wait(2 * _LOOK_SECONDS):
        try:
            with server.database.read() as connection:
                waiting = experiments.waiting(connection)
            for experiment in waiting:
                with _held(folder_of(server, experiment)) as mine:
                    if mine and not server.stopping.is_set():
                        _carry_out(server, experiment)
        except Exception as error:  # such as a database that is restarted
            log.error("experimenter", extra={"kind": type(error).__name__})


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Whether this server is the one that works in the folder; the lock ends with the server."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(folder / "worker.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def _carry_out(server: Server, experiment: str) -> None:
    """Have the cells done until they are, or somebody pauses them, or the server stops."""
    words = ["-m", "privet.service.experimenting", str(folder_of(server, experiment))]
    processes = max(1, min(4, os.cpu_count() or 1))
    child = subprocess.Popen(
        [sys.executable, *words, str(processes), str(os.getpid())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        while child.poll() is None:
            if server.stopping.wait(_LOOK_SECONDS) or not _wanted(server, experiment):
                return
        _ended(server, experiment, child)
    finally:
        child.kill()  # nothing is lost but the cell at hand
        child.communicate()


def _wanted(server: Server, experiment: str) -> bool:
    with server.database.read() as connection:
        row = experiments.find(connection, experiment)
    return row is not None and row.state == "running"


def _ended(server: Server, experiment: str, child: subprocess.Popen[str]) -> None:
    said = "" if child.stdout is None else child.stdout.read()
    values: dict[str, str | None] = {"state": "done", "problem": None}
    if child.returncode != 0:
        log.warning("experiment failed", extra={"experiment": experiment, "code": child.returncode})
        try:
            problem = str(json.loads(said)) if child.returncode == 2 else _UNEXPECTED
        except ValueError:
            problem = _UNEXPECTED
        values = {"state": "failed", "problem": problem}
    with server.database.write() as connection:
        experiments.change(connection, experiment, ("running",), **values)
