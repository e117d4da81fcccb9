"""A workbench for tests: the real server, in a process, with the pages from web/."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Workbench:
    """``privet workbench`` on a free port. It can be stopped and started again where it was."""

    def __init__(self, home: Path, program: str = "privet") -> None:
        self.home = home
        self.program = program
        self.log = home.parent / "workbench.log"
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.address = ""

    def start(self) -> str:
        """Start it; gives the address with its key, which works once."""
        words = ["workbench", "--no-browser", "--home", str(self.home), "--port", str(self.port)]
        environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "PYTHONUNBUFFERED": "1",
        }
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", self.program, *words],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
            )
        self.address = self._said(r"http://127\.0\.0\.1:\d+/#key=[\w-]{32}")
        self.port = int(self.address.split(":")[2].partition("/")[0])
        self._answers()
        return self.address

    @property
    def root(self) -> str:
        return self.address.partition("#")[0]

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Stop it, politely or not."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=60)
            self.process = None

    def _said(self, pattern: str) -> str:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            text = self.log.read_text(errors="replace")
            if found := re.search(pattern, re.sub(r"\x1b\[[0-9;]*m|\n", "", text)):
                return found.group()
            if self.process is not None and self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(f"The workbench did not start:\n{self.log.read_text(errors='replace')}")

    def _answers(self) -> None:
        from urllib.request import urlopen

        deadline = time.monotonic() + 60
        while True:
            try:
                with urlopen(f"{self.root}health") as answer:
                    assert answer.status == 200
                    return
            except OSError:
                assert time.monotonic() < deadline, "The workbench does not answer."
                time.sleep(0.1)
