"""Starting and stopping: one process by default, several on PostgreSQL, and the workbench of one person."""

from __future__ import annotations

import logging
import multiprocessing
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn

from privet.errors import ParameterError
from privet.server.application import application
from privet.server.problems import Refusal
from privet.server.settings import WORKBENCH, Settings
from privet.server.state import Server
from privet.server.store import audit, people

__all__ = ["first_owner", "new_operator", "serve", "workbench"]

Note = Callable[[str], None]
log = logging.getLogger("privet.server")


def first_owner(settings: Settings, name: str) -> str:
    """Make the first owner; gives the password, which is kept nowhere. Owners make further users."""
    return _make(settings, name, owner=True)


def new_operator(settings: Settings, name: str) -> str:
    """Make an operator: who runs the machine, makes users, and can spend nothing."""
    return _make(settings, name, operator=True)


def _make(settings: Settings, name: str, *, owner: bool = False, operator: bool = False) -> str:
    if not name or name != " ".join(name.split()) or not name.isprintable() or len(name) > 200:
        raise ParameterError(
            "A user needs a name that can be printed.", "Give a short one, without blanks at its ends."
        )
    server = Server(settings)
    server.database.prepare()
    password = secrets.token_urlsafe(18)
    try:
        with server.database.write() as connection:
            if owner and any(user.owner for user in people.all_users(connection)):
                raise ParameterError(
                    "There is an owner already.", "They make further users, in the workbench or by the API."
                )
            people.add_user(connection, name, password, owner=owner, operator=operator)
            audit.note(connection, name, "", "was made on the command line", owner=owner, operator=operator)
    except Refusal as error:
        raise ParameterError(error.detail, error.advice) from None
    finally:
        server.database.close()
    return password


def _socket(host: str, port: int, *, shared: bool = False) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    # Accepted ones inherit it. Without it the body of an answer waits 40 ms for the word that its head came.
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise ParameterError(
            f"The server cannot listen at {host}:{port}: {error.strerror}.", "Choose another address or port."
        ) from None
    return found


def _config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # addresses are not kept
        server_header=False,
        date_header=False,
        proxy_headers=False,  # what a caller writes into a header is not believed
        timeout_graceful_shutdown=30,
        h11_max_incomplete_event_size=65_536,
    )


def serve(
    settings: Settings, host: str, port: int, note: Note, *, web: int = 1, metrics: int | None = None
) -> None:
    """Serve until a signal says stop; then requests and the runs at hand are finished first."""
    from privet.server.logs import start_logs

    start_logs()
    if web != 1:
        _serve_several(settings, host, port, note, web, metrics)
        return
    listening = _socket(host, port)
    app = application(settings)
    if metrics is not None:
        from privet.server.metrics import serve_metrics

        serve_metrics(app.state.server, host, metrics)
    note(f"Privet serves at http://{host}:{listening.getsockname()[1]}  (stop it with Ctrl-C)")
    uvicorn.Server(_config(app)).run(sockets=[listening])


def _child(settings: Settings, host: str, port: int) -> None:
    """One web process of several; the kernel shares out the connections."""
    from privet.server.logs import start_logs

    start_logs()
    uvicorn.Server(_config(application(settings))).run(sockets=[_socket(host, port, shared=True)])


def _run_worker(settings: Settings) -> None:
    """One process that runs what is queued, and has no door to the outside."""
    from privet.server.experimenter import start_experimenter
    from privet.server.logs import start_logs
    from privet.server.worker import Worker

    start_logs()
    server = Server(settings)

    def stop(*_: Any) -> None:
        server.stopping.set()
        server.awake.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    experimenter = start_experimenter(server)
    Worker(server).work()
    experimenter.join()


def _serve_several(
    settings: Settings, host: str, port: int, note: Note, web: int, metrics: int | None
) -> None:
    server = Server(settings)
    server.database.prepare()  # once, before any child looks
    if metrics is not None:
        from privet.server.metrics import serve_metrics

        serve_metrics(server, host, metrics)
    spawn = multiprocessing.get_context("spawn")
    front = replace(settings, workers=0)
    held = _socket(host, port, shared=True) if web else None  # holds the port; it does not listen itself
    chosen = held.getsockname()[1] if held else port

    def start(kind: str) -> Any:
        target, arguments = (_child, (front, host, chosen)) if kind == "web" else (_run_worker, (settings,))
        process = spawn.Process(target=target, args=arguments)
        process.start()
        log.info("process started", extra={"kind": kind, "pid": process.pid})
        return process

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):  # before there is a child that a stop could leave behind
        signal.signal(number, lambda *_: stop.set())
    children: list[tuple[str, Any]] = []
    try:
        for kind in ["web"] * web + ["runs"] * settings.workers:
            children.append((kind, start(kind)))
        note(f"Privet serves at http://{host}:{chosen}  with {web} web and {settings.workers} run processes")
        while not stop.wait(0.5):
            # One that died is started anew. What it was running is settled by the next worker: lost, never
            # repeated.
            for place, (kind, child) in enumerate(children):
                if not child.is_alive():
                    ended = {"kind": kind, "pid": child.pid, "status": child.exitcode}
                    log.warning("process ended", extra=ended)
                    children[place] = (kind, start(kind))
    finally:  # whatever happened here: none goes on without anybody who watches over it
        for _, child in children:
            child.terminate()
        for _, child in children:
            child.join()
        server.database.close()


def workbench(home: Path, port: int, note: Note, *, browser: bool, key: str) -> None:
    """The workbench on this machine, for one person."""
    settings = Settings(home, mode="workbench", grid_seconds=0.5, key=key)
    app = application(settings)
    server: Server = app.state.server
    with server.database.write() as connection:
        if people.named(connection, WORKBENCH) is None:
            people.add_user(connection, WORKBENCH, None, owner=True)
    listening = _socket("127.0.0.1", port)
    # After the #, which browsers send to nobody and write into no log of a server.
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/#key={key}"
    note(f"The workbench is at  {address}")
    if browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    uvicorn.Server(_config(app)).run(sockets=[listening])
