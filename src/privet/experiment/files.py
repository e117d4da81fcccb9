"""Results in files: every cell as CSV or ARFF, the table as LaTeX, everything to look at as HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from privet.errors import ParameterError
from privet.experiment.results import Results
from privet.schema import Category, Number, Schema
from privet.sources import write_arff, write_csv

__all__ = ["FORMATS", "cells_table", "latex", "require_format", "write_results"]


def cells_table(results: Results) -> pa.Table:
    """A row for each cell: where it stands in the grid, its measures, and their noise if they have any."""
    names = list(dict.fromkeys(name for cell in results.cells for name in cell["figures"]))
    noisy = any("errors" in cell for cell in results.cells)
    columns: dict[str, pa.Array] = {
        "data": pa.array([cell["data"] for cell in results.cells], pa.string()),
        "algorithm": pa.array([cell["contender"] for cell in results.cells], pa.string()),
        "epsilon": pa.array([float(cell["epsilon"]) for cell in results.cells], pa.float64()),
        "repetition": pa.array([cell["repetition"] + 1 for cell in results.cells], pa.int64()),
        "fold": pa.array([None if c["fold"] is None else c["fold"] + 1 for c in results.cells], pa.int64()),
    }
    for name in names:
        columns[name] = pa.array([cell["figures"].get(name) for cell in results.cells], pa.float64())
        if noisy:
            errors = [cell.get("errors", {}).get(name) for cell in results.cells]
            columns[f"{name}_error"] = pa.array(errors, pa.float64())
    columns["seconds"] = pa.array([cell.get("seconds") for cell in results.cells], pa.float64())
    return pa.table(columns)


def latex(results: Results) -> str:
    """The table with its marks, for a paper; hollow and filled circles are marks, as in WEKA."""
    marks = {"v": r"~$\circ$", "*": r"~$\bullet$", "": ""}
    labels = results.labels
    rows = [
        r"\begin{table}",
        rf"\caption{{{_escaped(results.experiment.name)}: {_escaped(results.measure.replace('_', ' '))}}}",
        rf"\begin{{tabular}}{{lr{'l' * len(labels)}}}",
        r"\hline",
        " & ".join(["Table", r"$\varepsilon$", *map(_escaped, labels)]) + r" \\",
        r"\hline",
    ]
    for dataset, epsilon, entries in results.rows():
        cells = [str(replace(e, mark="")).replace("±", r"$\pm$") + marks[e.mark] for e in entries]
        rows.append(" & ".join([_escaped(dataset.name), f"{epsilon:g}", *cells]) + r" \\")
    better = r"$\circ$ better, $\bullet$ worse than the first: corrected resampled t-test, 5\,\%."
    return "\n".join([*rows, r"\hline", r"\end{tabular}", "", better, r"\end{table}", ""])


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _escaped(text: str) -> str:
    """A text that LaTeX prints as it is.

    >>> _escaped("tree (max_depth=2)")
    'tree (max\\\\_depth=2)'
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def _arff(results: Results, place: Path) -> None:
    experiment, table = results.experiment, cells_table(results)
    # The names of tables and algorithms are the experiment's own, and public.
    nominal = (
        Category("data", tuple(dataset.name for dataset in experiment.data)),
        Category("algorithm", results.labels),
    )
    others = tuple(Number(name, -1e300, 1e300) for name in table.column_names[2:])
    write_arff(table.to_batches(), place, Schema((*nominal, *others)), experiment.name)


FORMATS: dict[str, Callable[[Results, Path], object]] = {
    ".csv": lambda results, place: write_csv(cells_table(results).to_batches(), place),
    ".arff": _arff,
    ".tex": lambda results, place: place.write_text(latex(results), encoding="utf-8"),
    ".html": lambda results, place: results.page().write(place),
}


def require_format(place: Path) -> None:
    """Refuse a file whose name does not say what it shall hold."""
    if place.suffix.lower() not in FORMATS:
        raise ParameterError(
            f"Results are not written as {place.suffix or 'a file without an ending'}.",
            f"Name the file by its format: {', '.join(FORMATS)}.",
        )


def write_results(results: Results, place: str | Path) -> Path:
    """Write the results as the ending of the file's name says."""
    place = Path(place)
    require_format(place)
    FORMATS[place.suffix.lower()](results, place)
    return place
