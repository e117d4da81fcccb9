"""A real server on a loopback port, with an owner's and an analyst's token."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import uvicorn

from tests.server.house import House, house


@dataclass
class Live:
    """A server that answers at ``url``."""

    house: House
    url: str
    token: str
    owner: str


@pytest.fixture(scope="package")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with house(tmp_path_factory.mktemp("server")) as found:
        server = uvicorn.Server(
            # The house has begun its life already: its workers run.
            uvicorn.Config(found.app, host="127.0.0.1", port=0, lifespan="off", log_level="error")
        )
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        scopes = ["read", "plan", "run", "manage"]
        tokens = [
            caller.post("/tokens", {"name": "a program", "scopes": scopes})["token"]
            for caller in (found.analyst, found.owner)
        ]
        yield Live(found, f"http://localhost:{port}", *tokens)
        server.should_exit = True
        thread.join(timeout=30)
