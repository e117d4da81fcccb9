"""The real tables beside the repository, with schemas; benchmarks that need them say so when they are absent."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from privet.schema import Number, Schema, draft
from privet.schema.columns import WHOLESALE

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"

# Bounds that the sets' documentation or common knowledge gives; they are not read off the data.
BOUNDS: dict[str, dict[str, tuple[float, float]]] = {
    "adult": {
        "age": (0, 100), "fnlwgt": (0, 1_500_000), "education-num": (1, 16),
        "capital-gain": (0, 100_000), "capital-loss": (0, 5_000), "hours-per-week": (0, 100),
    },
    "breast_w": dict.fromkeys(
        ("Clump_Thickness", "Cell_Size_Uniformity", "Cell_Shape_Uniformity", "Marginal_Adhesion",
         "Single_Epi_Cell_Size", "Bare_Nuclei", "Bland_Chromatin", "Normal_Nucleoli", "Mitoses"), (1, 10),
    ),
}  # fmt: skip


def available() -> bool:
    return FOLDER.is_dir()


@cache
def load(name: str) -> tuple[pa.Table, Schema]:
    """A table and its schema: bounds as declared above, domains declared public as a whole."""
    table = pa.csv.read_csv(
        FOLDER / f"{name}.csv.gz",
        convert_options=pa.csv.ConvertOptions(null_values=["?"], strings_can_be_null=True),
    )
    drafted = draft(table.to_batches(), target="class").confirm(origin=WHOLESALE)
    bounds = {key.replace("-", "_"): value for key, value in BOUNDS.get(name, {}).items()}
    columns: list[Any] = [
        Number(c.name, *bounds[c.name.replace("-", "_")], integer=True)
        if c.name.replace("-", "_") in bounds
        else c
        for c in drafted.columns
    ]
    return table, Schema(tuple(columns), target="class")
