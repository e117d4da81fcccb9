"""How long a user waits before anything happens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.figures import Figure, best_time


def _python(code: str) -> float:
    return best_time(lambda: subprocess.run([sys.executable, "-c", code], check=True), repeats=7)


def run() -> list[Figure]:
    command = Path(sys.executable).parent / "privet"
    help_time = best_time(
        lambda: subprocess.run([command, "--help"], check=True, stdout=subprocess.DEVNULL), repeats=7
    )
    base = _python("import sklearn, pyarrow")
    return [
        Figure("privet --help", help_time, 0.5, unit="s"),
        Figure("import privet, beyond import sklearn, pyarrow",
               _python("import sklearn, pyarrow, privet") - base, 0.3, unit="s"),
        Figure("import privet with NaiveBayes and Ledger, beyond sklearn, pyarrow",
               _python("import sklearn, pyarrow, privet; privet.NaiveBayes; privet.Ledger") - base, unit="s"),
    ]  # fmt: skip
