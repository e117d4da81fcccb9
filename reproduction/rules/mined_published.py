"""What tables 5.1 to 5.8 of the thesis print, and the page of measured values beside it."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from reproduction.markdown import table
from reproduction.rules.protocol import Score

__all__ = ["ACCURACY", "METHODS", "RULES", "SETS", "SETTINGS", "accuracies", "rules"]

SETS = ("breast_w", "ecoli", "heart_statlog", "iris", "sonar")
SETTINGS: tuple[float | None, ...] = (None, 1.0, 2.0, 3.0)
METHODS = (
    "J48", "NB", "Bayes Net.", "Part", "Ripper", "1R", "Kstar", "IBk", "RT", "Bagging", "MLP",
    "wLapMS ABC", "1-rule ABC", "Seq. cov. wLap ABC",
)  # fmt: skip


def _printed() -> dict[float | None, dict[str, tuple[tuple[float, float], ...]]]:
    """Tables 5.1, 5.3, 5.5 and 5.7, from the file beside this one; without ε is without noise."""
    found: dict[float | None, dict[str, tuple[tuple[float, float], ...]]] = {}
    text = Path(__file__).with_suffix(".csv").read_text("utf-8")
    for line in csv.DictReader(text.splitlines()):
        epsilon = float(line["epsilon"]) if line["epsilon"] else None
        pairs = [line[name].split("±") for name in SETS]
        found.setdefault(epsilon, {})[line["method"]] = tuple((float(m), float(d)) for m, d in pairs)
    return found


#: ε → method → (mean, deviation) on each of ``SETS``.
ACCURACY = _printed()

#: ε → method → average number of rules on each of ``SETS``: tables 5.2, 5.4, 5.6 and 5.8.
RULES: dict[float | None, dict[str, tuple[float, ...]]] = {
    None: {
        "wLapMS ABC": (6, 16, 8, 18, 20),
        "Part": (6.45, 13.5, 17.4, 4.14, 7.27),
        "Ripper": (4.1, 9.15, 3.95, 3.62, 4.56),
        "Seq. cov. wLap ABC": (14.11, 55.46, 42.67, 14.41, 37.02),
    },
    1.0: {
        "wLapMS ABC": (6, 16, 8, 18, 20),
        "Part": (2.55, 45.3, 3.55, 5.11, 7.24),
        "Ripper": (2.94, 2.09, 2.52, 2.99, 2.55),
        "Seq. cov. wLap ABC": (32.56, 65.65, 19.39, 26.34, 30.95),
    },
    2.0: {
        "wLapMS ABC": (6, 16, 8, 18, 20),
        "Part": (4.34, 41.8, 5.77, 7.21, 8.29),
        "Ripper": (2.93, 3.17, 3.27, 3.57, 2.73),
        "Seq. cov. wLap ABC": (25.351, 61.85, 17.97, 23.87, 29.88),
    },
    3.0: {
        "wLapMS ABC": (6, 16, 8, 18, 20),
        "Part": (5.84, 38.4, 6.51, 8.21, 9.2),
        "Ripper": (3.4, 4.48, 3.62, 4.07, 2.94),
        "Seq. cov. wLap ABC": (20.34, 57.12, 17.22, 22.11, 29.85),
    },
}

#: (method, set) → what was measured: "clean", "noisy", "mined" and "rules".
Found = Mapping[tuple[str, str], Mapping[str, Score]]


def accuracies(
    epsilon: float | None, found: Found, more: Sequence[str] = (), ways: Sequence[str] = ("clean",)
) -> str:
    """Published accuracy (bold), and measured in each of ``ways``; ``more`` are rows that the thesis lacks.

    >>> measured = {("J48", "iris"): {"clean": Score(0.95, 0.04, 10)}}
    >>> accuracies(None, measured).splitlines()[2].split(" | ")[4]
    '**0.952 ± 0.05** / 0.950 ± 0.040'
    """
    rows = []
    for method in (*METHODS, *more):
        cells = []
        for place, name in enumerate(SETS):
            printed = ACCURACY[epsilon].get(method)
            cell = [] if printed is None else ["**{:.3f} ± {:.2f}**".format(*printed[place])]
            scores = found.get((method, name), {})
            cells.append(" / ".join([*cell, *(str(scores[way]) for way in ways if way in scores)]) or "–")
        rows.append([method, *cells])
    return table(["", *SETS], rows)


def rules(epsilon: float | None, found: Found) -> str:
    """Published average number of rules (bold), and measured."""
    rows = []
    for method, printed in RULES[epsilon].items():
        cells = []
        for place, name in enumerate(SETS):
            measured = found.get((method, name), {}).get("rules")
            cells.append(f"**{printed[place]:g}**" + ("" if measured is None else f" / {measured.mean:.1f}"))
        rows.append([method, *cells])
    return table(["", *SETS], rows)
