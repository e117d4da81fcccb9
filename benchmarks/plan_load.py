"""How long plans take while fifty people plan: ``python -m benchmarks plan_load``, or with ``--users`` and others.

Every user is a connection of its own on loopback that asks for a plan, waits for the answer, thinks for a while
(exponential, a second on average) and asks again. A machine that others use, too, makes every answer later: beside the
percentiles stand the server's processor time for each plan, which that does not change, and the ratio of the 95 %
point to what one user alone waits at the median.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.figures import Figure, print_figures
from tests.postgres import Postgres
from tests.server.fleet import Fleet

GOAL = 50.0  # milliseconds, for 95 of 100 plans


def run(users: int = 50, seconds: float = 20.0, think: float = 1.0, web: int = 2) -> list[Figure]:
    names = tuple(f"user-{number}" for number in range(users))
    database = Postgres.make()
    try:
        with tempfile.TemporaryDirectory() as home:
            fleet = Fleet(Path(home), database.database(), names, web=web, runs=0)
            try:
                return _measured(fleet, names, seconds, think, web)
            finally:
                fleet.stop()
    finally:
        database.remove()


def main(words: list[str]) -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks plan_load", description=__doc__)
    options.add_argument("--users", type=int, default=50)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument(
        "--think", type=float, default=1.0, help="seconds between answer and question, on average"
    )
    options.add_argument("--web", type=int, default=2, help="web processes")
    given = options.parse_args(words)
    print_figures(run(given.users, given.seconds, given.think, given.web))
    return 0


def _measured(fleet: Fleet, names: tuple[str, ...], seconds: float, think: float, web: int) -> list[Figure]:
    _, dataset = fleet.study(names, 10)
    asked = [_request(fleet, name, dataset) for name in names]
    asyncio.run(_load(fleet, asked, 3.0, think))  # every process has loaded what a plan needs
    alone = asyncio.run(_load(fleet, asked[:1], 5.0, 0.1))  # slower than a person may ask in a minute
    before = _spent(fleet)
    waited = asyncio.run(_load(fleet, asked, seconds, think))
    spent = 1000 * (_spent(fleet) - before) / len(waited)
    points = statistics.quantiles(waited, n=100)
    one = statistics.median(alone)
    return [
        Figure(f"plans a second, {len(names)} users, {web} web processes", len(waited) / seconds, unit="/s"),
        Figure("95 % of the plans took at most", points[94], GOAL, unit="ms"),
        Figure("half of the plans took at most", points[49], unit="ms"),
        Figure("plans within 50 ms, per cent", 100 * sum(w <= GOAL for w in waited) / len(waited), unit="%"),
        Figure("one user alone, median", one, unit="ms"),
        Figure("95 % point to one user alone", points[94] / one),
        Figure("the server's processor time for a plan", spent, unit="ms"),
        Figure(
            "load average of the machine, for each processor",
            os.getloadavg()[0] / (os.cpu_count() or 1),
            unit="",
        ),
    ]


def _request(fleet: Fleet, who: str, dataset: str) -> bytes:
    parameters = {"epsilon": 0.1}
    body = {"use_case": "fit", "dataset": dataset, "algorithm": "naive-bayes", "parameters": parameters}
    content = json.dumps(body).encode()
    lines = [
        "POST /api/v1/plans HTTP/1.1",
        f"Host: {fleet.address.removeprefix('http://')}",
        f"Authorization: Bearer {fleet.tokens[who]}",
        "Content-Type: application/json",
        f"Content-Length: {len(content)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + content


async def _load(fleet: Fleet, requests: list[bytes], seconds: float, think: float) -> list[float]:
    """Milliseconds of every plan, by all users at the same time."""
    host, port = fleet.address.removeprefix("http://").split(":")
    end, waited = time.monotonic() + seconds, []

    async def user(request: bytes) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        await asyncio.sleep(random.uniform(0, think))
        while time.monotonic() < end:
            start = time.perf_counter()
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            assert head.startswith("http/1.1 201"), head
            await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r")[0]))
            waited.append(1000 * (time.perf_counter() - start))
            if think:
                await asyncio.sleep(min(random.expovariate(1 / think), 4.0))  # a server closes after five
        writer.close()

    await asyncio.gather(*(user(request) for request in requests))
    return waited


def _spent(fleet: Fleet) -> float:
    """Seconds of processor time that the web processes have used."""
    ticks = 0
    for pid in fleet.alive["web"]:
        words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")
