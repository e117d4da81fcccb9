"""What an experiment of 1,000 small cells loses of the processors: CPU of the cells against CPU of all of it.

    python benchmarks/experiment_overhead.py [RECORDS] [PROCESSES]

CPU time is compared, so that other programs on the machine change little. Loading Privet and its algorithms
is not counted: the price was asked for before, as it always is.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from privet.experiment import Experiment


def used() -> float:
    """CPU seconds of this program and of its workers that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def main(records: int = 5000, processes: int = 2) -> None:
    experiment = Experiment.from_dict(
        {
            "epsilons": [0.5, 2.0],
            "repetitions": 25,
            "folds": 10,
            "data": {"clinic": {"generated": "clinic", "records": records}},
            "algorithms": {"naive-bayes": {}, "one-r": {}},
        }
    )
    experiment.plan()
    with tempfile.TemporaryDirectory() as folder:
        before, start = used(), time.perf_counter()
        results = experiment.run(store=Path(folder) / "results.jsonl", processes=processes)
        spent, wall = used() - before, time.perf_counter() - start
    cells = sum(cell["seconds"] for cell in results.cells)
    count = len(results.cells)
    print(f"{count:,} cells of {1000 * cells / count:.1f} ms: {cells:.2f} s of CPU, {spent:.2f} s in all.")
    print(
        f"Lost: {1 - cells / spent:.1%} of the CPU used, {1 - cells / (processes * wall):.1%} of the processors."
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
