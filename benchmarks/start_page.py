"""How long the workbench's start page takes on loopback, in a real Chromium: ``python -m benchmarks start_page``.

A load ends when the page shows what it is for: the button that opens the example. Each load begins with nothing in the
browser's cache, and is followed by one of a page of the same server that has nothing on it but a line of JSON. A machine
that others use, too, makes both slower: the ratio of the two changes less than the seconds do.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from tests.web.conftest import FLAGS, WIDE
from tests.web.workbench import Workbench

GOAL = 1.0  # seconds
LOADS = 9


def run(loads: int = LOADS) -> list[Figure]:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        workbench = Workbench(Path(folder) / "home")
        workbench.start()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            return _figures(browser, workbench, loads)
        finally:
            browser.close()
            workbench.stop()


def _figures(browser: Any, workbench: Workbench, loads: int) -> list[Figure]:
    signed_in = browser.new_context(viewport=WIDE)
    first = signed_in.new_page()
    first.goto(workbench.address)
    first.get_by_role("button", name="Open: The clinic").wait_for()
    state = signed_in.storage_state()
    signed_in.close()

    def load(address: str, ready: Callable[[Any], None]) -> float:
        """Seconds from the address to what is waited for, in a browser that has kept only who is signed in."""
        context = browser.new_context(viewport=WIDE, storage_state=state)
        page = context.new_page()
        begin = time.perf_counter()
        page.goto(address)
        ready(page)
        taken = time.perf_counter() - begin
        context.close()
        return taken

    start: list[float] = []
    empty: list[float] = []
    for _ in range(loads):  # one after the other, so that both meet the same machine
        start.append(
            load(workbench.root, lambda page: page.get_by_role("button", name="Open: The clinic").wait_for())
        )
        empty.append(load(f"{workbench.root}health", lambda page: page.locator("body").wait_for()))
    return [
        Figure(f"start page, median of {loads} loads", statistics.median(start), GOAL, unit="s"),
        Figure("start page, slowest", max(start), unit="s"),
        Figure("an empty page of the same server, median", statistics.median(empty), unit="s"),
        Figure("start page against the empty page", statistics.median(start) / statistics.median(empty)),
    ]
