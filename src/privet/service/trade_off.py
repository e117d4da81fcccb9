"""Utility and resistance over the noise level: what a release costs, and what it hides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from privet.audit.perturbation.attack import audit_perturbation
from privet.errors import ParameterError
from privet.evaluation.comparison import compare
from privet.registry import algorithm, algorithms_with
from privet.schema import Schema

if TYPE_CHECKING:
    from privet.report import Page

__all__ = ["TradeOff", "trade_off"]


@dataclass(frozen=True)
class TradeOff:
    """For each noise level: the accuracy of a learner on D′, and the error of the best attack."""

    method: str
    learner: str
    levels: tuple[float, ...]
    accuracy: tuple[float, ...]
    resistance: tuple[float, ...]
    original_accuracy: float

    def text(self) -> str:
        lines = [
            f"{self.method}, {self.learner}: accuracy on the original {self.original_accuracy:.4f}",
            "",
        ]
        lines += [
            "noise    accuracy  resistance (error of the best attack on the weakest column; 1 is a guess)"
        ]
        lines += [
            f"{level:<8g} {accuracy:8.4f}  {resistance:.3f}"
            for level, accuracy, resistance in zip(self.levels, self.accuracy, self.resistance, strict=True)
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def figure(self) -> Any:
        """Both curves over the noise level."""
        from privet.report import lines

        return lines(
            self.levels,
            {"accuracy on D′": self.accuracy, "resistance": self.resistance},
            xlabel="noise (half ranges)",
            ylabel="accuracy · error of the best attack",
            references={"accuracy on D": self.original_accuracy},
        )

    def page(self) -> Page:
        """Both curves, and the numbers."""
        from privet.report import Page

        page = Page("Utility and resistance", "Over the noise level")
        section = page.section("Trade-off")
        section.figure(self.figure(), alt=self.text(), caption="More noise: less accuracy, more resistance.")
        section.code(self.text())
        return page


def trade_off(
    table: pa.Table,
    schema: Schema,
    levels: Sequence[float],
    *,
    method: str = "geometric",
    learner: str = "logistic regression",
    folds: int = 5,
    records: int = 2000,
    seed: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> TradeOff:
    """Perturb at each level, mine the result and attack it."""
    perturbation = algorithm(method, algorithms_with("perturb")).load()
    noise = getattr(perturbation, "noise_parameter", "")
    if not noise:
        known = [
            entry.name for entry in algorithms_with("perturb") if getattr(entry.load(), "noise_parameter", "")
        ]
        raise ParameterError(f"{method} has no noise level.", f"Choose one of: {', '.join(known)}.")
    table = table.slice(0, min(table.num_rows, 20_000))
    accuracies, resistances, before = [], [], float("nan")
    for place, level in enumerate(levels):
        model = perturbation(schema=schema, missing="middle", random_state=seed, **{noise: level})
        released = model.fit_transform(table)
        found = compare(table, released, schema, learners=[learner], folds=folds, records=records)
        before, after = found.scores[learner][0].accuracy, found.scores[learner][1].accuracy
        report = audit_perturbation(
            table,
            released,
            schema=schema,
            columns=model.columns_,
            records=min(records, 1500),
            random_state=seed,
        )
        accuracies.append(after)
        resistances.append(float(np.round(report.resistance, 6)))
        if progress is not None:
            progress(place + 1, len(levels))
    return TradeOff(method, learner, tuple(levels), tuple(accuracies), tuple(resistances), before)
