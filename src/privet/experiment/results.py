"""What an experiment found: a table with the marks of WEKA's Experimenter, ranks, charts and files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.evaluation.figures import RANGES
from privet.experiment.parts import Dataset
from privet.experiment.planning import identities
from privet.experiment.significance import Ranks, corrected_interval, corrected_p_value, ranked
from privet.experiment.store import Store
from privet.experiment.value import Experiment

if TYPE_CHECKING:
    from privet.report import Chart, Page

__all__ = ["Entry", "Results"]

SIGNIFICANCE = 0.05
_ABOUT_MARKS = (
    "v better, * worse than the first algorithm: corrected resampled t-test, 5 %, on public data. "
    "The last row counts them: better/alike/worse. "
)
_ABOUT_FOLDS = "± of public data: 95 % for the choice of folds, with the same correction."
_ABOUT_NOISE = (
    "± of private data holds the noise of the scores in about 95 % of cases, and nothing else; "
    "no test is made."
)


@dataclass(frozen=True)
class Entry:
    """One algorithm on one table at one ε: its mean, the half width around it, and its mark."""

    mean: float
    error: float
    cells: int
    mark: str = ""

    @property
    def bare(self) -> str:
        """The mean with its half width, without the mark."""
        if not math.isfinite(self.mean):
            return "unknown"
        return f"{self.mean:.4g}" + (f" ± {self.error:.2g}" if math.isfinite(self.error) else "")

    def __str__(self) -> str:
        return f"{self.bare}{' ' if self.mark else ''}{self.mark}"


@dataclass(frozen=True, eq=False)
class Results:
    """The cells that were measured, and what they say. Not all cells of the grid need be there yet."""

    experiment: Experiment
    cells: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, experiment: Experiment, store: Store, states: Mapping[str, str]) -> Results:
        """The cells of this experiment that a store holds, in the order of the grid."""
        held = store.results()
        return cls(experiment, tuple(held[key] for key in identities(experiment, states) if key in held))

    @property
    def measure(self) -> str:
        """The measure that is shown."""
        if self.experiment.measure is not None:
            return self.experiment.measure
        found = self.cells[0]["figures"] if self.cells else {}
        return next((name for name in ("recovered", "r2") if name in found), "accuracy")

    @property
    def more_is_better(self) -> bool:
        return not (self.measure.endswith("error") or self.measure in ("log_loss", "p_value"))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(contender.label for contender in self.experiment.algorithms)

    @cached_property
    def _scores(self) -> dict[tuple[str, float, str], dict[tuple[int, int | None], Mapping[str, Any]]]:
        found: dict[Any, dict[Any, Mapping[str, Any]]] = {}
        for cell in self.cells:
            place = cell["data"], cell["epsilon"], cell["contender"]
            found.setdefault(place, {})[cell["repetition"], cell["fold"]] = cell
        return found

    def _values(self, dataset: Dataset, epsilon: float, label: str) -> dict[tuple[int, int | None], float]:
        cells = self._scores.get((dataset.name, epsilon, label), {})
        values = {place: cell["figures"].get(self.measure) for place, cell in cells.items()}
        return {place: value for place, value in values.items() if value is not None}

    def entry(self, dataset: Dataset, epsilon: float, label: str) -> Entry:
        """One place of the table."""
        scores = self._values(dataset, epsilon, label)
        if not scores:
            return Entry(math.nan, math.nan, 0)
        mean = float(np.mean(list(scores.values())))
        if dataset.private:
            # The noises are independent. Roots of sums of squares of 95 % widths are exact for normal noise
            # and wider than needed for Laplace noise, whose ends are longer than those of a mean of several.
            cells = self._scores[dataset.name, epsilon, label]
            widths = [cells[place]["errors"].get(self.measure) for place in scores]
            known = all(width is not None for width in widths)
            error = math.sqrt(sum(w * w for w in widths)) / len(widths) if known else math.nan
            return Entry(mean, error, len(scores))
        mark, first = "", self.labels[0]
        if label != first:
            base = self._values(dataset, epsilon, first)
            both = [scores[place] - base[place] for place in scores if place in base]
            if both and corrected_p_value(both, self._ratio) < SIGNIFICANCE:
                mark = "v" if (float(np.mean(both)) > 0) == self.more_is_better else "*"
        return Entry(mean, corrected_interval(list(scores.values()), self._ratio), len(scores), mark)

    @property
    def _ratio(self) -> float:
        """Test records to training records of a fold."""
        return 1 / (self.experiment.folds - 1)

    def rows(self) -> tuple[tuple[Dataset, float, tuple[Entry, ...]], ...]:
        """A row for each table and ε, with an entry for each algorithm."""
        return self._rows

    @cached_property
    def _rows(self) -> tuple[tuple[Dataset, float, tuple[Entry, ...]], ...]:
        return tuple(
            (dataset, epsilon, tuple(self.entry(dataset, epsilon, label) for label in self.labels))
            for dataset in self.experiment.data
            for epsilon in self.experiment.epsilons
        )

    def marks(self) -> tuple[str, ...]:
        """How often each algorithm is better, alike and worse than the first, as WEKA writes it."""
        found = []
        for place in range(1, len(self.labels)):
            marks = [row[place].mark for dataset, _, row in self.rows() if not dataset.private]
            found.append(f"({marks.count('v')}/{marks.count('')}/{marks.count('*')})")
        return tuple(found)

    def ranks(self, epsilon: float) -> Ranks | None:
        """The average ranks over the public tables; None if there are not two of each."""
        means = [
            [entry.mean for entry in row]
            for dataset, at, row in self.rows()
            if at == epsilon and not dataset.private
        ]
        if len(means) < 2 or len(self.labels) < 2 or not np.isfinite(means).all():
            return None
        return ranked(self.labels, means if self.more_is_better else [[-m for m in row] for row in means])

    def header(self) -> list[str]:
        return ["table", "epsilon", *self.labels]

    def table(self) -> list[list[str]]:
        """The rows as text, with the count of marks at the end."""
        found = [[dataset.name, f"{epsilon:g}", *map(str, row)] for dataset, epsilon, row in self.rows()]
        if len(self.labels) > 1 and not all(dataset.private for dataset in self.experiment.data):
            found.append(["(v/ /*)", "", "", *self.marks()])
        return found

    def explained(self) -> tuple[str, ...]:
        """What the marks and bars mean, and the ranks."""
        kinds = {dataset.private for dataset in self.experiment.data}
        marked = _ABOUT_MARKS if len(self.labels) > 1 else ""
        words = [marked + _ABOUT_FOLDS] if False in kinds else []
        words += [_ABOUT_NOISE] if True in kinds else []
        for epsilon in self.experiment.epsilons:
            if (found := self.ranks(epsilon)) is not None:
                words.append(f"At epsilon {epsilon:g}. {found.text()}")
        return tuple(words)

    def text(self) -> str:
        cells = [self.header(), *self.table()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        done = f"{len(self.cells):,} of {self.experiment.size:,} cells are measured."
        head = f"{self.experiment.name}: {self.measure.replace('_', ' ')}. {done}"
        return "\n".join([head, "", *lines, "", *self.explained()])

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        table = [
            {
                "data": dataset.name,
                "private": dataset.private,
                "epsilon": epsilon,
                "algorithm": label,
                "mean": entry.mean if math.isfinite(entry.mean) else None,
                "error": entry.error if math.isfinite(entry.error) else None,
                "cells": entry.cells,
                "mark": entry.mark,
            }
            for dataset, epsilon, row in self.rows()
            for label, entry in zip(self.labels, row, strict=True)
        ]
        return {
            "experiment": self.experiment.to_dict(),
            "measure": self.measure,
            "measured": len(self.cells),
            "cells": self.experiment.size,
            "table": table,
            "explained": list(self.explained()),
        }

    def charts(self) -> tuple[Chart, ...]:
        """A picture for each table: the measure against ε, or a bar for each algorithm."""
        return tuple(
            chart
            for dataset in self.experiment.data
            for chart in self._chart(dataset, self.experiment.epsilons)
        )

    def _chart(self, dataset: Dataset, epsilons: Sequence[float]) -> tuple[Chart, ...]:
        from privet.report.charts import Bars, Lines, Series

        at = tuple(sorted(epsilons))
        rows = [[self.entry(dataset, epsilon, label) for label in self.labels] for epsilon in at]
        if not all(math.isfinite(entry.mean) for row in rows for entry in row):
            return ()
        title, y = f"{dataset.name}", self.measure.replace("_", " ")
        within = RANGES.get(self.measure, (None, None))
        note = _ABOUT_NOISE if dataset.private else _ABOUT_FOLDS

        def errors(entries: Sequence[Entry]) -> tuple[float, ...] | None:
            found = tuple(entry.error for entry in entries)
            return found if all(map(math.isfinite, found)) else None

        chart: Chart
        if len(at) == 1:
            series = Series(y, tuple(e.mean for e in rows[0]), errors(rows[0]), within)
            chart = Bars(title, self.labels, (series,), y=y, note=note)
        else:
            columns = list(zip(*rows, strict=True))
            lines = tuple(
                Series(label, tuple(e.mean for e in column), errors(column), within)
                for label, column in zip(self.labels, columns, strict=True)
            )
            chart = Lines(title, at, lines, log_x=True, x="epsilon", y=y, note=note)
        return (chart,)

    def page(self) -> Page:
        """The results as a page."""
        from privet.report import Page

        page = Page(f"Experiment: {self.experiment.name}", f"{len(self.cells):,} cells")
        section = page.section(self.measure.replace("_", " ").capitalize())
        section.table(self.header(), self.table(), "Means with error bars")
        section.text(*self.explained())
        for chart in self.charts():
            section.chart(chart)
        page.section("The experiment").code(self.experiment.text())
        if any(dataset.private for dataset in self.experiment.data):
            section = page.section("Guarantees")
            section.text(*dict.fromkeys(self.guarantees()))
        return page

    def guarantees(self) -> list[str]:
        """The guarantee of each cell of private data, in a line."""
        from privet.release import Guarantee

        return [
            f"{cell['data']}, {cell['contender']}, epsilon {cell['epsilon']:g}, repetition "
            f"{cell['repetition'] + 1}: {Guarantee.from_dict(dict(cell['guarantee'])).headline}"
            for cell in self.cells
            if "guarantee" in cell
        ]
