"""Prequential evaluation: each record is predicted first, and learned from afterwards.

The scores are exact, and exact scores give away the records that they were made from: they are for public
streams and for the data's owner, and every result says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.evaluation import metrics

__all__ = ["Prequential", "prequential"]

NOT_PRIVATE = "Exact scores: not private. For public streams, and for the owner of the data."


@dataclass(frozen=True)
class Prequential:
    """Accuracy and kappa after so many records, over a sliding window of the latest ones, and over all."""

    records: tuple[int, ...]
    accuracy: tuple[float, ...]
    kappa: tuple[float, ...]
    overall_accuracy: float
    overall_kappa: float
    window: int

    def text(self) -> str:
        """The result for a reader."""
        lines = [f"{'Records':>10}  accuracy  kappa   (over the latest {self.window})"]
        lines += [
            f"{count:>10}  {accuracy:8.4f}  {kappa:6.4f}"
            for count, accuracy, kappa in zip(self.records, self.accuracy, self.kappa, strict=True)
        ]
        lines.append(f"{'all':>10}  {self.overall_accuracy:8.4f}  {self.overall_kappa:6.4f}")
        return "\n".join([*lines, "", NOT_PRIVATE])

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """For JSON, in which an unknown kappa is null."""
        plain = [value if value == value else None for value in self.kappa]
        return {
            "private": False,
            "records": list(self.records),
            "accuracy": list(self.accuracy),
            "kappa": plain,
            "overall_accuracy": self.overall_accuracy,
            "overall_kappa": self.overall_kappa if self.overall_kappa == self.overall_kappa else None,
            "window": self.window,
        }

    def figure(self) -> Any:
        """Accuracy and kappa over time."""
        from privet.report import lines

        series = {"accuracy": self.accuracy, "kappa": self.kappa}
        return lines(self.records, series, xlabel="records", ylabel=f"over the latest {self.window} records")


def prequential(
    model: Any, stream: Iterable[tuple[Mapping[str, Any], Any]], *, window: int = 1000, every: int = 500
) -> Prequential:
    """Test, then train, on a stream of (record, class); any model with ``predict_one`` and ``learn_one``.

    >>> class Majority:
    ...     def __init__(self): self.seen = []
    ...     def learn_one(self, x, y): self.seen.append(y)
    ...     def predict_one(self, x): return max(set(self.seen), key=self.seen.count) if self.seen else "no"
    >>> found = prequential(Majority(), [({}, "no")] * 9 + [({}, "yes")], window=10, every=10)
    >>> found.accuracy, found.records
    ((0.9,), (10,))
    """
    labels: dict[Any, int] = {}
    latest: deque[tuple[int, int]] = deque(maxlen=window)
    everything: dict[tuple[int, int], int] = {}
    points: list[tuple[int, float, float]] = []
    count = 0
    for x, y in stream:
        pair = (labels.setdefault(y, len(labels)), labels.setdefault(model.predict_one(x), len(labels)))
        model.learn_one(x, y)
        latest.append(pair)
        everything[pair] = everything.get(pair, 0) + 1
        count += 1
        if count % every == 0:
            points.append((count, *_scores(_counted(latest), len(labels))))
    overall = _scores(everything, len(labels)) if count else (float("nan"), float("nan"))
    records, accuracies, kappas = zip(*points, strict=True) if points else ((), (), ())
    return Prequential(records, accuracies, kappas, *overall, window)


def _counted(pairs: Iterable[tuple[int, int]]) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for pair in pairs:
        found[pair] = found.get(pair, 0) + 1
    return found


def _scores(counts: Mapping[tuple[int, int], int], size: int) -> tuple[float, float]:
    confusion = np.zeros((size, size))
    for (actual, predicted), number in counts.items():
        confusion[actual, predicted] = number
    return float(metrics.accuracy(confusion)), float(metrics.kappa(confusion))
