"""What an experiment of 1,000 small cells loses of the processors: CPU of the cells against CPU of all of it.

    python -m benchmarks experiment_overhead

CPU time is compared, so that other programs on the machine change little. Loading Privet and its algorithms
is not counted: the price was asked for before, as it always is.
"""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path

from benchmarks.figures import Figure
from privet.experiment import Experiment


def used() -> float:
    """CPU seconds of this program and of its workers that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def run(records: int = 5000, processes: int = 2) -> list[Figure]:
    """How much of the CPU went to something other than the cells."""
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
        before = used()
        results = experiment.run(store=Path(folder) / "results.jsonl", processes=processes)
        spent = used() - before
    cells, count = sum(cell["seconds"] for cell in results.cells), len(results.cells)
    return [
        Figure("experiment: cells", count, 1000, True, ""),
        Figure("experiment: CPU of a cell", 1000 * cells / count, unit="ms"),
        Figure(
            "experiment: share of the CPU that is lost beside the cells", 1 - cells / spent, 0.05, unit=""
        ),
    ]
