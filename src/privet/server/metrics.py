"""Prometheus metrics on a port of their own: runs by state, and whether the database answers.

Nothing here is about a person or a table: totals over all studies, for whoever runs the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import func, select

from privet.server.heads import public_head
from privet.server.state import Server
from privet.server.tables import RUN_STATES, runs

__all__ = ["Figures", "serve_metrics"]


class Figures:
    """What Prometheus reads, looked up when it asks."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def collect(self) -> Iterator[Any]:
        up = GaugeMetricFamily("privet_database_up", "Whether the database answers.")
        states = GaugeMetricFamily("privet_runs", "Runs by state.", labels=["state"])
        try:
            with self._server.database.read() as connection:
                counted = select(runs.c.state, func.count()).group_by(runs.c.state)
                found = {row[0]: row[1] for row in connection.execute(counted)}
            entries = public_head(self._server).count
        except Exception:
            up.add_metric([], 0)
            yield up
            return
        up.add_metric([], 1)
        yield up
        for state in RUN_STATES:
            states.add_metric([state], found.get(state, 0))
        yield states
        size = GaugeMetricFamily("privet_ledger_entries", "Entries of the ledger.")
        size.add_metric([], entries)
        yield size


def serve_metrics(server: Server, host: str, port: int) -> Any:
    registry = CollectorRegistry()
    registry.register(Figures(server))
    return start_http_server(port, host, registry=registry)
