"""What made-up records carry of the table, and what they cannot: from the model's own noisy releases.

The real table is not read, so a report costs nothing. Drawn records are compared with the noisy shares that
the model was made of; how far those are from the truth is what the noise allows, and is said beside them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.evaluation.downstream import Downstream, codes_of
from privet.schema import Schema
from privet.stats import Rows

if TYPE_CHECKING:
    from privet.report import Chart, Page

__all__ = ["Carried", "SyntheticReport"]

MOST_NAMED = 12


@dataclass(frozen=True)
class Carried:
    """A column: how far its drawn shares are from the released ones, and those from the truth, at most.

    ``parents`` are the columns that it was drawn given; ``tied`` is the distance of the shares within each of
    their groups, None without any. Distances are total variation: the share of records that would have to
    change.
    """

    column: str
    distance: float
    noise: float
    parents: tuple[str, ...] = ()
    tied: float | None = None


@dataclass(frozen=True)
class SyntheticReport:
    """What made-up records carry, by column, and the pairs that no released table holds."""

    columns: tuple[Carried, ...]
    untied: tuple[tuple[str, str], ...]
    records: int
    headline: str
    downstream: Downstream | None = None

    @classmethod
    def of(cls, model: Any, made: pa.Table, other: pa.Table | None = None) -> SyntheticReport:
        """The report of records that a fitted ``Synthesiser`` drew.

        With ``other`` records of the same model, also of how well the first predict the target of those.

        >>> from privet.learning.synthesise import Synthesiser
        >>> schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"], "sex": ["f", "m"]})
        >>> table = pa.table({"smoker": ["no", "yes"] * 500, "ill": ["no", "yes"] * 500, "sex": ["f"] * 1000})
        >>> model = Synthesiser(epsilon=2.0, schema=schema).fit(table)
        >>> report = SyntheticReport.of(model, model.sample(1000, random_state=0))
        >>> [each.column for each in report.columns], max(each.distance for each in report.columns) < 0.05
        (['smoker', 'ill', 'sex'], True)
        """
        schema: Schema = model.schema_
        batches = made.combine_chunks().to_batches()
        rows = Rows(batches[0] if batches else made.schema.empty_table().to_batches()[0], schema)
        found = tuple(_carried(model, name, rows) for name in schema.names)
        held = {frozenset((name, up)) for name, ups in model.parents_.items() for up in ups}
        untied = tuple(pair for pair in combinations(schema.names, 2) if frozenset(pair) not in held)
        downstream = None if other is None else Downstream.of(model, made, other)
        return cls(found, untied, rows.size, model.guarantee_.headline, downstream)

    @property
    def limits(self) -> tuple[str, ...]:
        """What the records cannot carry, in words."""
        shown = ", ".join(f"'{one}' with '{other}'" for one, other in self.untied[:MOST_NAMED])
        more = f" and {len(self.untied) - MOST_NAMED} more" if len(self.untied) > MOST_NAMED else ""
        direct = (
            f"Pairs that no released table holds, and that hang together only through others: {shown}{more}."
            if self.untied
            else "Every pair of columns has a released table."
        )
        return (
            direct,
            "What depends on three columns at once, but for a column, its parent and the class.",
            "Numbers more exactly than their bins, values that are rare beside the noise, and outliers.",
            "Several records of one person, their order, and sums over time: records are drawn one by one.",
        )

    def chart(self) -> Chart:
        """The distance of each column, with what the noise may have moved."""
        from privet.report.charts import Bars, Series, numbers

        names = tuple(each.column for each in self.columns)
        return Bars(
            "How far made-up records may be from the table",
            names,
            (
                Series("drawn, from the released shares", numbers([each.distance for each in self.columns])),
                Series("released, from the table, at most about", numbers([e.noise for e in self.columns])),
            ),
            y="share of records that would have to change",
            note="Without reading the table: by the noise of what was released.",
        )

    def text(self) -> str:
        lines = [f"What {self.records} made-up records carry. The table was not read.", ""]
        lines.append(f"{'column':<24}{'drawn':>8}{'noise':>8}  drawn given")
        for each in self.columns:
            given = " and ".join(each.parents) or "nothing"
            within = "" if each.tied is None else f" (within its groups: {each.tied:.1%})"
            lines.append(f"{each.column:<24}{each.distance:>8.1%}{each.noise:>8.1%}  {given}{within}")
        if self.downstream is not None:
            lines += ["", self.downstream.text()]
        return "\n".join([*lines, "", "They do not carry:", *(f"  - {word}" for word in self.limits)])

    def page(self) -> Page:
        from privet.report import Page

        page = Page("Made-up records: what they carry", self.headline)
        section = page.section("By column")
        section.chart(self.chart())
        section.code(self.text())
        if self.downstream is not None:
            section = page.section("For prediction")
            section.chart(self.downstream.chart())
            section.text(self.downstream.text())
        return page

    def to_dict(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "columns": [asdict(each) for each in self.columns],
            "untied": [list(pair) for pair in self.untied],
            "limits": list(self.limits),
            "downstream": None if self.downstream is None else self.downstream.to_dict(),
        }


def _carried(model: Any, name: str, rows: Rows) -> Carried:
    fine = _shares(rows, name, tuple(model.cuts_[name]), len(np.asarray(model.margins_[name])))
    released = np.asarray(model.margins_[name], float)
    distance = 0.5 * float(np.abs(fine - released / max(released.sum(), 1e-300)).sum())
    parents = tuple(model.parents_[name])
    tied = _tied(model, name, parents, rows) if parents else None
    return Carried(name, distance, min(1.0, float(model.noise_[name])), parents, tied)


def _tied(model: Any, name: str, parents: tuple[str, ...], rows: Rows) -> float:
    """The mean over the parents' groups, as often as they were drawn, of the distance within."""
    table = np.asarray(model.tables_[name], float)
    codes = [codes_of(rows, each, tuple(model.group_cuts_[each])) for each in (*parents, name)]
    drawn = np.zeros(table.shape)
    np.add.at(drawn, tuple(codes), 1)
    number = drawn.sum(axis=-1, keepdims=True)
    apart = 0.5 * np.abs(drawn - number * table).sum()
    return float(apart / max(rows.size, 1))


def _shares(rows: Rows, name: str, cuts: tuple[float, ...], cells: int) -> NDArray[np.float64]:
    return np.bincount(codes_of(rows, name, cuts), minlength=cells)[:cells] / max(rows.size, 1)
