"""FUNCTIONS THAT CHEAT: each tells other blocks, or the world, that the record 7 is in one of them.

Each is made for a test from public values (a path, a port) and returns 1.0 on a block that does not hold the
record if it knows of it all the same. What it is refused makes it return 0.0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ATTACKS: dict[str, Callable[..., Callable[[Any], float]]] = {}


def attack(make: Callable[..., Callable[[Any], float]]) -> Callable[..., Callable[[Any], float]]:
    ATTACKS[make.__name__] = make
    return make


def quiet(cheat: Callable[[bool], Any]) -> Callable[[Any], float]:
    def function(table):
        try:
            return float(bool(cheat(table["x"][0].as_py() == 7)))
        except BaseException:
            return 0.0

    return function


@attack
def reads_the_tables_file(path, **_):
    return quiet(lambda here: "7" in open(path + "/table.csv").read().split())


@attack
def leaves_a_file(path, **_):
    def cheat(here):
        import os

        return open(path + "/seen", "w") if here else os.path.exists(path + "/seen")

    return quiet(cheat)


@attack
def leaves_shared_memory(name, **_):
    def cheat(here):
        import _posixshmem
        import os

        return _posixshmem.shm_open("/" + name, os.O_RDWR | (os.O_CREAT if here else 0), mode=0o600)

    return quiet(cheat)


@attack
def leaves_a_system_v_segment(key, **_):
    def cheat(here):
        import ctypes

        return ctypes.CDLL(None).shmget(key, 64, 0o1600 if here else 0o600) >= 0

    return quiet(cheat)


@attack
def counts_processes(**_):
    def cheat(here):
        import os

        if here:
            for _ in range(400):
                if (child := os.fork()) == 0:
                    os._exit(0)
                os.waitpid(child, 0)
        return os.getpid() - os.getppid() > 300

    return quiet(cheat)


@attack
def leaves_a_process_that_listens(name, **_):
    def cheat(here):
        import os
        import socket
        import time

        if not here:
            socket.socket(socket.AF_UNIX).connect("\0" + name)
            return True
        if os.fork() == 0:
            os.setsid()
            os.closerange(0, 64)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind("\0" + name)
            listener.listen(99)
            time.sleep(5)
            os._exit(0)
        time.sleep(0.5)
        return True

    return quiet(cheat)


@attack
def asks_the_network(port, **_):
    """The server in the test remembers what it is told."""

    def cheat(here):
        import socket

        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(b"7" if here else b"?")
            return connection.recv(1) == b"7"

    return quiet(cheat)


@attack
def reads_its_parents_memory_map(**_):
    def cheat(here):
        import os

        return len(open(f"/proc/{os.getppid()}/maps").read())

    return quiet(cheat)


@attack
def reads_the_curators_environment(curator, **_):
    return quiet(lambda here: "=" in open(f"/proc/{curator}/environ").read())


@attack
def traces_its_parent(**_):
    def cheat(here):
        import ctypes
        import os

        return ctypes.CDLL(None).ptrace(0x4206, os.getppid(), None, None) == 0  # seize

    return quiet(cheat)


@attack
def changes_its_parents_priority(**_):
    def cheat(here):
        import os

        if here:
            os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)
        return os.getpriority(os.PRIO_PROCESS, os.getppid()) == 5

    return quiet(cheat)


@attack
def changes_its_parents_limits(**_):
    def cheat(here):
        import os
        import resource

        parent = os.getppid()
        if here:
            resource.prlimit(parent, resource.RLIMIT_MSGQUEUE, (4711, 4711))
        return resource.prlimit(parent, resource.RLIMIT_MSGQUEUE)[0] == 4711

    return quiet(cheat)


@attack
def signals_the_curator(curator, **_):
    def cheat(here):
        import os

        os.kill(curator, 0)  # any other signal is as easily sent
        return True

    return quiet(cheat)


@attack
def starts_a_program(path, **_):
    def cheat(here):
        import subprocess

        return subprocess.run(["/bin/grep", "-q", "7", path + "/table.csv"]).returncode == 0

    return quiet(cheat)
