"""The tables of Zorarpacı's thesis, measured again: each group writes its page in docs/experiments.

python -m benchmarks rules_tables                                   all of it: hours
python -m benchmarks.rules_tables one_r --repeats 1 --minutes 5      one group, quickly

Results are kept as they come (``rules_store``), so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from benchmarks import data
from benchmarks.figures import Figure, print_figures

#: Group → repeats of the whole experiment, where there is time for it.
GROUPS = {"statistics": 10, "selected": 5, "one_r": 10, "factor": 2, "references": 3, "miners": 10}


def run() -> list[Figure]:
    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    return [
        figure
        for group, repeats in GROUPS.items()
        for figure in import_module(f"benchmarks.rules_{group}").page(repeats, None)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measure one group of the thesis's tables, and write its page."
    )
    parser.add_argument("group", choices=[*GROUPS])
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--minutes", type=float, help="Stop after this time; what was measured is kept.")
    wanted = parser.parse_args()
    repeats = wanted.repeats or GROUPS[wanted.group]
    print_figures(import_module(f"benchmarks.rules_{wanted.group}").page(repeats, wanted.minutes))


if __name__ == "__main__":
    main()
