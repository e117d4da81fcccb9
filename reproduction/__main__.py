"""List the pages, or measure what some of them lack and write them.

python -m reproduction                              lists the pages and how much of them is measured
python -m reproduction rules-factor --minutes 5     measures for that long at most, and writes the page
python -m reproduction rules-one-r --processes 2    on two processes, as experiments are spread
python -m reproduction all                          every page: hours
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module

from benchmarks.figures import print_figures
from reproduction.page import Page

MODULES = (
    "dpweka.recovery_pages",
    "dpweka.regression_page",
    "dpweka.audit",
    "dpweka.inversion",
    "rules.perturbed_statistics_page",
    "rules.selected_page",
    "rules.one_r_page",
    "rules.factor_page",
    "rules.mined_page",
    "rules.private_selection_page",
    "geometric.tables_page",
    "geometric.attacks_page",
    "geometric.stream",
    "gupt.page",
)


def pages() -> dict[str, Page]:
    """Every page, by name."""
    every = (page for name in MODULES for page in import_module(f"reproduction.{name}").PAGES)
    return {page.name: page for page in every}


def main() -> int:
    known = pages()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="their names, or 'all'")
    parser.add_argument(
        "--minutes", type=float, help="stop measuring after so many; 0 writes from what is stored"
    )
    parser.add_argument("--processes", type=int, default=1, help="that measure cells at once")
    asked = parser.parse_args()
    if unknown := [name for name in asked.pages if name not in ("all", *known)]:
        parser.error(f"there is no page {', '.join(unknown)}; without a name all are listed")
    if not asked.pages:
        for page in known.values():
            print(f"{page.paper:<10} {page.name:<28} {page.status():<22} {page.title}")
        return 0
    end = None if asked.minutes is None else time.monotonic() + 60 * asked.minutes
    missed = 0
    for name in known if "all" in asked.pages else asked.pages:
        print(f"\n== {name} ==", flush=True)
        known[name].measure(end, asked.processes)
        figures = known[name].render()
        print_figures(figures)
        missed += sum(figure.reached is False for figure in figures)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
