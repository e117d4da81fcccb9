"""What a perturbation does and how well it resists attacks, on people who do not exist.

A perturbed table is a release of rows, mostly without any guarantee. So it can be tried where nobody is at
risk: made-up people are drawn from the public schema, perturbed, and attacked with the originals at hand.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.parameters import parameters_of
from privet.registry import algorithm as entry_of
from privet.service.case import Shown
from privet.service.session import Session

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.release import Guarantee
    from privet.report import Chart
    from privet.service.perturbing import Perturb

__all__ = ["RehearsedPerturbation", "perturb_for_the_owner", "rehearse_perturbation"]

RECORDS = 1_000
SHOWN = 250  # points of a picture
_BINS = 12
#: The least share of the common scale that both sides must take to be drawn in common bins.
_ALIKE = 0.25
_MOST_COLUMNS = 6


@dataclass(frozen=True, kw_only=True)
class RehearsedPerturbation:
    """D against D′ in pictures, what attackers got out of D′, and what the method promises."""

    records: int
    guarantee: Guarantee
    verdicts: tuple[str, ...]
    attacks: tuple[Shown, ...]
    attack_text: str
    charts: tuple[Chart, ...]

    @property
    def promises(self) -> bool:
        """Whether the method promises anything at all."""
        return self.guarantee.protects


def rehearse_perturbation(
    schema: Path, algorithm: str, parameters: Mapping[str, Any], columns: Sequence[str] = ()
) -> RehearsedPerturbation:
    """Perturb made-up people and attack what came out. Nothing but the schema is read."""
    from privet.schema import read_schema
    from privet.service.audits import AuditPerturbation
    from privet.service.made_up import made_up_source
    from privet.service.tables import read_table
    from privet.sources import write_csv

    with tempfile.TemporaryDirectory(prefix="privet-") as folder:
        before, after = Path(folder) / "before.csv", Path(folder) / "after.csv"
        write_csv(made_up_source(read_schema(schema), RECORDS), before)
        done = _case(algorithm, before, after, schema, parameters, columns).run(Session())
        attacked = AuditPerturbation(original=before, perturbed=after, schema=schema, records=RECORDS)
        found = attacked.run(Session()).found
        tables = read_table(before, None), read_table(after, None)
    return RehearsedPerturbation(
        records=done.records,
        guarantee=done.guarantee,
        verdicts=tuple(report.verdict for report in found),
        attacks=tuple(_shown(report) for report in found),
        attack_text="\n\n".join(report.text() for report in found),
        charts=_against(*tables),
    )


def perturb_for_the_owner(
    data: Path,
    schema: Path,
    out: Path,
    algorithm: str,
    parameters: Mapping[str, Any],
    columns: Sequence[str],
    *,
    session: Session,
    owner_says: str,
) -> Guarantee:
    """Perturb the owner's own table. Their word is recorded in the ledger first: it is not paid for."""
    from privet.schema import read_schema

    case = _case(algorithm, data, out, schema, parameters, columns)
    session.unpaid(read_schema(schema), f"a table perturbed by {algorithm}", owner_says)
    return case.run(Session()).guarantee


def _case(
    algorithm: str,
    data: Path,
    out: Path,
    schema: Path,
    parameters: Mapping[str, Any],
    columns: Sequence[str],
) -> Perturb:
    from privet.perturbation.nominal.hierarchy import hierarchies_of
    from privet.schema import read_schema
    from privet.service.perturbing import Perturb

    declared = {each.name for each in parameters_of(entry_of(algorithm).load())}
    given = dict(parameters)
    if "hierarchies" in declared:  # by what is public about the columns, where nobody can name a file
        given["hierarchies"] = hierarchies_of(read_schema(schema), columns)
    return Perturb(
        algorithm=algorithm,
        data=data,
        out=out,
        schema=schema if "schema" in declared else None,
        parameters=given,
        columns=tuple(columns) if "columns" in declared else (),
    )


def _shown(report: Any) -> Shown:
    """What each attack came to."""
    if hasattr(report, "heads"):
        title = "Attacks on numbers: their error in standard deviations (0 is exact, 1 a guess)"
        return Shown(title, list(report.heads), [[str(cell) for cell in row] for row in report.rows()])
    header = ["Attack", "About", "Right", "By guessing", "Error (1 is a guess)"]
    return Shown("Attacks on categories", header, report.rows())


def _against(before: pa.Table, after: pa.Table) -> tuple[Chart, ...]:
    """D against D′: the values of each column that changed, before and after; and those of new columns."""
    changed = [
        name
        for name in after.column_names
        if name not in before.column_names or not before[name].equals(after[name])
    ]
    charts: list[Chart] = []
    for name in changed[:_MOST_COLUMNS]:
        charts += _of_column(name, before[name] if name in before.column_names else None, after[name])
    return tuple(charts)


def _of_column(name: str, before: pa.ChunkedArray | None, after: pa.ChunkedArray) -> list[Chart]:
    from privet.report.charts import Bars, Points, Series

    sides = [side for side in (before, after) if side is not None]
    if not all(_is_number(side) for side in sides):
        return [_counts(name, before, after)]
    both = np.array([side.to_numpy() for side in sides], float)
    both = both[:, np.isfinite(both).all(axis=0)]
    titles = _titles(sides)
    # On one scale they share their bins; a side that would be a bar or two there has bins of its own.
    alike = np.ptp(both, axis=1).min() >= _ALIKE * np.ptp(both)
    groups = [range(len(sides))] if alike else [[place] for place in range(len(sides))]
    spread = []
    for group in groups:
        edges = np.linspace(both[list(group)].min(), both[list(group)].max(), _BINS + 1)
        labels = tuple(f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges))
        series = tuple(
            Series(titles[place], tuple(np.histogram(both[place], edges)[0].astype(float).tolist()))
            for place in group
        )
        which = "" if len(group) > 1 or len(sides) == 1 else f" in {titles[group[0]]}"
        spread.append(Bars(f"{name}: how values are spread{which}", labels, series, y="people"))
    if before is None:
        return [*spread]
    pairs = tuple((float(x), float(y)) for x, y in both[:, :SHOWN].T)
    pairing = Points(
        f"{name}: each value against what it became",
        ("people",),
        (pairs,),
        x=f"{name} (D)",
        y=f"{name} (D′)",
        note="On a line, the values can be read back; a cloud hides them better.",
    )
    return [pairing, *spread]


def _is_number(side: pa.ChunkedArray) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_floating(side.type) or kinds.is_integer(side.type))


def _titles(sides: Sequence[Any]) -> tuple[str, ...]:
    return ("D", "D′")[-len(sides) :]


def _counts(name: str, before: pa.ChunkedArray | None, after: pa.ChunkedArray) -> Chart:
    """How often each value occurs, before and after; numbers that became ranges have no before."""
    from privet.report.charts import Bars, Series

    shown = after if before is None or _is_number(before) else before
    sides = [Counter(map(str, side.to_pylist())) for side in ([after] if shown is after else [before, after])]
    labels = tuple(sorted(set().union(*sides)))[:30]
    series = tuple(
        Series(title, tuple(float(side[label]) for label in labels))
        for title, side in zip(_titles(sides), sides, strict=True)
    )
    return Bars(f"{name}: how often each value occurs", labels, series, y="people")
