"""Table 5.11: what F does to 1-rule ABC."""

from __future__ import annotations

from pathlib import Path

from benchmarks import data
from benchmarks.figures import Figure
from benchmarks.rules_store import Store
from privet.experiments.rules_factor import FACTORS, PUBLISHED, SETS, markdown, runs, spread
from privet.experiments.rules_protocol import Score, score

PAGE = Path(__file__).resolve().parents[1] / "docs" / "experiments" / "rules-factor.md"

TEXT = """# F in 1-rule ABC

Table 5.11 of Zorarpacı's thesis. `python -m benchmarks.rules_tables factor` writes this page.

**Protocol.** `BeeRules(method="one")` with the thesis's other parameters (swarm 20, limit 100, 500 iterations, α = 0.4, β = 0.6) on exact records, {repeats} × 10-fold cross-validation (stratified,
seeds 0 to {last}): {runs} runs for each F, as many as the thesis has, which does not say what a run is. Published values are bold; deviations are over runs.

{table}

**What one learns.** {lesson}
"""


def page(repeats: int, minutes: float | None) -> list[Figure]:
    store = Store("factor", minutes)
    found: dict[str, dict[float, list[float]]] = {}
    for seed in range(repeats):
        for name in SETS:
            table, schema = data.load(name)
            for factor in FACTORS:
                done = store.get(
                    f"{name}/{factor}/{seed}",
                    lambda n=name, t=table, s=schema, f=factor, k=seed: runs(n, t, s, f, seed=k),
                )
                if done:
                    found.setdefault(name, {}).setdefault(factor, []).extend(done)
    scores = {name: [score(found[name][f]) for f in FACTORS if f in found[name]] for name in found}
    lesson = "; ".join(
        f"on {name} the means lie within {spread(each):.3f} of each other, where the standard error of one is {max(s.standard_error for s in each):.3f}"
        f" (thesis: within {spread([Score(m, d, 20) for m, d in PUBLISHED[name]]):.3f})"
        for name, each in scores.items()
    )
    lesson = (
        f"F hardly matters: {lesson}. The thesis takes 0.6 as the best of these; differences of that size are within the noise of 20 runs, in its table and in ours."
        " Its row for 0.6 is itself 0.015 to 0.055 above what its table 5.1 prints for the same method and parameters, which is about the spread of the whole table."
    )
    PAGE.write_text(
        TEXT.format(
            repeats=repeats, last=repeats - 1, runs=10 * repeats, table=markdown(found), lesson=lesson
        )
    )
    return [
        Figure(f"5.11, {name}: spread of the means over F", spread(each), unit="")
        for name, each in scores.items()
    ]
