"""Who reads rows for others gives up the network first, where the system allows it."""

from __future__ import annotations

__all__ = ["go_offline"]


def go_offline() -> bool:
    """Take the network from this thread and all that it starts, for good; False where that cannot be done.

    Sockets of this machine's own files stay possible: a database on the same machine is reached through one.
    What is open already stays open.
    """
    try:
        from privet.isolation.filter import install, offline
        from privet.isolation.kernel import PROCESSOR
    except (ImportError, OSError):
        return False
    if PROCESSOR is None:
        return False
    try:
        install(offline(PROCESSOR))
    except OSError:
        return False
    return True
