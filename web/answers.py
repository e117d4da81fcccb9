"""Start the workbench, see that its page answers, and stop it: ``make run`` where nobody watches."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from urllib.request import urlopen

PATIENCE = 120.0


def main() -> None:
    words = [sys.executable, "-u", "-m", "privet", "workbench", "--no-browser", "--forget"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        address = next(
            (found.group() for line in process.stdout if (found := re.search(r"http://\S+", line))), ""
        )
        if not address:
            sys.exit("The workbench did not start.")
        root, deadline = address.partition("#")[0], time.monotonic() + PATIENCE
        while not _answers(root):
            if time.monotonic() > deadline or process.poll() is not None:
                sys.exit("The workbench does not answer.")
            time.sleep(0.2)
        print(f"    The workbench answers at {root}. At a terminal it would stay up:  privet workbench")
    finally:
        process.terminate()
        process.wait(timeout=60)


def _answers(root: str) -> bool:
    try:
        with urlopen(root) as answer:
            return "<title>Privet workbench</title>" in answer.read().decode()
    except OSError:
        return False


if __name__ == "__main__":
    main()
