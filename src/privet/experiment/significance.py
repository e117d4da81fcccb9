"""Whether one algorithm is better than another on public data: a corrected t-test, and ranks over tables.

The records of repeated cross-validations overlap, so their scores are not independent, and the plain t-test
finds differences where there are none. Nadeau and Bengio (2003) correct its variance by the share of the test
records: 1/k becomes 1/k + test/train. WEKA's Experimenter uses the same test. Over several tables, algorithms
are compared by their average ranks (Friedman), and two of them differ if their ranks are apart by more than
Nemenyi's critical difference (Demšar 2006).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Ranks", "corrected_interval", "corrected_p_value", "ranked"]


def corrected_p_value(differences: Sequence[float], test_to_train: float) -> float:
    """The two-sided p-value of paired differences by the corrected resampled t-test; 1 if there are too few.

    With ratio 0 it is the usual paired t-test; the correction makes it more cautious.

    >>> differences = [0.02, 0.01, 0.03, 0.02, 0.0, 0.01, 0.02, 0.03, 0.01, 0.02]
    >>> round(corrected_p_value(differences, 0), 4), round(corrected_p_value(differences, 1 / 9), 4)
    (0.0003, 0.0036)
    """
    from scipy.stats import t

    k = len(differences)
    if k < 2:
        return 1.0
    mean, error = float(np.mean(differences)), _error(differences, test_to_train)
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * t.sf(abs(mean) / error, k - 1))


def corrected_interval(scores: Sequence[float], test_to_train: float, confidence: float = 0.95) -> float:
    """The half width of the interval of a mean score, with the same correction; infinite if there is one."""
    from scipy.stats import t

    k = len(scores)
    return math.inf if k < 2 else float(t.ppf((1 + confidence) / 2, k - 1)) * _error(scores, test_to_train)


def _error(values: Sequence[float], test_to_train: float) -> float:
    return math.sqrt((1 / len(values) + test_to_train) * float(np.var(values, ddof=1)))


@dataclass(frozen=True)
class Ranks:
    """Average ranks over tables (1 is best), the p-value that all are alike, and the critical difference."""

    labels: tuple[str, ...]
    ranks: tuple[float, ...]
    tables: int
    p_value: float
    critical_difference: float

    def text(self) -> str:
        order = sorted(zip(self.ranks, self.labels, strict=True))
        told = ", ".join(f"{label} {rank:.2f}" for rank, label in order)
        return (
            f"Average ranks over {self.tables} tables: {told}. Two of them differ if their ranks are apart "
            f"by more than {self.critical_difference:.2f} (Nemenyi, 5 %; Friedman p = {self.p_value:.3g})."
        )


def ranked(labels: Sequence[str], scores: Sequence[Sequence[float]], confidence: float = 0.95) -> Ranks:
    """The ranks of algorithms; ``scores`` has a row for each table, and more is better.

    >>> found = ranked(["a", "b", "c"], [[0.9, 0.8, 0.7], [0.8, 0.85, 0.6], [0.7, 0.6, 0.5], [0.9, 0.7, 0.6]])
    >>> found.ranks, round(found.critical_difference, 3), round(found.p_value, 4)
    ((1.25, 1.75, 3.0), 1.657, 0.0388)
    """
    from scipy.stats import chi2, rankdata, studentized_range

    table = np.asarray(scores, float)
    tables, k = table.shape
    ranks = rankdata(-table, axis=1).mean(axis=0)
    friedman = 12 * tables / (k * (k + 1)) * (float((ranks**2).sum()) - k * (k + 1) ** 2 / 4)
    wide = float(studentized_range.ppf(confidence, k, math.inf)) / math.sqrt(2)
    return Ranks(
        tuple(labels),
        tuple(float(rank) for rank in ranks),
        tables,
        float(chi2.sf(friedman, k - 1)),
        wide * math.sqrt(k * (k + 1) / (6 * tables)),
    )
