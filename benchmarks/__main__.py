"""Run the benchmarks: ``python -m benchmarks`` for those of ``make bench``, or some by their names.

The papers' tables and figures are measured again by ``python -m reproduction``.
"""

from __future__ import annotations

import sys
from importlib import import_module

from benchmarks.figures import Figure, print_figures

# Speed and accuracy against goals and peers: minutes each.
FAMILIES = (
    "startup",
    "start_page",
    "naive_bayes_speed",
    "naive_bayes_file",
    "naive_bayes_accuracy",
    "naive_bayes_peers",
    "engines_speed",
    "query_speed",
    "audit_power",
    "gwas_speed",
    "gwas_recovery",
    "regression_speed",
    "regression_accuracy",
    "unsupervised",
    "rules_speed",
    "rules_accuracy",
    "additive_speed",
    "additive_accuracy",
    "interactions",
    "auto_choice",
    "small_tables",
    "perturbation_speed",
    "isolation_speed",
    "ledger_speed",
    "ledger_storm",
    "forecast",
    "flow_allocation",
    "flow_planning",
    "experiment_overhead",
)


def main() -> int:
    names = sys.argv[1:] or FAMILIES
    if any(name.startswith("-") for name in names):  # one benchmark with options of its own
        return int(import_module(f"benchmarks.{names[0]}").main(names[1:]))
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
