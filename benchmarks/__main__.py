"""Run the benchmarks: all of them, or those named.

python -m benchmarks [startup] [naive_bayes_speed] [naive_bayes_file] [naive_bayes_accuracy] [audit_power] [naive_bayes_peers]
                     [gwas_speed] [gwas_recovery]
"""

from __future__ import annotations

import sys
from importlib import import_module

from benchmarks.figures import Figure, print_figures

FAMILIES = (
    "startup",
    "naive_bayes_speed",
    "naive_bayes_file",
    "naive_bayes_accuracy",
    "naive_bayes_peers",
    "audit_power",
    "gwas_speed",
    "gwas_recovery",
    "regression_speed",
    "regression_accuracy",
    "perturbation_speed",
    "perturbation_tables",
    "rules_accuracy",
)


def main() -> int:
    names = sys.argv[1:] or FAMILIES
    figures: list[Figure] = []
    for name in names:
        print(f"\n== {name} ==", flush=True)
        found = import_module(f"benchmarks.{name}").run()
        print_figures(found)
        figures += found
    missed = [figure for figure in figures if figure.reached is False]
    print(f"\n{len(figures)} figures, {len(missed)} goals missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
